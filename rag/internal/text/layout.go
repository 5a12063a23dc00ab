package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Span is a piece of a text: the bytes text[Start:End].
type Span struct {
	Start, End int
}

// A paragraph is the largest piece of text that a chunk should not cut, and
// that a sentence never crosses. Its span has no white space at its ends.
type paragraph struct {
	Span
	heading bool // a Markdown heading, or the title that opens a text
	apart   bool // a blank line, a heading or nothing stands before it
	leads   bool // it belongs with the paragraph below it, see leadIn
	part    int  // number of the table or code that it is a line of, 0 for none
}

// maxTitle is the length in bytes of the longest title line.
const maxTitle = 200

// paragraphs returns the paragraphs of s in order; together they hold all of
// it but white space. A paragraph is a line, with these exceptions:
//
//   - Hard-wrapped lines are one paragraph, see [wrap].
//   - Lines between ``` or ~~~ fences are never headings nor joined.
//
// A line that starts with one to six # and a blank is a heading; a single #,
// which also opens comments of program text, only at the start, after a blank
// line or after a heading. The first line is a heading, too, if it looks like
// a title: more text follows, it ends without a full stop and has at most 200
// bytes. Linear time.
func paragraphs(s string) []paragraph {
	l := layout{s: s, apart: true}
	afterBlank := true
	fence := ""
	for i := 0; i < len(s); {
		end := i + strings.IndexAny(s[i:], "\r\n")
		next := end + 1
		if end < i {
			end, next = len(s), len(s)
		}
		line := trim(s, Span{i, end})
		body := s[line.Start:line.End]
		switch {
		case body == "":
			// The two bytes of \r\n look like an empty line between them.
			if i == 0 || s[i] != '\n' || s[i-1] != '\r' {
				l.flush()
				afterBlank, l.apart = true, true
			}
			i = next
			continue
		case fence != "":
			l.flush()
			l.group = append(l.group, line)
			l.flush()
			if strings.HasPrefix(body, fence) {
				fence = ""
			}
		case strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~"):
			l.flush()
			l.group = append(l.group, line)
			l.flush()
			fence = body[:3]
		case headingLevel(body) > 1,
			headingLevel(body) == 1 && (afterBlank || l.afterHeading()):
			l.flush()
			l.add(line, true)
		case isListItem(body), body[0] == '|':
			l.flush()
			l.group = append(l.group, line)
		default:
			l.group = append(l.group, line)
		}
		afterBlank = false
		i = next
	}
	l.flush()
	if len(l.out) > 1 {
		first := s[l.out[0].Start:l.out[0].End]
		if len(first) <= maxTitle && !strings.ContainsAny(first, "\r\n") && !endsSentence(first) && !isListItem(first) {
			l.out[0].heading = true
		}
	}
	markLeads(s, l.out)
	return l.out
}

// A layout collects paragraphs. The group holds lines that may belong to one
// hard-wrapped paragraph.
type layout struct {
	s     string
	group []Span
	apart bool // before the next paragraph
	out   []paragraph
}

// add adds a paragraph.
func (l *layout) add(sp Span, heading bool) {
	l.out = append(l.out, paragraph{Span: sp, heading: heading, apart: l.apart})
	l.apart = heading
}

func (l *layout) afterHeading() bool {
	return len(l.group) == 0 && len(l.out) > 0 && l.out[len(l.out)-1].heading
}

// flush turns the group into paragraphs.
func (l *layout) flush() {
	if len(l.group) == 0 {
		return
	}
	start := l.group[0].Start
	for k, soft := range softBreaks(l.s, l.group) {
		if !soft {
			l.add(Span{start, l.group[k].End}, false)
			start = l.group[k+1].Start
		}
	}
	l.add(Span{start, l.group[len(l.group)-1].End}, false)
	l.group = l.group[:0]
}

// headingLevel returns the number of # before a Markdown heading, or 0.
func headingLevel(line string) int {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n > 6 || n == len(line) || line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return n
}

// isListItem reports whether a line opens with a bullet or an enumerator such
// as "-", "•", "12." or "b)".
func isListItem(line string) bool {
	for _, bullet := range []string{"- ", "* ", "+ ", "• ", "– ", "· "} {
		if strings.HasPrefix(line, bullet) {
			return true
		}
	}
	n := 0
	for n < len(line) && n < 3 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	if n == 0 && len(line) > 0 && line[0] >= 'a' && line[0] <= 'z' {
		n = 1
	}
	return n > 0 && n+1 < len(line) && (line[n] == '.' || line[n] == ')') && line[n+1] == ' '
}

// endsSentence reports whether s ends with a mark that ends a sentence or
// announces what follows, perhaps inside closing quotes or brackets.
func endsSentence(s string) bool {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if isTerminator(r) || r == ':' || r == ';' {
			return true
		}
		if !isCloser(r) {
			return false
		}
		s = s[:len(s)-n]
	}
	return false
}

// trim returns the span without white space at its ends.
func trim(s string, sp Span) Span {
	body := strings.TrimRightFunc(s[sp.Start:sp.End], unicode.IsSpace)
	left := strings.TrimLeftFunc(body, unicode.IsSpace)
	return Span{sp.Start + len(body) - len(left), sp.Start + len(body)}
}
