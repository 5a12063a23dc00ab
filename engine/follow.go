package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// A database that is open for reading may be written by another process. Its snapshots
// show that process's commits: when one is opened, what is in memory of graphs is brought
// up to its commit first, if that is a later one than the last. Vector indexes do
// the same when a snapshot reads them, see vecindex.Options.Follow. What memory has is
// good for older snapshots too, as it is in a process that writes.

// catchUps is how many graphs are brought up to a commit at a time.
const catchUps = 8

// LatestEpoch returns the number of the last commit in the store. In a database that is
// open for reading while another process writes it may be above [DB.Epoch], that of the
// last snapshot.
func (db *DB) LatestEpoch(ctx context.Context) (uint64, error) {
	if err := db.enter(); err != nil {
		return 0, err
	}
	defer db.leave()
	n, err := getUint64(ctx, db.store, layout.Meta("epoch"))
	if err != nil {
		return 0, phase.Errorf("latest epoch: %w", err)
	}
	return n, nil
}

// lockFollower waits until the caller alone may bring memory up to a commit.
func (db *DB) lockFollower(ctx context.Context) error {
	select {
	case <-db.follower:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (db *DB) unlockFollower() { db.follower <- struct{}{} }

// latest returns a snapshot of the latest commit, never an older one than was returned
// before.
func (db *DB) latest(ctx context.Context) (s *Snapshot, err error) {
	if s, err = db.takeSnapshot(ctx); err != nil || !db.readOnly || s.epoch == db.epoch.Load() {
		return s, err
	}
	defer func() {
		if err != nil && s != nil {
			err = firstError(err, s.kv.Close())
			s = nil
		}
	}()
	if err := db.lockFollower(ctx); err != nil {
		return s, err
	}
	defer db.unlockFollower()
	if s.epoch < db.epoch.Load() { // another call has shown a later commit meanwhile
		if err := s.kv.Close(); err != nil {
			return nil, err
		}
		if s, err = db.takeSnapshot(ctx); err != nil {
			return nil, err
		}
	}
	return s, db.catchUp(ctx, s)
}

// catchUp brings what is in memory up to a snapshot. The caller has the follower's lock.
func (db *DB) catchUp(ctx context.Context, s *Snapshot) error {
	switch have := db.epoch.Load(); {
	case s.epoch < have:
		return fmt.Errorf("the store went back from commit %d to %d: it was restored, or a server answers that is behind", have, s.epoch)
	case s.epoch == have:
		return nil
	}
	names := map[uint32]string{}
	err := eachEntry(ctx, s.kv, func(_, graph string, e directoryEntry) {
		if graph != "" {
			names[e.graph] = graph
		}
	})
	if err != nil {
		return err
	}
	db.mu.Lock()
	open := maps.Clone(db.graphs)
	db.mu.Unlock()
	var gone []uint32
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(catchUps)
	for id, st := range open {
		if name, ok := names[id]; ok {
			g.Go(func() error { return db.catchUpGraph(gctx, s, st, name) })
		} else {
			gone = append(gone, id)
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	db.forgetGraphs(gone)
	db.epoch.Store(s.epoch)
	return nil
}

// catchUpGraph brings the state of a graph up to a snapshot.
func (db *DB) catchUpGraph(ctx context.Context, s *Snapshot, st *graphState, name string) error {
	if err := st.readFlags(ctx, s.kv); err != nil {
		return err
	}
	names, err := readCatalog(ctx, s.kv, st.id)
	if err != nil {
		return err
	}
	dropped, err := st.droppedSpaces(ctx, s.kv)
	if err != nil {
		return err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.name = name
	for k := range names {
		if k.kind == layout.KindEdgeType {
			st.noteEdgeType(EdgeType(k.id))
		}
	}
	st.names.follow(names, s.epoch)
	for _, id := range dropped {
		db.mirrors.remove(st.spaces[id])
		delete(st.spaces, id)
	}
	return nil
}

// readFlags raises what says that there may be something, if there is. Blocks of edges may
// come without a commit that moves the epoch, so a follower always looks for them.
func (g *graphState) readFlags(ctx context.Context, r kv.Reader) error {
	if !g.labelled.Load() {
		switch _, err := r.Get(ctx, layout.GraphMeta(g.id, metaLabels), nil); {
		case err == nil:
			g.labelled.Store(true)
		case !errors.Is(err, ErrNotFound):
			return err
		}
	}
	for tag, some := range map[layout.Tag]*atomic.Bool{layout.TagParallel: &g.parallel, layout.TagEdgeBlock: &g.blocks, layout.TagNodeBlock: &g.columned} {
		if some.Load() {
			continue
		}
		for _, err := range scan(ctx, r, layout.GraphPrefix(tag, g.id)) {
			if err != nil {
				return err
			}
			some.Store(true)
			break
		}
	}
	return nil
}

// readCatalog reads the names of a graph.
func readCatalog(ctx context.Context, r kv.Reader, graph uint32) (map[kindID]catalogEntry, error) {
	names := map[kindID]catalogEntry{}
	for p, err := range scan(ctx, r, layout.GraphPrefix(layout.TagCatalog, graph)) {
		if err != nil {
			return nil, err
		}
		e, err := decodeCatalogEntry(p.value)
		if err != nil {
			return nil, corrupt(p.key, err)
		}
		k, id := layout.CatalogID(p.key)
		names[kindID{k, id}] = e
	}
	return names, nil
}

// droppedSpaces returns the open vector spaces that a state does not have.
func (g *graphState) droppedSpaces(ctx context.Context, r kv.Reader) (dropped []uint32, err error) {
	g.mu.RLock()
	ids := slices.Collect(maps.Keys(g.spaces))
	g.mu.RUnlock()
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = layout.Space(g.id, id)
	}
	err = r.MultiGet(ctx, keys, func(i int, v []byte) error {
		if v == nil {
			dropped = append(dropped, ids[i])
		}
		return nil
	})
	return dropped, err
}

// follow makes the catalog that of a later commit, whose entries are given.
func (c *catalog) follow(now map[kindID]catalogEntry, epoch uint64) {
	for k, e := range c.entries {
		if _, ok := now[k]; !ok && e.gone == 0 {
			e.gone = epoch // or a commit before, of which there is no snapshot here
			c.entries[k] = e
		}
	}
	order := func(a, b kindID) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id)) }
	for _, k := range slices.SortedFunc(maps.Keys(now), order) {
		e := now[k]
		have, ok := c.entries[k]
		if ok && have.name == e.name && have.epoch == e.epoch && have.gone == 0 {
			continue
		}
		if name := (kindName{k.kind, have.name}); ok && c.ids[name] == k.id {
			// A process that opened the database since has given the id again.
			c.ids[name] = have.before
		}
		c.add(k.kind, k.id, e)
	}
}

// openFollowed is graphState for a database that follows.
func (db *DB) openFollowed(ctx context.Context, id uint32, name string) (g *graphState, err error) {
	if err := db.enter(); err != nil {
		return nil, err
	}
	defer db.leave()
	if err := db.lockFollower(ctx); err != nil {
		return nil, err
	}
	defer db.unlockFollower()
	db.mu.Lock()
	g = db.graphs[id]
	db.mu.Unlock()
	if g != nil {
		return g, nil
	}
	s, err := db.takeSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = firstError(err, s.kv.Close()) }()
	if err := db.catchUp(ctx, s); err != nil {
		return nil, err
	}
	if g, err = openGraph(ctx, s.kv, id); err != nil {
		return nil, err
	}
	g.name = name
	g.blocks.Store(true)
	db.mu.Lock()
	db.graphs[id] = g
	db.mu.Unlock()
	return g, nil
}

// reading calls fn with the state of the latest commit.
func (db *DB) reading(ctx context.Context, fn func(r kv.Reader) error) error {
	if db.readOnly {
		return db.View(ctx, func(s *Snapshot) error { return fn(s.kv) })
	}
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	return fn(db.store)
}
