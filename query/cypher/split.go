package cypher

import "strings"

// Piece is a statement of a script.
type Piece struct {
	// Text is the statement without its semicolon, from its first word on: space
	// and comments before it are left out.
	Text string
	// Start is the offset of Text in the script, in bytes, and Line its line,
	// from 1.
	Start, Line int
}

// Split cuts a script into statements, each of which ends in a semicolon
// outside of strings, names in backticks and comments. It leaves out empty
// statements.
//
// Rest is the text after the last semicolon. The script is complete if rest
// holds only space and comments. A shell that reads lines continues to read
// until it is.
func Split(script string) (statements []Piece, rest Piece, complete bool) {
	l := lexer{text: script}
	start, line, counted := -1, 1, 0
	piece := func(end int) Piece {
		line += strings.Count(script[counted:start], "\n")
		counted = start
		return Piece{Text: strings.TrimRight(script[start:end], " \t\r\n"), Start: start, Line: line}
	}
	for {
		t := l.next()
		switch {
		case t.kind == tokEnd:
			if start < 0 {
				start = len(script)
				return statements, piece(len(script)), true
			}
			return statements, piece(len(script)), false
		case t.kind == tokSemicolon:
			if start >= 0 {
				statements = append(statements, piece(t.start))
			}
			start = -1
		case start < 0:
			start = t.start
		}
	}
}
