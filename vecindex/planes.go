package vecindex

import (
	"context"
	"encoding/binary"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// Low planes are half of a graph's bytes, and a search looks at a dozen of
// them. A graph that is read back does without them at first: searches read
// from the store the few that they want, and so find what they would find
// later. Whoever links reads all of them, and so does the search with which
// that has paid.

// lateSearches is the number of searches after which low planes are read into
// memory: they have then spent about as much on single reads as that takes for
// some 20,000 vectors.
const lateSearches = 1024

// storedPlane reads the low plane of a slot from the store; it is valid until
// the next call. As in memory it is the one of the latest commit: as long as
// planes are unread nobody links, and no slot gets another node.
func (gs *graphSearch) storedPlane(ctx context.Context, slot uint32) ([]int8, error) {
	ix := gs.v.ix
	key := ix.cfg.Table.LowPlane(gs.st.graph.record.edition, slot)
	raw, err := ix.store.Get(ctx, key, gs.sc.raw[:0])
	if errors.Is(err, kv.ErrNotFound) && !gs.st.graph.planesUnread() {
		// The node was linked after the planes had been read.
		return gs.ver.Low(slot), nil
	}
	if err == nil && len(raw) != gs.st.graph.Codec().LowSize() {
		err = corrupt(key, "low plane of %d bytes", len(raw))
	}
	if errors.Is(err, kv.ErrNotFound) {
		err = corrupt(key, "a node of the graph without its low plane")
	}
	if err != nil {
		return nil, err
	}
	gs.sc.raw = raw
	return quant.Plane(raw), nil
}

// searched counts a search that wanted low planes from the store, and reads
// them all when it is time to. Where somebody links, who has seen to it, it
// does nothing.
func (ix *Index) searched(ctx context.Context, st *state) error {
	if ix.late.Add(1) < lateSearches || !ix.linking.TryLock() {
		return nil
	}
	defer ix.linking.Unlock()
	ix.late.Store(0)
	return ix.readPlanes(ctx, st)
}

// readPlanes reads the low planes of a graph into memory unless they are
// there. The index's linking must be held, so that no code changes meanwhile.
func (ix *Index) readPlanes(ctx context.Context, st *state) (err error) {
	g := st.graph
	if g == nil || !g.planesUnread() {
		return nil
	}
	snap, err := ix.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	v, workers := g.Version(), ix.goroutines()
	part := max(v.Slots()/uint32(4*workers), 4096)
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for from := uint32(0); from < v.Slots(); from += part {
		group.Go(func() error {
			return ix.eachPlane(gctx, snap, g, from, from+min(part, v.Slots()-from), func(slot uint32, plane []int8) {
				copy(v.Low(slot), plane)
			})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	g.unread.Store(false)
	return nil
}

// eachPlane calls fn with the stored low planes of the nodes in a range of
// slots. One that is missing is an error.
func (ix *Index) eachPlane(ctx context.Context, r kv.Reader, g *graph, from, to uint32, fn func(slot uint32, plane []int8)) error {
	t, edition, v := ix.cfg.Table, g.record.edition, g.Version()
	prefix := append(t.Prefix(layout.TagCode), edition|layout.LowPlane)
	next := from // the slots below are done
	passed := func(until uint32) error {
		for ; next < until; next++ {
			if v.Held(next) {
				return corrupt(t.LowPlane(edition, next), "a node of the graph without its low plane")
			}
		}
		return nil
	}
	l := &loader{ix: ix, r: r}
	err := l.within(ctx, prefix, t.LowPlane(edition, from), t.LowPlane(edition, to), 4, func(key, rest, value []byte) error {
		slot := binary.BigEndian.Uint32(rest)
		if !v.Held(slot) {
			return nil // of a linker that was interrupted
		}
		if err := passed(slot); err != nil {
			return err
		}
		next = slot + 1
		if len(value) != g.Codec().LowSize() {
			return corrupt(key, "low plane of %d bytes", len(value))
		}
		fn(slot, quant.Plane(value))
		return nil
	})
	if err != nil {
		return err
	}
	return passed(to)
}
