package openai

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// maxReply bounds the text of a reply, and a line and a value of what it comes in, in
// bytes.
const maxReply = 16 << 20

// maxOther bounds what is kept of the lines that hold no value, in bytes.
const maxOther = 1 << 10

// events reads the values of a reply in the order in which they come: those of an
// event stream, those of lines of JSON, or the one that is the whole reply. Lines
// end with CR, LF or both.
type events struct {
	r  *bufio.Reader
	cr bool // the last line ended with CR, whose LF may follow

	line []byte // the line that was read last
	rest []byte // what follows a value in it
	data []byte // the value
	open brackets
	bare bool // the value is in no event

	any   bool   // a line was read
	other []byte // the beginning of the lines that hold no value
}

func newEvents(r io.Reader) *events { return &events{r: bufio.NewReader(r)} }

// next returns the next value, which is good until the next call. bare says that it
// is in no event of a stream. A value that begins like JSON ends where its brackets
// close: not all servers put an empty line behind an event. The error is [io.EOF] at
// the end of the reply, and that of its reader.
func (e *events) next() (data []byte, bare bool, err error) {
	e.data, e.open, e.bare = e.data[:0], brackets{}, false
	for {
		line, err := e.nextLine()
		if err == io.EOF && len(e.data) > 0 {
			if e.open.depth > 0 {
				return nil, false, io.ErrUnexpectedEOF
			}
			return e.data, e.bare, nil
		}
		if err != nil {
			return nil, false, err
		}
		value, ok := e.value(line)
		switch {
		case ok:
			if e.add(value) {
				return e.data, e.bare, nil
			}
		case len(line) == 0 && len(e.data) > 0:
			return e.data, false, nil
		}
		if len(e.data) > maxReply {
			return nil, false, fmt.Errorf("a part of the answer is longer than %d bytes", maxReply)
		}
	}
}

// value returns what a line holds of a value.
func (e *events) value(line []byte) (_ []byte, ok bool) {
	if e.bare {
		return line, true
	}
	if s := bytes.TrimLeft(line, " \t"); len(e.data) == 0 && len(s) > 0 && (s[0] == '{' || s[0] == '[') {
		e.bare = true
		return s, true
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "data", "error": // llama.cpp has a field for errors
		return bytes.TrimLeft(value, " \t"), true
	case "", "event", "id", "retry":
	default:
		e.keep(line)
	}
	return nil, false
}

// add puts a part behind the others and reports whether the value is complete.
func (e *events) add(part []byte) bool {
	if len(e.data) > 0 {
		e.data = append(e.data, '\n')
	}
	n, closed := e.open.scan(part)
	e.data = append(e.data, part[:n]...)
	e.rest = bytes.TrimLeft(part[n:], " \t,")
	return closed
}

// keep notes a line that holds no value.
func (e *events) keep(line []byte) {
	if n := min(len(line), maxOther-len(e.other)); n > 0 {
		e.other = append(append(e.other, line[:n]...), '\n')
	}
}

// nextLine returns the next line without its end.
func (e *events) nextLine() ([]byte, error) {
	if rest := e.rest; len(rest) > 0 {
		e.rest = nil
		return rest, nil
	}
	e.line = e.line[:0]
	for {
		_, err := e.r.Peek(1) // waits until something comes
		if err == io.EOF && len(e.line) > 0 {
			return e.whole(), nil
		}
		if err != nil {
			return nil, err
		}
		came, _ := e.r.Peek(e.r.Buffered())
		if e.cr && came[0] == '\n' {
			came = came[1:]
			e.r.Discard(1)
		}
		e.cr = false
		n := bytes.IndexAny(came, "\r\n")
		if n < 0 {
			e.line = append(e.line, came...)
			e.r.Discard(len(came))
			if len(e.line) > maxReply {
				return nil, fmt.Errorf("a line of the answer is longer than %d bytes", maxReply)
			}
			continue
		}
		e.line, e.cr = append(e.line, came[:n]...), came[n] == '\r'
		e.r.Discard(n + 1)
		return e.whole(), nil
	}
}

// whole returns the line that was read, the first one without a byte order mark.
func (e *events) whole() []byte {
	line := e.line
	if !e.any {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	e.any = true
	return line
}

// brackets finds where a JSON value that begins with a bracket ends.
type brackets struct {
	depth                 int
	begun, plain          bool // plain: it does not begin with a bracket
	inString, afterEscape bool
}

// scan reads a further part of a value and returns how much of it belongs to the
// value, and whether the value is closed.
func (b *brackets) scan(part []byte) (n int, closed bool) {
	for i, c := range part {
		switch {
		case b.plain:
			return len(part), false
		case b.afterEscape:
			b.afterEscape = false
		case b.inString:
			b.inString, b.afterEscape = c != '"', c == '\\'
		case c == ' ' || c == '\t':
		case c == '{' || c == '[':
			b.begun = true
			b.depth++
		case !b.begun:
			b.plain = true
		case c == '"':
			b.inString = true
		case c == '}' || c == ']':
			if b.depth--; b.depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(part), false
}
