package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/holder"
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
)

// hold is a database that this process holds, and that commands of other processes use
// through it.
type hold struct {
	a      *app // of the command that opened it
	db     *engine.DB
	info   os.FileInfo // of its directory
	server *holder.Server

	mu      sync.Mutex
	writing []string // the commands that change documents, or wait for their turn
}

// held is what a command that runs for another process has of it.
type held struct {
	*hold
	session *holder.Session
}

// listen begins to run commands of other processes on a database that was opened. That it
// cannot listen is no error: the others find the database locked.
func (a *app) listen(path string, db *engine.DB) {
	if !a.mayAttach(path) || a.hold != nil || db.ReadOnly(a.ctx) {
		return
	}
	info, err := a.dir.stat(path)
	if err != nil {
		return
	}
	h := &hold{a: a, db: db, info: info}
	h.server, err = holder.Listen(a.dir.path(path), holder.Options{
		About: holder.About{Version: newVersion().Version, Command: a.name, Brief: !a.longLived()},
		Run:   h.run,
	})
	if err != nil {
		if log := a.logger(); log != nil {
			log.Info("other commands cannot work through this one", "err", err)
		}
		return
	}
	a.hold = h
}

// end waits until the commands of other processes are done.
func (h *hold) end(ctx context.Context) error {
	return h.server.Close(ctx, func(left []*holder.Session) {
		names := make([]string, len(left))
		for i, s := range left {
			names[i] = fmt.Sprintf("ragdb %s (process %d)", commandOf(s.Start.Args), s.Start.PID)
		}
		h.a.out.note("waiting for %s to end, which works through this process; Ctrl-C ends it", strings.Join(names, ", "))
	})
}

// commandOf is the word of a command line that names the command.
func commandOf(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}

// run runs a command of another process.
func (h *hold) run(ctx context.Context, s *holder.Session) int {
	a := newApp(s.Start.Env, s.Stdin(), s.Stdout(), s.Stderr())
	a.dir, a.folders = folder(s.Start.Dir), h.a.folders
	a.held = &held{h, s}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		for {
			select {
			case end := <-s.Interrupts():
				taken := !end && a.interrupts.take()
				s.Answer(taken)
				if !taken {
					cancel(errInterrupted)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return a.execute(ctx, s.Start.Args)
}

// heldAt returns the database that this command uses through another process, if that is
// the one at a path.
func (a *app) heldAt(path string) *engine.DB {
	if a.held == nil || path == engine.Memory {
		return nil
	}
	info, err := a.dir.stat(path)
	if err != nil || !os.SameFile(info, a.held.info) {
		return nil
	}
	return a.held.db
}

// shares returns the database that commands of several processes use, nil if there is none.
func (a *app) shares() *hold {
	if a.held != nil {
		return a.held.hold
	}
	return a.hold
}

// turn waits until no other command changes the documents of the namespace, and says so if
// it takes long. The caller calls done at its end.
func (a *app) turn(ctx context.Context, c *rag.Corpus) (done func(), err error) {
	h := a.shares()
	if h == nil || c.DB() != h.db {
		return func() {}, nil
	}
	pid := os.Getpid()
	if a.held != nil {
		pid = a.held.session.Start.PID
	}
	me := fmt.Sprintf("ragdb %s (process %d)", a.name, pid)
	soon, cancel := context.WithTimeout(ctx, waitQuietly)
	defer cancel()
	release, err := c.Namespace().Exclusive(soon)
	if err != nil && ctx.Err() == nil && soon.Err() != nil {
		if who := h.writers(); who != "" {
			a.out.note("waiting for %s, which changes the documents", who)
		}
		release, err = c.Namespace().Exclusive(ctx)
	}
	if err != nil {
		return nil, err
	}
	release() // the change takes it again
	h.mu.Lock()
	h.writing = append(h.writing, me)
	h.mu.Unlock()
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for i, w := range h.writing {
			if w == me {
				h.writing = append(h.writing[:i], h.writing[i+1:]...)
				return
			}
		}
	}, nil
}

// whileWaiting is the error of a command that was ended before its turn.
func (a *app) whileWaiting(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && context.Cause(ctx) == errInterrupted {
		return &failure{exit: exitInterrupted, code: "interrupted", message: "interrupted: nothing was begun", hint: "run the same command to go on", err: err}
	}
	return err
}

// writers names the commands that change documents.
func (h *hold) writers() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.writing, ", ")
}
