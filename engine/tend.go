package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// tender links vectors into the graphs of vector spaces after the commits that
// wrote them. It is the one goroutine of an open database that no call waits
// for; it begins with the first such commit and ends with Close.
type tender struct {
	mu      sync.Mutex
	due     []*vecindex.Index // to be tended
	at      *vecindex.Index   // being tended
	running bool
	stop    context.CancelFunc
	done    chan struct{}
}

// tend has an index tended in the background.
func (db *DB) tend(ix *vecindex.Index) {
	if db.opts.NoBackground {
		return
	}
	t := &db.tender
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.due, ix) {
		t.due = append(t.due, ix)
	}
	if t.running {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	t.running, t.stop, t.done = true, stop, make(chan struct{})
	go db.tendDue(ctx, t.done)
}

// tendDue tends the indexes that are due until none is left. It logs a failure
// and leaves the work to the next commit, or to SettleSpace.
func (db *DB) tendDue(ctx context.Context, done chan struct{}) {
	defer close(done)
	t := &db.tender
	for {
		t.mu.Lock()
		if t.at = nil; len(t.due) == 0 || ctx.Err() != nil {
			t.running = false
			t.mu.Unlock()
			return
		}
		ix := t.due[0]
		t.due, t.at = t.due[1:], ix
		t.mu.Unlock()
		if err := ix.Tend(ctx, db.committer(ix)); err != nil && ctx.Err() == nil {
			db.log.Warn("vectors stay unlinked", "error", err)
		}
	}
}

// maxBacklog is the number of pending vectors of a space above which writers
// link too: searches compare all of them.
const maxBacklog = 2048

// help does the tender's work for the spaces that it cannot keep up with. The
// commit of the caller is done: what fails is logged as the tender's is.
func (db *DB) help(ctx context.Context) {
	t := &db.tender
	t.mu.Lock()
	due := slices.Clone(t.due)
	if t.at != nil {
		due = append(due, t.at)
	}
	t.mu.Unlock()
	for _, ix := range due {
		if ix.Backlog() <= maxBacklog {
			continue
		}
		if err := ix.Tend(ctx, db.committer(ix)); err != nil && ctx.Err() == nil {
			db.log.Warn("vectors stay unlinked", "error", err)
		}
	}
}

// stopTending ends the background work, and waits for it.
func (db *DB) stopTending() {
	t := &db.tender
	t.mu.Lock()
	t.due = nil
	running, stop, done := t.running, t.stop, t.done
	t.mu.Unlock()
	if running {
		stop()
		<-done
	}
}

// committer returns what commits an index's own work, which changes no vector
// and so moves neither the epoch nor a version. A commit fails with
// [ErrNotFound] if the space was dropped since the index was opened.
func (db *DB) committer(ix *vecindex.Index) vecindex.Committer {
	t := ix.Config().Table
	return func(ctx context.Context, fn func(b kv.Batch) error) error {
		if err := db.lockWriter(ctx); err != nil {
			return err
		}
		defer db.unlockWriter()
		key := layout.Space(t.Graph, t.Space)
		raw, err := db.store.Get(ctx, key, nil)
		if err != nil {
			return fmt.Errorf("vector space: %w", err)
		}
		s, err := decodeSpace(raw)
		if err != nil {
			return corrupt(key, err)
		}
		if s.generation != t.Generation {
			return fmt.Errorf("vector space was dropped and made again: %w", ErrNotFound)
		}
		b := db.store.NewBatch()
		if err := fn(b); err != nil {
			return err
		}
		return db.store.Apply(ctx, b, kv.NoSync)
	}
}

// SettleSpace brings a vector space's index in order: nothing is pending, no
// dead node is left, and the graph is a function of the vectors and the seed,
// the same whatever the order in which they came. A space that was
// written in another order than that of its node ids, or from which vectors
// were deleted, is linked again for that; searches use the graph before until
// then. A flat space is always in order. Meanwhile the other indexes release their
// memory; the next use of each reads it back. A graph that half of the memory budget
// does not hold is linked in memory all the same, which is given back at the end.
func (db *DB) SettleSpace(ctx context.Context, g *Graph, space string) error {
	return db.onIndex(ctx, g.in(db), space, "settle", func(ix *vecindex.Index, ctx context.Context, commit vecindex.Committer) error {
		defer db.mirrors.settling(ix)()
		return ix.Settle(ctx, commit)
	})
}

// FlushSpace links the pending vectors of a vector space and takes dead ones out
// of its graph now, rather than in the background. Linked vectors stay as they
// are.
func (db *DB) FlushSpace(ctx context.Context, g *Graph, space string) error {
	return db.onIndex(ctx, g.in(db), space, "flush", (*vecindex.Index).Flush)
}

func (db *DB) onIndex(ctx context.Context, g *Graph, space, op string, do func(*vecindex.Index, context.Context, vecindex.Committer) error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	if db.ReadOnly(ctx) {
		return phase.Errorf("%s %s: %w", op, space, ErrReadOnly)
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return err
	}
	v := snap.Graph(g)
	id, s, err := v.space(space)
	var ix *vecindex.Index
	if err == nil {
		ix, err = v.index(id, &s)
	}
	if err = firstError(err, snap.Close()); err == nil {
		err = do(ix, ctx, db.committer(ix))
	}
	if err != nil {
		return phase.Errorf("%s %s: %w", op, space, err)
	}
	return nil
}
