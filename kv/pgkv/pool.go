package pgkv

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ragdb/ragdb/kv"
)

const (
	waitTime = 5 * time.Second        // for a connection that views hold
	fresh    = 500 * time.Millisecond // a session that was used since is taken to be alive
)

// kind is what a session is for.
type kind int

const (
	forView kind = iota
	forWrite
)

// pool holds the sessions. Views use all but one of them, so that views which are not
// closed never keep the writer from its work. It begins no goroutine: a session that is
// too old is closed by the call that meets it.
type pool struct {
	cfg        *pgconn.Config
	table      string
	life, rest time.Duration    // how old a session gets, and how long it is kept unused
	slots      [2]chan struct{} // a token for each session, by kind

	mu     sync.Mutex // guards the fields below
	free   []*session // the one used last is the last
	closed bool
}

func newPool(cfg *pgconn.Config, table string, most int, life, rest time.Duration) *pool {
	p := &pool{cfg: cfg, table: table, life: life, rest: rest}
	p.slots[forView], p.slots[forWrite] = make(chan struct{}, max(most, 2)-1), make(chan struct{}, 1)
	return p
}

// enter waits for the right to use a session. A caller that may not wait is told.
func (p *pool) enter(ctx context.Context, k kind, wait bool) error {
	select {
	case p.slots[k] <- struct{}{}:
		return nil
	default:
	}
	if !wait {
		return errBusy
	}
	t := time.NewTimer(waitTime)
	defer t.Stop()
	if k == forWrite {
		t.Stop() // a write ends by itself
	}
	select {
	case p.slots[k] <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return fmt.Errorf("%w: %w: views hold all %d connections; pool_max_conns in the address sets their number, and one is kept for writes",
			kv.ErrRefused, errBusy, cap(p.slots[k]))
	}
}

var errBusy = errors.New("no connection is free")

func (p *pool) leave(k kind) { <-p.slots[k] }

// take returns a session that is free, nil if there is none. Those that are too old are
// closed.
func (p *pool) take() (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, kv.ErrClosed
	}
	now := time.Now()
	for len(p.free) > 0 && (now.Sub(p.free[0].used) > p.rest || now.Sub(p.free[0].born) > p.life) {
		p.free[0].close()
		p.free = p.free[1:]
	}
	if len(p.free) == 0 {
		return nil, nil
	}
	s := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return s, nil
}

// dial returns a new session.
func (p *pool) dial(ctx context.Context) (*session, error) {
	s, err := dial(ctx, p.cfg)
	if err != nil {
		return nil, connecting(ctx, err)
	}
	if err := s.prepare(ctx, p.table); err != nil {
		s.close()
		return nil, connecting(ctx, err)
	}
	return s, nil
}

// get returns a session that is alive, if that can be known: one that was not used for a
// while is asked first. The caller has entered.
func (p *pool) get(ctx context.Context) (*session, error) {
	for {
		s, err := p.take()
		if err != nil {
			return nil, err
		}
		if s == nil {
			return p.dial(ctx)
		}
		if time.Since(s.used) < fresh {
			return s, nil
		}
		if _, _, err := s.exchange(ctx); err == nil {
			return s, nil
		}
		s.close()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// put gives a session back.
func (p *pool) put(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || !s.idle() {
		s.close()
		return
	}
	p.free = append(p.free, s)
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, s := range p.free {
		s.close()
	}
	p.free = nil
}
