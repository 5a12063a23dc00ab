package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/api"
	"github.com/ragdb/ragdb/internal/holder"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/spf13/cobra"
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
	// api answers programs, and own is what it serves if nothing else was set, by served;
	// both are nil until they are wanted.
	api    http.Handler
	own    *service.Database
	served service.DatabaseOptions
}

// held is what a command that runs for another process has of it.
type held struct {
	*hold
	session *holder.Session
}

// listen begins to run commands of other processes on a database that was opened. That it
// cannot listen is no error: the others find the database locked.
func (a *app) listen(path string, db *engine.DB) {
	if !a.mayAttach(path) || db.ReadOnly(a.ctx) {
		return
	}
	info, err := a.dir.stat(path)
	if err != nil {
		return
	}
	h := &hold{a: a, db: db, info: info, served: a.served(&cobra.Command{}, db)}
	h.server, err = holder.Listen(a.dir.path(path), holder.Options{
		About: holder.About{Version: newVersion().Version, Command: a.name, Brief: !a.longLived()},
		Run:   h.run, Handler: h,
	})
	if err != nil {
		if log := a.logger(); log != nil {
			log.Info("other commands cannot work through this one", "err", err)
		}
		return
	}
	a.holds = append(a.holds, h)
}

// ServeHTTP answers programs ([ragdb.Dial]) as ragdb serve does. They are processes of the
// same user, and need no token.
func (h *hold) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	var err error
	if h.api == nil {
		h.own = service.NewDatabase(h.served)
		h.api, err = newAPI(h.own, h.db)
	}
	api := h.api
	h.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	api.ServeHTTP(w, r)
}

// newAPI returns what answers programs on one database.
func newAPI(d *service.Database, db *engine.DB) (http.Handler, error) {
	return api.New(api.Options{Version: newVersion().Version, Databases: []api.Database{{Name: databaseName(db.Path()), Database: d}}})
}

// databaseName is how a database is called in addresses.

// end waits until the commands of other processes are done.
func (h *hold) end(ctx context.Context) error {
	h.mu.Lock()
	own := h.own
	h.mu.Unlock()
	if own != nil {
		grace, stop := context.WithTimeout(context.WithoutCancel(ctx), graceful)
		own.Close(grace)
		stop()
	}
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
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case end := <-s.Interrupts():
				taken := !end && a.interrupts.take()
				s.Answer(taken)
				if !taken {
					s.Cancel(errInterrupted)
				}
			case <-ctx.Done():
				return
			case <-ended:
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

// shares returns what commands of several processes have of a database, nil if they do not
// share it.
func (a *app) shares(db *engine.DB) *hold {
	if a.held != nil && a.held.db == db {
		return a.held.hold
	}
	for _, h := range a.holds {
		if h.db == db {
			return h
		}
	}
	return nil
}

// turn waits until no other command changes the documents of the namespace, and says so if
// it takes long. The caller calls done at its end.
func (a *app) turn(ctx context.Context, c *rag.Corpus) (done func(), err error) {
	h := a.shares(c.DB())
	if h == nil {
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
