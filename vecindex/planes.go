package vecindex

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// Low planes are half of a graph's bytes, a search looks at a dozen of them,
// and they follow from the stored vectors. So they are kept in memory only, and
// a graph that is read back does without them at first: searches make those
// that they want, and so find what they would find later. The search with which
// that has paid makes all.

// lateSearches is the number of searches after which all low planes are made:
// they have then read some 12,000 vectors one by one.
const lateSearches = 1024

// lowPlane returns where a search gets low planes from: memory, or where they
// are not there yet, or the vector is gone since the View was opened, the
// vector as the View has it. A plane is valid until the next one is asked for.
func (gs *graphSearch) lowPlane(ctx context.Context) func(slot uint32) ([]int8, error) {
	unread, plain := gs.st.graph.planesUnread(), gs.sc.graph.codec.Plain()
	return func(slot uint32) ([]int8, error) {
		if plain || !unread && gs.ver.Open(slot) {
			return gs.ver.LowPlane(slot)
		}
		x, err := gs.stored(ctx, slot)
		if err != nil {
			return nil, err
		}
		sc := &gs.sc.graph
		sc.encoder.Encode(sc.code, sc.plane, x)
		return sc.plane, nil
	}
}

// searched counts a search that made low planes of its own, and makes them all
// when it is time to. Where somebody links it does nothing.
func (ix *Index) searched(ctx context.Context, st *state) error {
	if ix.late.Add(1) < lateSearches || !ix.linking.TryLock() {
		return nil
	}
	defer ix.linking.Unlock()
	ix.late.Store(0)
	return ix.makePlanes(ctx, st)
}

// makePlanes makes the low planes of a graph unless they are there. The index's
// linking must be held, so that no slot gets another node meanwhile.
func (ix *Index) makePlanes(ctx context.Context, st *state) (err error) {
	g := st.graph
	if !g.planesUnread() {
		return nil
	}
	snap, err := ix.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	slots, workers := g.Version().Slots(), ix.goroutines()
	part := max(slots/uint32(4*workers), 4096)
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for from := uint32(0); from < slots; from += part {
		group.Go(func() error { return ix.encodePlanes(gctx, snap, g, from, from+min(part, slots-from)) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	g.unread.Store(false)
	return nil
}

// encodePlanes makes the low planes of the nodes in a range of slots whose
// vectors there are.
func (ix *Index) encodePlanes(ctx context.Context, r kv.Reader, g *graph, from, to uint32) error {
	t, v := ix.cfg.Table, g.Version()
	enc := g.Codec().NewEncoder()
	code, x := make([]byte, g.Codec().Size()), make([]float32, ix.cfg.Dim)
	l := &loader{ix: ix, r: r}
	prefix := t.Prefix(layout.TagVector)
	return l.within(ctx, prefix, t.Slot(layout.TagVector, from), t.Slot(layout.TagVector, to), 4, func(key, _, value []byte) error {
		slot, err := keySlot(key)
		if err != nil || !v.Held(slot) {
			return err
		}
		if err := ix.cfg.Element.read(key, value, x); err != nil {
			return err
		}
		enc.Encode(code, v.Low(slot), x)
		return nil
	})
}
