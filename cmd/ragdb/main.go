package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	_ "time/tzdata" // zones on a machine without a database of them

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/internal/holder"
)

func main() {
	if t, err := distance.ParseTier(os.Getenv("RAGDB_KERNELS")); err == nil {
		distance.Use(t)
	}
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// errInterrupted is the cause of a context that a signal ended.
var errInterrupted = errors.New("interrupted")

// run runs a command line and returns the exit code. A command that ran in the process
// that held its database is started again if that process ended before it did and it can
// go on.
func run(args, env []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	c := newClient(args, env, stdin)
	for code = holder.Again; code == holder.Again; {
		code = c.run(stdout, stderr)
	}
	if err := c.close(); err != nil && code == exitOK {
		return exitFailed // the terminal is gone
	}
	return code
}

// run runs the command line once. The first interrupt ends the command's context, unless
// the command takes interrupts itself; from then on the signal does what it does by
// default, so that the second ends the process.
func (c *client) run(stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var stdin io.Reader
	if c.stdin != nil {
		stdin = c.stdin
	}
	if c.greeted {
		stdout = &restOf{w: stdout}
	}
	a := newApp(c.env, stdin, stdout, stderr)
	a.client = c
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		for {
			select {
			case s := <-signals:
				if a.interrupts.pass(s != os.Interrupt) || s == os.Interrupt && a.interrupts.take() {
					continue
				}
				signal.Stop(signals)
				cancel(errInterrupted)
			case <-ctx.Done():
			}
			return
		}
	}()
	return a.execute(ctx, c.args)
}

// restOf writes what comes after the first line.
type restOf struct {
	w     io.Writer
	begun bool
}

// Write implements [io.Writer].
func (r *restOf) Write(b []byte) (int, error) {
	if r.begun {
		return r.w.Write(b)
	}
	i := bytes.IndexByte(b, '\n') + 1
	if i == 0 {
		return len(b), nil
	}
	r.begun = true
	n, err := r.w.Write(b[i:])
	return i + n, err
}

// moved is the error of a command that goes on in another process though it came to a good
// end here, and nil for others.
func moved(ctx context.Context) error {
	if context.Cause(ctx) == holder.ErrAgain {
		return ctx.Err()
	}
	return nil
}

// execute runs a command line until its end and tells its error. A command whose context
// ended with the cause [holder.ErrAgain] is to be started again: the code is
// [holder.Again].
func (a *app) execute(ctx context.Context, args []string) int {
	a.ctx = ctx
	// Until the flags are read, errors are told as the words suggest.
	if slices.Contains(args, "--json") || slices.Contains(args, "--jsonl") {
		a.out.format = asJSON
	}
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = a.out.err
	}
	if err == nil {
		return exitOK
	}
	if errors.Is(err, context.Canceled) {
		switch context.Cause(ctx) {
		case errInterrupted:
			err = interrupted(err)
		case holder.ErrAgain:
			return holder.Again
		case holder.ErrGone:
			err = &failure{exit: exitFailed, code: "holder_gone", message: "the process that holds the database ends", hint: "what was done is saved; run the same command again", err: err}
		}
	}
	f := a.explain(err)
	a.out.failure(f)
	return f.exit
}

// interrupts passes interrupts to a function in place of ending the command. It is safe
// for concurrent use.
type interrupts struct {
	mu   sync.Mutex
	to   func()
	away func(end bool)
}

// forward names the function that gets interrupts for a command that runs in another
// process, and wishes to end it; nil is none.
func (i *interrupts) forward(away func(end bool)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.away = away
}

// pass hands an interrupt to another process and reports whether there is one.
func (i *interrupts) pass(end bool) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.away != nil {
		i.away(end)
	}
	return i.away != nil
}

// set names the function that takes the next interrupts; nil is none.
func (i *interrupts) set(to func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.to = to
}

// take hands an interrupt over and reports whether a function took it.
func (i *interrupts) take() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.to != nil {
		i.to()
	}
	return i.to != nil
}
