package cypher

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/fault"
)

// SyntaxError is an error in the text of a statement or a condition, with its
// place. It is always a pointer.
type SyntaxError struct {
	// Line and Column are counted from 1; columns are characters.
	Line, Column int
	// Near is the text at the place, "" at the end of the statement.
	Near string
	// Message is a sentence that describes the error.
	Message string
	// Code is the name that openCypher's compatibility kit gives to the error,
	// such as UndefinedVariable.
	Code string
	// Unsupported marks text that may be Cypher or GQL but is not in the
	// subset. Message then begins with "not supported: ".
	Unsupported bool
	// Incomplete marks a text that ends too early: more text could make it
	// valid.
	Incomplete bool

	text       string
	start, end int // of Near in text, in bytes
	typeError  bool
}

// newSyntaxError returns an error of a place in a text.
func newSyntaxError(text string, start, end int, code, message string) *SyntaxError {
	e := &SyntaxError{Message: fault.Bound(message), Code: code, text: text, start: start, end: end}
	head := text[:start]
	e.Line = 1 + strings.Count(head, "\n")
	e.Column = 1 + utf8.RuneCountInString(head[strings.LastIndexByte(head, '\n')+1:])
	e.Near = text[start:end]
	return e
}

// Error returns the place and the message, without the text.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Type returns the type that openCypher's compatibility kit gives to the error:
// TypeError for a property of a number, ProcedureError for an unknown procedure, ParameterMissing if CALL lacks a parameter,
// else SyntaxError.
func (e *SyntaxError) Type() string {
	switch {
	case e.typeError:
		return "TypeError"
	case e.Code == "ProcedureNotFound":
		return "ProcedureError"
	case e.Code == "MissingParameter":
		return "ParameterMissing"
	}
	return "SyntaxError"
}

// Is reports whether target is [engine.ErrInvalid].
func (e *SyntaxError) Is(target error) bool { return target == engine.ErrInvalid }

// caretWidth is how many columns of a long line Caret shows.
const caretWidth = 76

// Caret returns the line of the error, and a line below it with a caret under
// each column of the place. A long line is cut around it. Tabs are shown as
// spaces, and characters that would move a terminal's cursor as "·".
func (e *SyntaxError) Caret() string {
	lineStart := strings.LastIndexByte(e.text[:e.start], '\n') + 1
	line := e.text[lineStart:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	line = strings.TrimRight(line, "\r")
	from := min(e.start-lineStart, len(line))
	to := max(min(e.end-lineStart, len(line)), from)

	before, place, after := shownLine(line[:from]), shownLine(line[from:to]), shownLine(line[to:])
	place = cutEnd(place, caretWidth)
	room := caretWidth - columns(place)
	if columns(before)+columns(after) > room {
		// Give most of the room to the text before the place.
		keep := max(room-columns(after), room*2/3)
		if columns(before) > keep {
			before = "…" + cutStart(before, keep-1)
		}
		after = cutEnd(after, room-columns(before))
	}
	return before + place + after + "\n" +
		strings.Repeat(" ", columns(before)) + strings.Repeat("^", max(1, columns(place)))
}

// shownLine replaces the characters of a text that a terminal does not show in
// columns.
func shownLine(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case unicode.IsControl(r), unicode.In(r, unicode.Bidi_Control), r == utf8.RuneError:
			b.WriteString("·")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// shownBegin returns the first columns of a text as a terminal shows them. Of a
// long text it reads the beginning only.
func shownBegin(s string, columns int) string {
	return cutEnd(shownLine(begin(s, 16*columns)), columns)
}

// begin returns the characters of a text that begin in the first n bytes.
func begin(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return s[:n]
}

// columns returns the columns of a terminal that a text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cutEnd returns the first columns of a text. If it cuts the text, the last
// column is "…".
func cutEnd(s string, n int) string {
	if columns(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		used += runeColumns(r)
		if used >= n {
			return s[:i] + "…"
		}
	}
	return s
}

// cutStart returns the last columns of a text.
func cutStart(s string, n int) string {
	over := columns(s) - n
	for i, r := range s {
		if over <= 0 {
			return s[i:]
		}
		over -= runeColumns(r)
	}
	return ""
}
