package ketrag

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// exactChunks is the number of chunks up to which the nearest by vector are found by
// comparing all with all. Above it the index finds them: one that has lists misses few and
// takes a time that grows as n log n in place of n².
const exactChunks = 4096

const (
	// nearEf is the width of the index's search.
	nearEf = 64
	// offerReach is how many times K chunks are asked for around a new chunk of a
	// large corpus: among them are those whose own nearest it may be.
	offerReach = 8
)

// vector finds the chunks with the nearest vectors, those found by words left
// out unless compat is on.
func (st *nearStage) vector(ctx context.Context, s *engine.Snapshot, ids []engine.NodeID, c, words *channel, k int, what *looks) error {
	space := spaceOf(method.ChunkNodeType, st.model.Model)
	if k == 0 {
		return nil
	}
	if len(ids) <= st.exact {
		return st.nearest(ctx, s, space, ids, c, words, k, what)
	}
	// Settling makes lists of all vectors again, which is too much for a few new ones.
	db := st.s.c.DB()
	inOrder := db.FlushSpace
	if what.all {
		inOrder = db.SettleSpace
	}
	if err := inOrder(ctx, st.s.g, space); err != nil {
		if graph.IsMissing(err) {
			return nil
		}
		return err
	}
	// The snapshot is older than what the index has now.
	return db.View(ctx, func(now *engine.Snapshot) error { return st.nearest(ctx, now, space, ids, c, words, k, what) })
}

// nearest puts the k nearest chunks into the channel, and offers new chunks to
// those that were there.
func (st *nearStage) nearest(ctx context.Context, s *engine.Snapshot, space string, ids []engine.NodeID, c, words *channel, k int, what *looks) error {
	vecs, err := s.Graph(st.s.g).WithContext(ctx).Vectors(space)
	if graph.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	skip := func(from, to int) bool {
		return from == to || !st.s.p.Compat && slices.ContainsFunc(words.now[from], func(e near) bool { return e.to == to })
	}
	places := what.places
	if !what.all {
		// What words find now of a chunk may have changed, and so what is left to vectors.
		places = places[:0:0]
		for i := range ids {
			if words.have[i] && words.changed(i) || what.has(i) {
				places = append(places, i)
			}
		}
	}
	fresh := what.all // every chunk is new: none needs to be offered to
	for _, i := range places {
		if err := errors.Join(c.need(i), words.need(i)); err != nil {
			return err
		}
		fresh = fresh && len(c.old[i]) == 0
		// What is found by words now is not to be found by vector too.
		c.now[i] = slices.DeleteFunc(c.now[i], func(e near) bool { return skip(i, e.to) })
	}
	around := st.finder(vecs, ids, fresh, k)
	var q []float32
	var found []near
	for _, i := range places {
		// What words found before and do not find now may be found by vector.
		if len(c.now[i]) >= k && len(c.old[i]) >= k && !words.changed(i) {
			continue
		}
		q, err = vecs.Vector(ctx, uint64(ids[i]), q[:0])
		if graph.IsMissing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if found, err = around.near(ctx, q, len(words.now[i]), found[:0]); err != nil {
			return err
		}
		for _, e := range found {
			if err := errors.Join(c.need(e.to), words.need(e.to)); err != nil {
				return err
			}
			if !skip(i, e.to) {
				c.offer(i, e, k)
			}
			if !skip(e.to, i) && (!what.all || len(c.old[e.to]) >= k) {
				c.offer(e.to, near{i, e.sim}, k)
			}
		}
	}
	return nil
}

// finder finds the chunks near a vector.
type finder struct {
	vecs  *vecindex.View
	ids   []engine.NodeID
	exact bool
	// first is how many are wanted, 0 for all chunks.
	first int

	all    []uint64
	hits   []vecindex.Hit
	scores []float32
}

// finder returns what finds as many as are needed: few if no chunk was there before,
// all chunks of a small corpus else, since each may be the nearest of those that were
// there.
func (st *nearStage) finder(vecs *vecindex.View, ids []engine.NodeID, fresh bool, k int) *finder {
	f := &finder{vecs: vecs, ids: ids, exact: len(ids) <= st.exact}
	switch {
	case fresh:
		f.first = 2*k + 1
	case !f.exact:
		f.first = offerReach*k + 1
	default:
		for _, id := range ids {
			f.all = append(f.all, uint64(id))
		}
	}
	return f
}

// near appends the chunks near a vector: the first few and so many more, or all.
func (f *finder) near(ctx context.Context, q []float32, more int, dst []near) ([]near, error) {
	var err error
	if f.first == 0 {
		f.scores, err = f.vecs.Score(ctx, q, f.all, f.scores[:0])
		for j, sim := range f.scores {
			if !math.IsInf(float64(sim), -1) {
				dst = append(dst, near{j, sim})
			}
		}
		return dst, err
	}
	f.hits, err = f.vecs.Search(ctx, vecindex.Search{Vector: q, K: f.first + more, Exact: f.exact, Ef: nearEf}, f.hits[:0])
	for _, h := range f.hits {
		if j, ok := slices.BinarySearch(f.ids, engine.NodeID(h.ID)); ok {
			dst = append(dst, near{j, h.Score})
		}
	}
	return dst, err
}
