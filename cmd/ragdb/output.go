package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
	"golang.org/x/term"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/holder"
)

// output is the one place that writes to the terminal.
type output struct {
	stdout, stderr io.Writer
	// err is the first error of writing to stdout.
	err error
	// once keeps what was said from being said again; nil says everything.
	once *once

	format  format
	quiet   bool
	verbose int
	color   bool // on stdout
	outTTY  bool
	errTTY  bool
	width   int // of stdout, for wrapping
}

// format is a way to print results.
type format string

// The formats.
const (
	asTable    format = "table"
	asLine     format = "line"
	asJSON     format = "json"
	asJSONL    format = "jsonl"
	asCSV      format = "csv"
	asMarkdown format = "markdown"
	asBox      format = "box"
)

func formats() []string {
	return []string{string(asTable), string(asLine), string(asJSON), string(asJSONL), string(asCSV), string(asMarkdown), string(asBox)}
}

// The widths that texts are wrapped at: that of the terminal up to a length
// that reads well, and a fixed one elsewhere.
const (
	widest  = 100
	unknown = 80
)

func newOutput(stdout, stderr io.Writer, env map[string]string) *output {
	o := &output{stdout: stdout, stderr: stderr, format: asTable, width: unknown}
	o.outTTY, o.errTTY = isTerminal(stdout), isTerminal(stderr)
	_, plain := env["NO_COLOR"]
	o.color = o.outTTY && !plain && env["TERM"] != "dumb"
	if w := columnsOf(stdout); w > 20 {
		o.width = min(w, widest)
	}
	return o
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool { return columnsOf(stream) > 0 }

// columnsOf returns the columns of the terminal that a stream is, 1 if it does not tell,
// and 0 if it is none.
func columnsOf(stream any) int {
	switch s := stream.(type) {
	case *os.File:
		if !term.IsTerminal(int(s.Fd())) {
			return 0
		}
		if w, _, err := term.GetSize(int(s.Fd())); err == nil && w > 0 {
			return w
		}
		return 1
	case *tap:
		if s != nil {
			return columnsOf(s.in)
		}
	case *holder.Stream:
		return s.Columns()
	}
	return 0
}

// machine reports whether a program reads the output.
func (o *output) machine() bool { return o.format == asJSON || o.format == asJSONL }

// text reports whether results are told in sentences.
func (o *output) text() bool { return o.format == asTable }

// styled is a text that is ready to be printed: its control characters are
// those that mark it, and those that it came with are escaped.
type styled string

// print writes to stdout. Control characters of its arguments are shown and not
// obeyed, wherever the output goes: names, titles and texts of documents need
// no other care.
func (o *output) print(format string, args ...any) {
	_, err := io.WriteString(o.stdout, sprint(format, args))
	o.fail(err)
}

// checkedWriter writes to the stdout of an output for code that ignores errors of
// writing, as cobra does: the output keeps them.
type checkedWriter struct{ *output }

// Write implements [io.Writer].
func (w checkedWriter) Write(b []byte) (int, error) {
	n, err := w.stdout.Write(b)
	w.fail(err)
	return n, err
}

// fail keeps the first error of writing to stdout.
func (o *output) fail(err error) {
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("write the output: %w", err)
	}
}

// sprint formats arguments, of which texts are escaped if they are not styled.
func sprint(format string, args []any) string {
	clean := make([]any, len(args))
	for i, arg := range args {
		clean[i] = arg
		switch v := arg.(type) {
		case styled:
		case string:
			clean[i] = escape(v)
		case []byte:
			clean[i] = escape(string(v))
		case error:
			clean[i] = escape(v.Error())
		case fmt.Stringer:
			clean[i] = escape(v.String())
		}
	}
	return fmt.Sprintf(format, clean...)
}

// json writes a value as one line.
func (o *output) json(v any) {
	b, err := service.Encode(v)
	if err == nil {
		_, err = o.stdout.Write(append(b, '\n'))
	}
	o.fail(err)
}

// object writes a value if a program reads the output, and reports whether.
func (o *output) object(v any) bool {
	if o.machine() {
		o.json(v)
	}
	return o.machine()
}

// note writes a message for people to stderr, unless they want none or a
// program reads.
func (o *output) note(format string, args ...any) {
	if !o.quiet {
		o.warn(format, args...)
	}
}

// warn writes what is not as it should be to stderr, even if quiet.
func (o *output) warn(format string, args ...any) {
	if line := sprint(format, args); !o.machine() && o.once.first(line) {
		fmt.Fprintln(o.stderr, line)
	}
}

// failure writes an error to stderr: for people on one line with what to do, and
// the lines of its detail below.
func (o *output) failure(f *failure) {
	if f.told || !o.once.first(f.message) {
		return
	}
	if o.machine() {
		type body struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Hint    string `json:"hint"`
		}
		// It is made of strings, and there is nowhere left to report that stderr
		// takes no more.
		b, _ := service.Encode(map[string]body{"error": {f.code, f.message, f.hint}})
		fmt.Fprintf(o.stderr, "%s\n", b)
		return
	}
	line := "ragdb: " + fault.Bound(escape(strings.TrimRight(f.message, ".\n"))) // escapes are longer than what they stand for
	if f.hint != "" {
		line += "; " + fault.Bound(escape(f.hint))
	}
	fmt.Fprintln(o.stderr, line)
	if f.detail != "" {
		fmt.Fprintln(o.stderr, "  "+escape(strings.ReplaceAll(f.detail, "\n", "\n  ")))
	}
}

// escape writes control characters other than line breaks and tabs, and those
// that change the direction of writing, as \x1b or \u202e. What print does to
// its arguments; texts whose width matters are escaped before it is measured.
func escape(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || isHidden(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case isHidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isHidden is [service.IsHidden].
func isHidden(r rune) bool { return service.IsHidden(r) }

// bold and dim mark text if the terminal can.
func (o *output) bold(s string) styled { return o.mark("1", s) }
func (o *output) dim(s string) styled  { return o.mark("2", s) }

func (o *output) mark(code, s string) styled {
	s = escape(s)
	if o.color && s != "" {
		s = "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	return styled(s)
}
