package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peterh/liner"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/holder"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/stores"
)

// client is the process that the user started, while it may have its command run by the
// process that holds the database.
type client struct {
	args, env []string
	stdin     *tap // nil if there is no standard input
	// editor is that of the shell, which may go on in another process; nil before it.
	editor *editor
	// interrupts are those for an attached command.
	interrupts chan bool
	// greeted says that the program of a model has been answered already when the server of
	// tools is started again: the first answer is not for it.
	greeted bool
}

func newClient(args, env []string, stdin io.Reader) *client {
	c := &client{args: args, env: env, interrupts: make(chan bool, 8)}
	if stdin != nil {
		c.stdin = &tap{in: stdin}
	}
	return c
}

// close returns the terminal to what it was.
func (c *client) close() error {
	if c.editor == nil {
		return nil
	}
	return c.editor.close()
}

// lineEditor returns the editor of the shell's lines. Its history is in a folder.
func (c *client) lineEditor(dir string, complete liner.WordCompleter) *editor {
	if c.editor == nil {
		c.editor = newEditor(dir, complete)
	} else {
		c.editor.resume(complete)
	}
	return c.editor
}

// What commands are to each other. Commands that are not here take a moment, or as long as
// a model takes to answer.
var (
	// longCommands may take hours: they do not attach to one that ends soon.
	longCommands = []string{"index", "sync", "retry", "reembed", "import", "export", "backup", "check", "compact", "upgrade", "demo", "merge", "cache", "watch", "serve", "mcp"}
	// resumableCommands go on where they were if they are started again.
	resumableCommands = []string{"index", "sync", "retry", "reembed", "watch", "serve", "mcp"}
)

// longLived reports whether the command may take hours.
func (a *app) longLived() bool { return a.interactive || slices.Contains(longCommands, a.name) }

// mayAttach reports whether the command may run in the process that holds a database.
func (a *app) mayAttach(path string) bool {
	return a.client != nil && !a.global.noAttach && path != "" && path != engine.Memory && !stores.OnServer(path)
}

// attachEarly runs the command in the process that holds the database, if one answers,
// and reports whether it did. The error is how the command ended.
func (a *app) attachEarly(ctx context.Context, path string) (bool, error) {
	if !a.mayAttach(path) {
		return false, nil
	}
	about, err := holder.Look(ctx, a.dir.path(path))
	if err != nil || a.waitsFor(about) {
		return false, nil // opening the database tells more
	}
	return a.attachTo(ctx, path)
}

// waitsFor reports whether the command waits for the end of a holder's.
func (a *app) waitsFor(h *holder.About) bool { return h.Ending || h.Brief && a.longLived() }

// How a locked database is waited for.
const (
	// startsWithin is how long a process that opens a database may need until it answers.
	startsWithin = 2 * time.Second
	// closesWithin is how long one that has answered may need to close it.
	closesWithin = time.Minute
	lockedEvery  = 30 * time.Millisecond
	// waitQuietly is how long a command waits for others before it says so.
	waitQuietly = time.Second
)

// whenLocked opens a database that another process holds: it has the command run there, or
// waits if that is about to end. The error is refused, with a reason, if neither is
// possible.
func (a *app) whenLocked(ctx context.Context, path string, refused error, open func() (*engine.DB, error)) (*engine.DB, error) {
	began := time.Now()
	until, told := began.Add(startsWithin), false
	pid, answered := pidOf(refused), 0
	for {
		now := pidOf(refused)
		if now != pid { // another process has it
			pid, until = now, time.Now().Add(startsWithin)
		}
		about, err := holder.Look(ctx, a.dir.path(path))
		switch {
		case errors.Is(err, holder.ErrUser), errors.Is(err, holder.ErrProtocol):
			return nil, a.locked(refused, err)
		case err == nil && a.waitsFor(about):
			answered = about.PID
			if !told && time.Since(began) > waitQuietly {
				told = true
				a.out.note("waiting for process %d (ragdb %s) to end", about.PID, about.Command)
			}
		case err == nil:
			if done, err := a.attachTo(ctx, path); done {
				return nil, err
			}
		case now != 0 && now == answered:
			until, answered = time.Now().Add(closesWithin), 0
		case time.Now().After(until):
			return nil, refused
		}
		select {
		case <-time.After(lockedEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		db, err := open()
		if !errors.Is(err, kv.ErrLocked) {
			return db, err
		}
		refused = err
	}
}

// pidOf returns the process that holds a locked database, 0 if the system does not tell.
func pidOf(refused error) int {
	var l *kv.LockedError
	if errors.As(refused, &l) {
		return l.PID
	}
	return 0
}

// locked is the error of a database that another process holds and does not share.
func (a *app) locked(refused, why error) error {
	f := *a.explain(refused)
	if errors.Is(why, holder.ErrProtocol) {
		f.message += ", which is a ragdb of another version, so that this command cannot work through it"
	} else {
		f.message += ", which belongs to another user, so that this command cannot work through it"
	}
	return &f
}

// attachTo runs the command in the process that holds a database, and reports whether that
// took it. The error is how the command ended.
func (a *app) attachTo(ctx context.Context, path string) (bool, error) {
	c := a.client
	dir, err := a.dir.abs(".")
	if err != nil {
		return false, nil
	}
	start := holder.Start{Args: c.args, Env: c.env, Dir: dir, PID: os.Getpid(), In: columnsOf(a.stdin), Out: columnsOf(a.out.stdout), Err: columnsOf(a.out.stderr)}
	local := holder.Local{Read: c.read, Stdout: a.out.stdout, Stderr: a.out.stderr, Interrupts: c.interrupts,
		Line: func(ctx context.Context, prompt string, _ bool, complete holder.Completer) (string, error) {
			line, err := c.lineEditor(a.stateDir(), liner.WordCompleter(complete)).ask(ctx, prompt)
			if errors.Is(err, liner.ErrPromptAborted) {
				err = holder.ErrAborted
			}
			return line, err
		},
		Remember: func(text string) {
			if c.editor != nil {
				c.editor.remember(text)
			}
		}}
	c.stdin.attach()
	a.interrupts.forward(func(end bool) {
		select {
		case c.interrupts <- end:
		default: // there are enough of them
		}
	})
	defer a.interrupts.forward(nil)
	// Its time limit and its interrupts are those of the command there.
	code, err := holder.Attach(context.WithoutCancel(ctx), a.dir.path(path), start, local)
	var written *holder.WriteError
	switch {
	case errors.Is(err, holder.ErrNobody), errors.Is(err, holder.ErrEnding), errors.Is(err, holder.ErrUser), errors.Is(err, holder.ErrProtocol):
		return false, nil
	case errors.Is(err, holder.ErrGone):
		return true, goneFailure(path, err)
	case errors.Is(err, holder.ErrStopped):
		fmt.Fprintln(a.out.stderr) // after the ^C of the terminal
		return true, &failure{exit: exitInterrupted, code: "interrupted", message: "interrupted", err: err}
	case errors.As(err, &written):
		a.out.fail(written.Err)
		return true, a.out.err
	case err != nil:
		return true, err
	}
	if code == holder.Again && a.name == "mcp" && c.stdin != nil {
		if c.greeted = c.stdin.greeting(); c.greeted {
			return true, &failure{exit: code, told: true}
		}
	}
	if code == holder.Again && !c.stdin.again() {
		return true, goneFailure(path, holder.ErrGone)
	}
	if code == holder.Again && a.name == "shell" && c.editor != nil {
		a.out.note("the process that held %s has ended: a new session begins, with the settings of the command line", path)
	}
	return true, &failure{exit: code, told: true}
}

// goneFailure is the error of a command whose holder ended before it.
func goneFailure(path string, err error) *failure {
	return &failure{exit: exitFailed, code: "holder_gone", err: err, message: "the process that held " + path + " ended before this command did",
		hint: "what was done is saved; run the same command again"}
}

// read reads standard input for an attached command.
func (c *client) read(ctx context.Context, b []byte) (int, error) {
	if c.stdin == nil {
		return 0, io.EOF
	}
	return c.stdin.next(ctx, b)
}

// stateDir is the folder of the shell's history and start script, "" if the
// system has none.
func (a *app) stateDir() string {
	env := a.env
	if dir := env["XDG_STATE_HOME"]; filepath.IsAbs(dir) {
		return filepath.Join(dir, "ragdb")
	}
	if home := env["HOME"]; filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "ragdb")
	}
	if dir := a.configDir(); dir != "" {
		return filepath.Join(dir, "ragdb")
	}
	return ""
}

// named is the first word of a command, shell for the one without a name.
func named(words string) string {
	first, _, _ := strings.Cut(words, " ")
	if first == "" {
		return "shell"
	}
	return first
}
