package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"github.com/ragdb/ragdb/internal/distance"
)

func main() {
	if t, err := distance.ParseTier(os.Getenv("RAGDB_KERNELS")); err == nil {
		distance.Use(t)
	}
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// errInterrupted is the cause of a context that a signal ended.
var errInterrupted = errors.New("interrupted")

// run runs a command line and returns the exit code. The first interrupt ends
// the command's context, unless the command takes interrupts itself; from then
// on the signal does what it does by default, so that the second ends the
// process.
func run(args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	a := newApp(env, stdin, stdout, stderr)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		for {
			select {
			case s := <-signals:
				if s == os.Interrupt && a.interrupts.take() {
					continue
				}
				signal.Stop(signals)
				cancel(errInterrupted)
			case <-ctx.Done():
			}
			return
		}
	}()
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
	if errors.Is(err, context.Canceled) && context.Cause(ctx) == errInterrupted {
		err = interrupted(err)
	}
	f := a.explain(err)
	a.out.failure(f)
	return f.exit
}

// interrupts passes interrupts to a function in place of ending the command. It is safe
// for concurrent use.
type interrupts struct {
	mu sync.Mutex
	to func()
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
