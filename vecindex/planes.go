package vecindex

import (
	"context"
	"errors"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// Low planes are half of a graph's bytes, a search looks at a dozen of them,
// and they follow from the stored vectors. So they are kept in memory only, and
// a graph that is read back does without them at first: searches make those
// that they want, and so find what they would find later. When that has been
// done for a while, each search makes some of all of them besides.

const (
	// lateSearches is the number of searches after which low planes are made
	// for good: they have then read some 12,000 vectors one by one.
	lateSearches = 1024
	// lateSlots is for how many slots a search does: a millisecond.
	lateSlots = 128
)

// lowPlane returns where a search gets low planes from: memory, or where they
// are not there yet, or the vector is gone since the View was opened, the
// vector as the View has it. A plane is valid until the next one is asked for.
func (gs *graphSearch) lowPlane(ctx context.Context) func(slot uint32) ([]int8, error) {
	plain := gs.sc.graph.codec.Plain()
	return func(slot uint32) ([]int8, error) {
		switch {
		case plain:
			return nil, nil
		case slot < gs.made && gs.ver.Open(slot):
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

// aheadPlanes reads ahead the vectors of candidates whose low planes are not in memory.
func (gs *graphSearch) aheadPlanes(ctx context.Context, some []hnsw.Candidate) error {
	if gs.sc.graph.codec.Plain() {
		return nil
	}
	var missing []hnsw.Candidate
	for _, c := range some {
		if c.Slot() >= gs.made || !gs.ver.Open(c.Slot()) {
			missing = append(missing, c)
		}
	}
	return gs.ahead(ctx, missing)
}

// searched counts a search that made low planes of its own, and makes some for
// good when it is time to. If linking is in progress it does nothing: no slot may
// get another node meanwhile. Where another process links, the View's snapshot is read,
// since its graph is that of the state.
func (v *View) searched(ctx context.Context, st *state) (err error) {
	ix := v.ix
	if ix.late.Add(1) < lateSearches || !ix.linking.try() {
		return nil
	}
	defer ix.linking.pass()
	g := st.graph
	from, slots := g.planes.Load(), g.Version().Slots()
	if from >= slots {
		return nil
	}
	r := v.src.r
	if !ix.follows {
		snap, err := ix.store.Snapshot(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, snap.Close()) }()
		r = snap
	}
	to := min(slots, from+lateSlots)
	if err := ix.encodePlanes(ctx, r, g, from, to); err != nil {
		return err
	}
	if to == slots {
		to = math.MaxUint32 // those of new slots are made when they are linked
	}
	g.planes.Store(to)
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
