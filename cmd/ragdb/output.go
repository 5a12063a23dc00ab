package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// output is the one place that writes to the terminal.
type output struct {
	stdout, stderr io.Writer
	// err is the first error of writing to stdout.
	err error

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
	if f, ok := stdout.(*os.File); ok && o.outTTY {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
			o.width = min(w, widest)
		}
	}
	return o
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// machine reports whether a program reads the output.
func (o *output) machine() bool { return o.format == asJSON || o.format == asJSONL }

// text reports whether results are told in sentences.
func (o *output) text() bool { return o.format == asTable }

// print writes to stdout.
func (o *output) print(format string, args ...any) {
	if _, err := fmt.Fprintf(o.stdout, format, args...); err != nil && o.err == nil {
		o.err = fmt.Errorf("write the output: %w", err)
	}
}

// json writes a value as one line.
func (o *output) json(v any) {
	enc := json.NewEncoder(o.stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && o.err == nil {
		o.err = fmt.Errorf("write the output: %w", err)
	}
}

// note writes a message for people to stderr, unless they want none or a
// program reads.
func (o *output) note(format string, args ...any) {
	if !o.quiet && !o.machine() {
		fmt.Fprintf(o.stderr, format+"\n", args...)
	}
}

// warn writes what is not as it should be to stderr, even if quiet.
func (o *output) warn(format string, args ...any) {
	if !o.machine() {
		fmt.Fprintf(o.stderr, format+"\n", args...)
	}
}

// failure writes an error to stderr: for people on one line with what to do, and
// the lines of its detail below.
func (o *output) failure(f *failure) {
	if f.told {
		return
	}
	if o.machine() {
		type body struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Hint    string `json:"hint"`
		}
		enc := json.NewEncoder(o.stderr)
		enc.SetEscapeHTML(false)
		// There is nowhere left to report that stderr takes no more.
		_ = enc.Encode(map[string]body{"error": {f.code, f.message, f.hint}})
		return
	}
	line := "ragdb: " + strings.TrimRight(f.message, ".\n")
	if f.hint != "" {
		line += "; " + f.hint
	}
	if o.errTTY {
		line = escape(line)
	}
	fmt.Fprintln(o.stderr, line)
	if f.detail != "" {
		fmt.Fprintln(o.stderr, "  "+strings.ReplaceAll(f.detail, "\n", "\n  "))
	}
}

// clean prepares a text of a document for stdout: on a terminal control
// characters are shown, not obeyed.
func (o *output) clean(s string) string {
	if o.outTTY {
		return escape(s)
	}
	return s
}

// escape writes control characters other than line breaks and tabs, and those
// that change the direction of writing, as \x1b or \u202e.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r >= 0x80 && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// bold and dim mark text where the terminal can.
func (o *output) bold(s string) string { return o.mark("1", s) }
func (o *output) dim(s string) string  { return o.mark("2", s) }

func (o *output) mark(code, s string) string {
	if !o.color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
