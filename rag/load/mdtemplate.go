package load

import (
	"regexp"
	"strings"
)

// Generators of sites read Markdown with marks of their own, which a reader of the
// page does not see. They are written over, byte for byte, so that every other byte
// keeps its place. Code that shows them stays.

const (
	// filler stands for a mark within a line: a blank at the beginning of a line would make
	// the line code. A text that has this control character loses it.
	filler = "\x01"
	// maxTag bounds a mark, in bytes.
	maxTag = 2000
)

var (
	// moduleLine brings components into a page of MDX.
	moduleLine = regexp.MustCompile(`^(?:import (?:[\w{*][^'"]* from )?['"][^'"]+['"];?|export (?:const|default|let) .*;)$`)
	// noteLine opens or closes a note or a tab: :::tip[Title], !!! note "Title", === "Tab".
	noteLine = regexp.MustCompile(`^(?::::+|!!!|\?\?\?\+?)(?: ?\{?([\w-]+)\}?)?(?: ?["\[]([^"\]]+)["\]]| (.+))?$|^=== "([^"]+)"$`)
	// directive is a note of reStructuredText.
	directive = regexp.MustCompile(`^\.\. (?:note|warning|tip|hint|important|caution|danger|attention|seealso|versionadded|versionchanged|deprecated)::`)
	// shown are the arguments of a tag that a reader sees.
	shown = regexp.MustCompile(`\b(?:title|caption|alt|label)="([^"]+)"`)
	// codeTag names a tag that holds code.
	codeTag = regexp.MustCompile(`^(highlight|code|code-block|codeblock|code-toggle|terminal)(?: +([a-z]+\b)| |$)`)
)

// cleaner writes over the marks of a Markdown text.
type cleaner struct {
	text string
	out  []byte         // nil before the first change
	next map[string]int // where a string stands next, as far as it was looked for
}

// withoutTemplates returns a Markdown text of the same length without the marks of
// Hugo, Jekyll, Docusaurus, MDX and MkDocs, and roles and notes of reStructuredText, from a byte on. O(n).
func withoutTemplates(text string, from int) string {
	c := &cleaner{text: text, next: map[string]int{}}
	var s splitter // follows fences and comments
	indented := true
	for pos := from; pos < len(text); {
		end := c.lineEnd(pos)
		line := strings.TrimRight(text[pos:end], " \t")
		inner := strings.TrimLeft(line, " \t")
		indented = inner == "" || indented && len(line)-len(inner) >= 4
		free := s.fence == "" && !s.comment && !indented
		s.follow(line, inner)
		if free && s.fence == "" && !s.comment {
			end = c.line(pos, pos+len(line)-len(inner), end)
		}
		pos = end + 1
	}
	if c.out == nil {
		return text
	}
	return string(c.out)
}

// line cleans a line that is no code, of which the first byte that is no blank is
// given, and returns the end of what was cleaned.
func (c *cleaner) line(pos, at, end int) int {
	s := strings.TrimRight(c.text[at:end], " \t")
	switch m := noteLine.FindStringSubmatch(s); {
	case m != nil && strings.HasPrefix(s, ":::"):
		c.write(at, end, m[2]+m[3])
		return end
	case m != nil && len(m[1]+m[4]) > 0: // what is indented below belongs to an item of a list
		title := m[2] + m[3] + m[4]
		if title == "" {
			title = m[1]
		}
		c.write(at, end, "- "+title)
		return end
	case at == pos && moduleLine.MatchString(s), s == "[TOC]", s == "[[toc]]", s == "[[_TOC_]]":
		c.write(at, end, "")
		return end
	}
	if m := directive.FindString(s); m != "" {
		c.cover(pos, at, at+len(m))
		at += len(m)
	}
	for i := at; i < end; i++ {
		switch rest := c.text[i:end]; {
		case rest[0] == '`':
			mark := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
			i += len(mark) - 1
			if to := strings.Index(rest[len(mark):], mark); to >= 0 {
				i += to + len(mark)
			}
		case strings.HasPrefix(rest, "[!"):
			if word, _, ok := strings.Cut(rest[2:min(len(rest), 20)], "]"); ok && strings.ToUpper(word) == word && i > pos && c.text[pos] == '>' {
				c.write(i, i+len(word)+3, word)
			}
		case rest[0] == '{':
			if to := c.tag(at, i); to > i {
				i = to - 1
				end = max(end, c.lineEnd(min(to, len(c.text))))
			}
		case rest[0] == ':' && (i == at || c.text[i-1] == ' '):
			c.role(at, i, ":`")
		}
	}
	return end
}

// role covers what tells the role of the code behind it: :ref:`x`, {ref}`x`.
func (c *cleaner) role(at, i int, end string) {
	const longest = 32
	name, _, ok := strings.Cut(c.text[i+1:min(len(c.text), i+longest)], end)
	if ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz:-+") == "" {
		c.cover(at, i, i+len(name)+2)
	}
}

// tag covers the tag that begins at byte i of a line whose text begins at a byte, and
// returns its end, or i if there is none.
func (c *cleaner) tag(at, i int) int {
	rest := c.text[i:]
	closer := ""
	switch {
	case strings.HasPrefix(rest, "{{<"):
		closer = ">}}"
	case strings.HasPrefix(rest, "{{%"):
		closer = "%}}"
	case strings.HasPrefix(rest, "{%"):
		closer = "%}"
	case strings.HasPrefix(rest, "{/*"):
		closer = "*/}"
	default:
		c.role(at, i, "}`")
		return i
	}
	to := c.find(closer, i+2)
	if to < 0 || to-i > maxTag {
		return i
	}
	open := len(closer)
	body := strings.TrimSpace(c.text[i+open : to])
	to += len(closer)
	if strings.HasPrefix(body, "/*") { // it is shown
		return to
	}
	alone := i == at && isBlank(c.text[to:c.lineEnd(to)])
	if m := codeTag.FindStringSubmatch(body); m != nil && alone {
		for _, closing := range [...]string{rest[:open] + " /" + m[1] + " " + closer, rest[:open] + "/ " + m[1] + " " + closer, "{% end" + m[1] + " %}"} {
			if end := c.find(closing, to); end >= 0 {
				c.write(i, to, "```"+m[2])
				c.write(end, end+len(closing), "```")
				return end + len(closing)
			}
		}
	}
	said := ""
	if m := shown.FindStringSubmatch(body); m != nil && closer != "*/}" {
		said = m[1]
	}
	if alone {
		c.write(i, to, said)
	} else {
		c.cover(at, i, to)
	}
	return to
}

// lineEnd returns the end of the line that a byte is in.
func (c *cleaner) lineEnd(at int) int {
	if i := c.find("\n", at); i >= 0 {
		return i
	}
	return len(c.text)
}

// find returns where a string stands next from a byte on, -1 if nowhere. The
// bytes only grow, so that the text is searched once for each string.
func (c *cleaner) find(s string, from int) int {
	at, known := c.next[s]
	if known && (at < 0 || at >= from) {
		return at
	}
	if at = strings.Index(c.text[from:], s); at >= 0 {
		at += from
	}
	c.next[s] = at
	return at
}

// write writes a few words in place of some bytes, and blanks behind them.
func (c *cleaner) write(from, to int, words string) {
	if c.out == nil {
		c.out = []byte(c.text)
	}
	n := 0
	if len(words) <= to-from {
		n = copy(c.out[from:to], words)
	}
	for i := from + n; i < to; i++ {
		if c.out[i] != '\n' {
			c.out[i] = ' '
		}
	}
}

// cover writes over bytes within a line: with what can stand in the target of a link or an
// attribute if they are in one.
func (c *cleaner) cover(pos, from, to int) {
	if c.out == nil {
		c.out = []byte(c.text)
	}
	const target = 300
	with := filler[0]
	before := c.text[max(pos, from-target):from]
	i := strings.LastIndex(before, "](")
	if i >= 0 && !strings.ContainsAny(before[i+2:], ") ") || strings.HasSuffix(before, "=\"") || strings.HasSuffix(before, "='") || strings.HasSuffix(before, "]: ") {
		with = '-'
	}
	for i := from; i < to; i++ {
		if c.out[i] != '\n' {
			c.out[i] = with
		}
	}
}

// withoutFiller returns a text without what stands for marks, and without the blanks that
// stood around them.
func withoutFiller(s string) string {
	if !strings.Contains(s, filler) {
		return s
	}
	var b strings.Builder
	for i, part := range strings.Split(s, filler) {
		if i > 0 && (b.Len() == 0 || strings.HasSuffix(b.String(), " ")) {
			part = strings.TrimLeft(part, " ")
		}
		b.WriteString(part)
	}
	return b.String()
}
