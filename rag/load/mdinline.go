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
	table  bool // its bars between cells are written as barMark
}

// barMark stands for a bar between two cells; texts have no such character.
const barMark = "\x00"

// paragraph returns the text of a block of inline content: soft line breaks
// become spaces, except in a table, whose rows stay lines.
func (m *mdReader) paragraph(n ast.Node) string {
	first := m.tableAt(n)
	t := &inlineText{src: m.src, table: first >= 0}
	t.children(n, false)
	if first >= 0 && len(t.breaks)+1 == n.Lines().Len() {
		lines := t.lines(first)
		m.add(strings.Join(lines[:first], "\n"), m.span(n.Lines()))
		m.out.separate(newLine)
		m.out.kind = text.Table
		return strings.Join(lines[first:], "\n")
	}
	t.buf = bytes.ReplaceAll(t.buf, []byte(barMark), []byte("|"))
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
		s := n.Segment.Value(t.src)
		if t.table {
			s = markBars(s, code)
		}
		if code || n.IsRaw() {
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

// markBars returns the text of a table with barMark for the bars that no backslash
// stands before; in code, the backslash goes.
func markBars(s []byte, code bool) []byte {
	out := make([]byte, 0, len(s))
	for i, c := range s {
		switch {
		case c != '|':
		case i == 0 || s[i-1] != '\\':
			c = barMark[0]
		case code:
			out = out[:len(out)-1]
		}
		out = append(out, c)
	}
	return out
}

// lines returns the lines, without the one of a table's delimiter row. The cells of the
// rows, which begin at first, are "a | b".
func (t *inlineText) lines(first int) (lines []string) {
	from := 0
	for i := 0; i <= len(t.breaks); i++ {
		to := len(t.buf)
		if i < len(t.breaks) {
			to = t.breaks[i]
		}
		line := strings.TrimSpace(string(t.buf[from:to]))
		from = to + 1
		switch {
		case i < first:
			line = strings.ReplaceAll(line, barMark, "|")
		case i == first+1:
			continue
		default:
			cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, barMark), barMark), barMark)
			for k, c := range cells {
				cells[k] = strings.TrimSpace(withoutFiller(c))
			}
			for len(cells) > 1 && cells[len(cells)-1] == "" {
				cells = cells[:len(cells)-1]
			}
			line = strings.Join(cells, " | ")
		}
		lines = append(lines, line)
	}
	return lines
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
