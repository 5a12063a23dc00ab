package load

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// inlineText is the text of a paragraph without its marks. breaks holds the
// offsets of the line breaks that are only the writer's.
type inlineText struct {
	src    []byte
	buf    []byte
	breaks []int
}

// paragraph returns the text of a block of inline content: soft line breaks
// become spaces, except in a table, whose rows stay lines.
func (m *mdReader) paragraph(n ast.Node) string {
	t := &inlineText{src: m.src}
	t.children(n, false)
	if first := m.tableAt(n); first >= 0 && len(t.breaks)+1 == n.Lines().Len() {
		return t.table(first)
	}
	if _, code := n.LastChild().(*ast.CodeSpan); code {
		return t.joined()
	}
	return withoutAttributes(t.joined())
}

func (t *inlineText) children(n ast.Node, code bool) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t.node(c, code)
	}
}

func (t *inlineText) node(n ast.Node, code bool) {
	switch n := n.(type) {
	case *ast.Text:
		if s := n.Segment.Value(t.src); code || n.IsRaw() {
			t.buf = append(t.buf, bytes.ReplaceAll(s, []byte{'\n'}, []byte{' '})...)
		} else {
			t.buf = appendUnescaped(t.buf, s)
		}
		switch {
		case n.HardLineBreak():
			t.buf = append(t.buf, '\n')
		case n.SoftLineBreak():
			t.breaks = append(t.breaks, len(t.buf))
			t.buf = append(t.buf, '\n')
		}
	case *ast.String:
		t.buf = append(t.buf, n.Value...)
	case *ast.CodeSpan:
		t.children(n, true)
	case *ast.AutoLink:
		t.buf = append(t.buf, n.Label(t.src)...)
	case *ast.RawHTML:
		if s := n.Segments.Value(t.src); len(s) > 3 && strings.EqualFold(string(s[:3]), "<br") {
			t.buf = append(t.buf, '\n')
		}
	default:
		t.children(n, code)
	}
}

// joined replaces the writer's line breaks: by nothing between two characters
// of a script that puts no spaces, else by a space. One between two lines of the
// form "Key: value" stays.
func (t *inlineText) joined() string {
	var b strings.Builder
	from := 0
	for k, at := range t.breaks {
		b.Write(t.buf[from:at])
		next := len(t.buf)
		if k+1 < len(t.breaks) {
			next = t.breaks[k+1]
		}
		before, _ := utf8.DecodeLastRune(t.buf[:at])
		after, _ := utf8.DecodeRune(t.buf[at+1:])
		switch {
		case text.IsKeyValue(strings.TrimSpace(string(t.buf[from:at]))) && text.IsKeyValue(strings.TrimSpace(string(t.buf[at+1:next]))):
			b.WriteByte('\n')
		case !isWide(before) || !isWide(after):
			b.WriteByte(' ')
		}
		from = at + 1
	}
	b.Write(t.buf[from:])
	return strings.TrimSpace(b.String())
}

// withoutAttributes returns the text of a block without the attributes that some
// writers put at its end, such as an anchor: {#id}, {#id .class}, {.class},
// {: #id} or {/* #id */}. A block of nothing else is empty.
func withoutAttributes(s string) string {
	for strings.HasSuffix(s, "}") {
		open := strings.LastIndexByte(s, '{')
		if open < 0 || !isAttributes(s[open+1:len(s)-1]) {
			break
		}
		s = strings.TrimRight(s[:open], " \n\t")
	}
	return s
}

// isAttributes reports whether what stands between braces is a list of
// attributes that opens with an anchor, a class or a colon.
func isAttributes(s string) bool {
	if strings.HasPrefix(s, "/*") && strings.HasSuffix(s, "*/") {
		return true
	}
	s, colon := strings.CutPrefix(s, ":")
	fields := strings.Fields(s)
	for _, f := range fields {
		mark := f[0] == '#' || f[0] == '.'
		if strings.Trim(f, "#.") == "" || !mark && !strings.Contains(f, "=") {
			return false
		}
	}
	return len(fields) > 0 && (colon || fields[0][0] == '#' || fields[0][0] == '.')
}

// table writes the lines as rows "a | b"; first is the header's line, the one
// after it the delimiter row, which is left out.
func (t *inlineText) table(first int) string {
	var rows []string
	from := 0
	for i := 0; i <= len(t.breaks); i++ {
		to := len(t.buf)
		if i < len(t.breaks) {
			to = t.breaks[i]
		}
		row := strings.TrimSpace(string(t.buf[from:to]))
		from = to + 1
		if i == first+1 {
			continue
		}
		if i >= first {
			row = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"))
		}
		rows = append(rows, row)
	}
	return strings.TrimSpace(strings.Join(rows, "\n"))
}

// tableAt returns the line of a paragraph that is a table's header, because
// the next is a delimiter row; -1 if there is none.
func (m *mdReader) tableAt(n ast.Node) int {
	lines := n.Lines()
	for i := 1; i < lines.Len(); i++ {
		above, at := lines.At(i-1), lines.At(i)
		if isDelimiterRow(at.Value(m.src)) && bytes.IndexByte(above.Value(m.src), '|') >= 0 {
			return i - 1
		}
	}
	return -1
}

// isDelimiterRow reports whether a line looks like |---|:-:|.
func isDelimiterRow(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 2 && bytes.IndexByte(line, '-') >= 0 && bytes.IndexByte(line, '|') >= 0 &&
		len(bytes.Trim(line, "|-: \t")) == 0
}

// appendUnescaped appends s with backslash escapes and character references
// resolved.
func appendUnescaped(buf, s []byte) []byte {
	const longestReference = 40
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			c = s[i]
		case c == '&':
			end := bytes.IndexByte(s[i:min(len(s), i+longestReference)], ';')
			if end < 0 {
				break
			}
			ref := string(s[i : i+end+1])
			if r := html.UnescapeString(ref); r != ref {
				buf = append(buf, r...)
				i += end
				continue
			}
		}
		buf = append(buf, c)
	}
	return buf
}
