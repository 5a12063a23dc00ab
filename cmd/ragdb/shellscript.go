package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ragdb/ragdb/query/cypher"
)

// script is what -c or -f gave.
type script struct {
	text string // of -c
	file string // of -f
}

// scriptFlag adds to the scripts of -c and -f, in the order in which they are
// given.
type scriptFlag struct {
	scripts *[]script
	file    bool
}

func (f *scriptFlag) String() string { return "" }

// Set implements pflag.Value.
func (f *scriptFlag) Set(s string) error {
	if f.file {
		*f.scripts = append(*f.scripts, script{file: s})
	} else {
		*f.scripts = append(*f.scripts, script{text: s})
	}
	return nil
}

// Type implements pflag.Value.
func (f *scriptFlag) Type() string { return "TEXT" }

// runScripts runs what -c and -f gave, or else standard input.
func (sh *shell) runScripts(ctx context.Context) error {
	if len(sh.flags.scripts) == 0 {
		return sh.runReader(ctx, sh.a.stdin, "")
	}
	var first error // told, if errors do not end the scripts
	for _, s := range sh.flags.scripts {
		var err error
		switch {
		case s.file == "-":
			err = sh.runReader(ctx, sh.a.stdin, "")
		case s.file != "":
			err = sh.runFile(ctx, s.file)
		default:
			err = sh.runReader(ctx, strings.NewReader(s.text), "")
		}
		var told *failure
		switch {
		case errors.As(err, &told) && told.told:
			if first == nil {
				first = err
			}
			if errors.Is(err, errQuit) {
				return first
			}
		case errors.Is(err, errQuit):
			return first
		case err != nil:
			return err
		}
	}
	return first
}

func (sh *shell) runFile(ctx context.Context, name string) error {
	f, err := sh.a.dir.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return sh.runReader(ctx, f, name)
}

// runReader runs the entries of a script. Name is that of its file, for
// messages. It stops at the first error, or tells all of them and returns the
// first.
func (sh *shell) runReader(ctx context.Context, r io.Reader, name string) error {
	if r == nil {
		return nil
	}
	var first *failure
	in := &input{name: name}
	each := func(entries []entry) error {
		for _, e := range entries {
			err := sh.dispatch(ctx, e)
			switch {
			case err == nil:
			case sh.bail || errors.Is(err, errQuit) || ctx.Err() != nil || sh.a.out.err != nil:
				return err
			default:
				f := sh.a.explain(err)
				sh.a.out.failure(f)
				if first == nil {
					first = &failure{exit: f.exit, code: f.code, message: f.message, told: true, err: err}
				}
			}
		}
		return nil
	}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if eerr := each(in.add(line)); eerr != nil {
			return quitOr(eerr, first)
		}
		if err == io.EOF {
			break
		}
	}
	if err := each(in.rest()); err != nil {
		return quitOr(err, first)
	}
	if first != nil {
		return first
	}
	return nil
}

// quitOr returns the error that a script ends with: of one that was left on
// purpose, the first that was told, which is errQuit too.
func quitOr(err error, first *failure) error {
	if errors.Is(err, errQuit) && first != nil {
		first.err = errors.Join(errQuit, first.err)
		return first
	}
	return err
}

// entry is something to run.
type entry struct {
	kind entryKind
	text string // of a question, without the question mark in front
	// Where it stands: the name of a file or "", the line from 1, and the
	// columns before it on that line.
	file         string
	line, indent int
}

// entryKind says what an entry is.
type entryKind uint8

const (
	entryStatement entryKind = iota
	entryCommand
	entryQuestion
)

// input cuts lines into entries. A command and a question take one line;
// a statement goes on to its semicolon.
type input struct {
	name    string
	pending string // a statement that has not ended
	line    int    // of where pending begins, from 1
	indent  int    // columns before it on that line
	read    int    // lines
}

// open reports whether a statement has begun and not ended.
func (in *input) open() bool { return in.pending != "" }

// drop forgets the statement that has begun.
func (in *input) drop() { in.pending = "" }

// add takes a line and returns the entries that it completes.
func (in *input) add(line string) []entry {
	in.read++
	if in.pending == "" {
		in.line, in.indent = in.read, 0
		trimmed := strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(trimmed, "?"); ok {
			return []entry{{kind: entryQuestion, text: strings.TrimSpace(rest), file: in.name, line: in.read}}
		}
		if strings.HasPrefix(trimmed, ".") || strings.HasPrefix(trimmed, ":") {
			return []entry{{kind: entryCommand, text: trimmed, file: in.name, line: in.read}}
		}
	}
	begins := in.pending == ""
	in.pending += strings.TrimRight(line, "\r\n") + "\n"
	// Only these can end a statement, or what is not a statement at all.
	if !begins && !strings.Contains(line, ";") && !strings.Contains(line, "*/") {
		return nil
	}
	statements, rest, complete := cypher.Split(in.pending)
	out := in.entries(statements)
	if complete {
		in.pending = ""
		return out
	}
	if len(statements) > 0 {
		in.indent = in.column(rest.Start)
		in.line += rest.Line - 1
		in.pending = in.pending[rest.Start:]
	}
	return out
}

// rest returns the statement without a semicolon at the end of a script.
func (in *input) rest() []entry {
	statements, rest, complete := cypher.Split(in.pending)
	if !complete {
		statements = append(statements, rest)
	}
	out := in.entries(statements)
	in.pending = ""
	return out
}

func (in *input) entries(statements []cypher.Piece) []entry {
	var out []entry
	for _, p := range statements {
		out = append(out, entry{text: p.Text, file: in.name, line: in.line + p.Line - 1, indent: in.column(p.Start)})
	}
	return out
}

// column returns how many characters stand before a place of pending on its
// line.
func (in *input) column(at int) int {
	before := in.pending[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	n := utf8.RuneCountInString(before[start:])
	if start == 0 {
		n += in.indent
	}
	return n
}
