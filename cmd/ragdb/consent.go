package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/peterh/liner"
)

// removal is what a command is about to remove: n of total things.
type removal struct {
	n, total int
	// what names the things in the singular.
	what string
	// named says that the user wrote the name of each: then a few may go even if
	// they are all.
	named bool
}

// count writes how many things would go.
func (r removal) count() string { return plural(r.n, r.what) }

// The bounds of a removal that scripts may do without --yes.
const (
	// fewRemoved things may go, whatever share they are, unless they are all.
	fewRemoved = 5
	// removedShare is the share, one in so many, that may go in any case.
	removedShare = 5
)

// large reports whether a removal is one that the user has to agree to: more
// than a fifth of the things and more than five, or all of them.
func (r removal) large() bool {
	many := r.n > fewRemoved && r.n*removedShare > r.total
	return many || r.n > 0 && r.n == r.total && !r.named
}

// mayRemove is the one rule for removals. With --yes they are allowed. At a
// terminal the question is asked. Elsewhere a large removal is refused, with
// what to do, and a small one is allowed.
func (a *app) mayRemove(ctx context.Context, r removal, hint, question string, args ...any) error {
	if r.n == 0 || a.global.yes {
		return nil
	}
	if !a.canAsk() && r.large() {
		many := fmt.Sprintf("%s of %s", number(r.n), plural(r.total, r.what))
		if r.n == r.total {
			many = "all " + plural(r.total, r.what)
		}
		if r.total == 1 {
			many = "the only " + r.what
		}
		return &failure{exit: exitUsage, code: "consent", message: "this would remove " + many + "; nothing was changed", hint: hint}
	}
	return a.agree(ctx, "nothing was removed", question, args...)
}

// mayReplace refuses to write over a file, unless --yes is given or a person at
// a terminal agrees.
func (a *app) mayReplace(ctx context.Context, path string) error {
	if _, err := a.dir.lstat(path); err != nil || a.global.yes {
		return nil // it is free, or writing will tell why it cannot be written
	}
	if !a.canAsk() {
		return &failure{exit: exitFailed, code: "exists", message: path + " exists already", hint: "give another name, or --yes to replace it"}
	}
	return a.agree(ctx, path+" was left as it is", "Overwrite %s?", path)
}

// mayWrite is mayReplace for the files that a long run ends with, before it begins;
// "" is none.
func (a *app) mayWrite(ctx context.Context, paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := a.mayReplace(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// canAsk reports whether a person is there to answer a question.
func (a *app) canAsk() bool { return isTerminal(a.stdin) && a.out.errTTY }

// agree asks a yes-or-no question at a terminal; elsewhere, and with --yes, the
// answer is yes. A no is a failure that says what was left undone. An interrupt
// ends the question at once.
func (a *app) agree(ctx context.Context, declined, format string, args ...any) error {
	if a.global.yes || !a.canAsk() {
		return nil
	}
	read := a.readLine
	if read == nil {
		read = a.readStdin
	}
	line, err := read(ctx, escape(fmt.Sprintf(format, args...))+" [y/N] ")
	switch {
	case errors.Is(err, liner.ErrPromptAborted), ctx.Err() != nil:
		fmt.Fprintln(a.out.stderr) // after the ^C of the terminal
		return &failure{exit: exitInterrupted, code: "interrupted", message: "interrupted: " + declined, err: err}
	case err != nil && !errors.Is(err, io.EOF):
		return err
	}
	line = strings.ToLower(strings.TrimSpace(line))
	if line == "y" || line == "yes" {
		return nil
	}
	return &failure{exit: exitFailed, code: "declined", message: declined}
}

// readStdin prints a question and reads a line. It gives up when the context
// ends: the goroutine that waits for the line is left to the end of the process.
func (a *app) readStdin(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.out.stderr, question)
	type result struct {
		line string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		line, err := bufio.NewReader(a.stdin).ReadString('\n')
		done <- result{line, err}
	}()
	select {
	case r := <-done:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
