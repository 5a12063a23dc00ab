package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/peterh/liner"

	"github.com/ragdb/ragdb/internal/holder"
	"github.com/ragdb/ragdb/query/cypher"
)

// lineEditor reads the lines of a shell.
type lineEditor interface {
	// read reads a line; ask reads the answer to a question while a command runs. They
	// give up when ctx ends. Ctrl-C is [liner.ErrPromptAborted], Ctrl-D [io.EOF].
	read(ctx context.Context, prompt string) (string, error)
	ask(ctx context.Context, question string) (string, error)
	// cooked runs fn with the terminal as other programs know it.
	cooked(fn func())
	// remember adds an entry to the history, unless it may hold a key.
	remember(text string)
}

// remoteEditor is the editor of the process whose shell runs here.
type remoteEditor struct{ session *holder.Session }

func (e remoteEditor) read(ctx context.Context, prompt string) (string, error) {
	return e.line(ctx, prompt, false)
}

func (e remoteEditor) ask(ctx context.Context, question string) (string, error) {
	return e.line(ctx, question, true)
}

func (e remoteEditor) line(ctx context.Context, prompt string, answer bool) (string, error) {
	line, err := e.session.Line(ctx, prompt, answer)
	if errors.Is(err, holder.ErrAborted) {
		err = liner.ErrPromptAborted
	}
	return line, err
}

// cooked runs fn: the other process has its terminal so between lines.
func (e remoteEditor) cooked(fn func()) { fn() }

func (e remoteEditor) remember(text string) { e.session.Remember(text) }

// editor reads lines at a terminal, with a history that outlives the shell. It
// asks nothing of the terminal, so that one which never answers does no harm.
type editor struct {
	line *liner.State
	// normal is the terminal as it was found, raw as lines are edited in it.
	normal, raw liner.ModeApplier
	path        string // of the history, "" for none
	// pending is a read that was given up and still waits for its line.
	pending chan typedLine

	mu       sync.Mutex
	complete liner.WordCompleter
}

// historyLines is how many lines of history are kept.
const historyLines = liner.HistoryLimit

// newEditor begins to edit lines. Its history is in a folder, "" for none.
func newEditor(dir string, complete liner.WordCompleter) *editor {
	e := &editor{}
	e.normal, _ = liner.TerminalMode() // an error leaves no mode to return to
	e.line = liner.NewLiner()
	e.raw, _ = liner.TerminalMode()
	e.line.SetCtrlCAborts(true)
	e.line.SetMultiLineMode(true)
	e.line.SetTabCompletionStyle(liner.TabPrints)
	e.complete = complete
	e.line.SetWordCompleter(func(line string, pos int) (string, []string, string) {
		e.mu.Lock()
		complete := e.complete
		e.mu.Unlock()
		return complete(line, pos)
	})
	if dir != "" {
		e.path = filepath.Join(dir, "history")
		e.load()
	}
	return e
}

// resume goes on after another shell, whose line may still be waited for.
func (e *editor) resume(complete liner.WordCompleter) {
	e.mu.Lock()
	e.complete = complete
	e.mu.Unlock()
	if e.raw != nil {
		_ = e.raw.ApplyMode() // a mode that cannot be set leaves the one that is
	}
}

// close returns the terminal to what it was.
func (e *editor) close() error { return e.line.Close() }

// read reads a line. It gives up when the context ends: the goroutine that waits
// for a key is left, and the line that it gets is that of the next read.
func (e *editor) read(ctx context.Context, prompt string) (string, error) {
	if e.pending == nil {
		done := make(chan typedLine, 1)
		e.pending = done
		go func() {
			line, err := e.line.Prompt(prompt)
			done <- typedLine{line, err}
		}()
	} else {
		fmt.Print(prompt) // as the editor does, on the terminal
	}
	select {
	case r := <-e.pending:
		e.pending = nil
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// typedLine is what was typed at a prompt.
type typedLine struct {
	line string
	err  error
}

// ask reads the answer to a question while a command runs, for which the
// terminal is as other programs know it. Ctrl-C is [liner.ErrPromptAborted].
func (e *editor) ask(ctx context.Context, question string) (string, error) {
	if e.normal != nil && e.raw != nil {
		_ = e.raw.ApplyMode()
		defer func() { _ = e.normal.ApplyMode() }()
	}
	return e.read(ctx, question)
}

// cooked runs fn with the terminal as other programs know it: keys are echoed,
// and Ctrl-C is a signal.
func (e *editor) cooked(fn func()) {
	// A mode that cannot be set leaves the one that is.
	if e.normal != nil && e.raw != nil {
		_ = e.normal.ApplyMode()
		defer func() { _ = e.raw.ApplyMode() }()
	}
	fn()
}

// remember adds an entry to the history, unless it may hold a key.
func (e *editor) remember(text string) {
	text = historyLine(text)
	if text == "" || strings.Contains(strings.ToLower(text), "api_key") || strings.Contains(text, "postgres://") || strings.Contains(text, "postgresql://") {
		return
	}
	e.line.AppendHistory(text)
	if e.path == "" {
		return
	}
	// A history that cannot be written is none: the session goes on.
	if os.MkdirAll(filepath.Dir(e.path), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(e.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString(text + "\n")
}

// load reads the history, and shortens its file if it has grown long.
func (e *editor) load() {
	b, err := os.ReadFile(e.path)
	if err != nil {
		return
	}
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	if len(lines) > 2*historyLines {
		lines = lines[len(lines)-historyLines:]
		tmp := e.path + ".new"
		if os.WriteFile(tmp, []byte(strings.Join(lines, "\n")+"\n"), 0o600) == nil {
			_ = os.Rename(tmp, e.path)
		}
	}
	for _, l := range lines[max(0, len(lines)-historyLines):] {
		// ReadHistory refuses all of a file for one line that is not text.
		_, _ = e.line.ReadHistory(bufio.NewReader(strings.NewReader(l + "\n")))
	}
}

// historyLine brings an entry to one line that means the same: line breaks in
// strings are written as \n, comments are left out.
func historyLine(text string) string {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "\n") {
		return text
	}
	return cypher.OneLine(text)
}
