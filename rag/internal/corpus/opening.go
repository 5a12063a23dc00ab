package corpus

import (
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// The bounds of what is put before a chunk that begins inside a table or code.
const (
	openingBytes = 400
	openingLines = 6
)

// opening finds what a chunk needs from above it in the table or code in which it
// begins. It is asked for chunks in their order, and reads the text once.
type opening struct {
	o     *Outline
	text  string
	block int // of the outline
	at    int // begin of the next line to read of the block
	open  []openLine
}

// openLine is a line of code that opens what is nested in it.
type openLine struct {
	indent int
	line   string
}

// of returns what stands above a byte, which ends in a line break and the
// indentation of the byte's line: the header of the table, or the lines of code that the line is nested in.
func (x *opening) of(start int) string {
	for x.block < len(x.o.blocks) && x.o.blocks[x.block].Start <= start {
		x.at, x.open = x.o.blocks[x.block].Start, x.open[:0]
		x.block++
	}
	if x.block == 0 {
		return ""
	}
	b := x.o.blocks[x.block-1]
	line := start - len(indentBefore(x.text, start))
	switch {
	case b.Kind == text.Table:
		if head, _, ok := strings.Cut(x.text[b.Start:start], "\n"); ok && len(head) <= openingBytes {
			return head + "\n"
		}
	case b.Kind == text.Code && b.Start < line:
		return x.nesting(line, start)
	}
	return ""
}

// nesting returns the lines that the line of code from line on is nested in, and its
// indentation before the byte start.
func (x *opening) nesting(line, start int) string {
	for x.at < line {
		s, _, _ := strings.Cut(x.text[x.at:line], "\n")
		x.at += len(s) + 1
		body := strings.TrimSpace(s)
		if body == "" || body[0] == '#' || strings.HasPrefix(body, "//") {
			continue
		}
		x.close(len(s) - len(strings.TrimLeft(s, " \t")))
		switch {
		case s[0] == '[' && strings.HasSuffix(body, "]") && !strings.Contains(body, ","): // [section]
			x.open = append(x.open[:0], openLine{-1, s})
		case strings.IndexByte(":{([", body[len(body)-1]) >= 0:
			x.open = append(x.open, openLine{len(s) - len(strings.TrimLeft(s, " \t")), s})
		}
	}
	x.close(start - line)
	n := 0
	var lines []string
	for _, l := range x.open[max(0, len(x.open)-openingLines):] {
		if n += len(l.line); n > openingBytes {
			return ""
		}
		lines = append(lines, l.line+"\n")
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "") + x.text[line:start]
}

// close ends what does not hold a line of some indentation.
func (x *opening) close(indent int) {
	for n := len(x.open); n > 0 && x.open[n-1].indent >= indent; n-- {
		x.open = x.open[:n-1]
	}
}

// indentBefore returns the blanks before a byte on its line.
func indentBefore(s string, at int) string {
	from := len(strings.TrimRight(s[max(0, at-openingBytes):at], " \t"))
	return s[max(0, at-openingBytes)+from : at]
}
