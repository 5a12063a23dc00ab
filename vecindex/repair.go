package vecindex

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// repair takes dead nodes that no View sees any more out of the graph, and
// returns how many. Without all it waits until there are enough of them.
func (ix *Index) repair(ctx context.Context, commit Committer, all bool) (n int, err error) {
	st := ix.state.Load()
	if st == nil || st.graph == nil {
		return 0, nil
	}
	count := st.graph.Dead()
	if count == 0 || !all && (count < minDead || count < st.graph.Version().Linked()/deadShare) {
		return 0, nil
	}
	dead := ix.unseen(st.graph.Graph)
	if len(dead) == 0 || !all && len(dead) < count/2 {
		return 0, nil
	}
	g := &graph{Graph: st.graph.Graph, record: st.graph.record, planes: st.graph.planes}
	levels := make([]int, len(dead))
	for i, slot := range dead {
		levels[i] = g.Version().Level(slot)
	}
	keys, err := g.Repair(ctx, dead, ix.goroutines())
	if err != nil {
		return 0, err
	}
	g.record.flags |= graphImpure
	g.record.lastID++ // no two records of the graph are equal: see readCold
	g.record.layers = g.Version().Layers()
	if err := ix.writeRepair(ctx, commit, g, st.graph.record, keys, dead, levels); err != nil {
		ix.abandon()
		return 0, err
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	switch cur := ix.state.Load(); {
	case cur == nil:
	case cur.graph != st.graph:
		ix.state.Store(nil) // read again meanwhile: see group.finish
	default:
		next := *cur
		next.graph = g
		ix.keep(&next)
		ix.free = append(ix.free, dead...)
	}
	return len(dead), nil
}

// unseen returns the dead nodes that no View sees nor will: a View of a commit
// in which they were alive reads the store from now on.
func (ix *Index) unseen(g *hnsw.Graph) []uint32 {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	oldest := uint64(math.MaxUint64)
	for seq := range ix.open {
		oldest = min(oldest, seq)
	}
	st := ix.state.Load()
	if st == nil {
		return nil
	}
	dead, last := g.Version().DeadBefore(oldest)
	if last > st.floor {
		next := *st
		next.floor = last
		ix.state.Store(&next)
	}
	return dead
}

func (ix *Index) writeRepair(ctx context.Context, commit Committer, g *graph, before graphRecord, keys []hnsw.ListKey, dead []uint32, levels []int) error {
	t, edition := ix.cfg.Table, g.record.edition
	w := &recordWriter{ctx: ctx, commit: commit}
	before.flags |= graphTorn | graphImpure
	w.set(t.Meta(graphName), appendGraph(nil, &before))
	w.lists(t, edition, g.Version(), keys)
	if err := w.flush(); err != nil {
		return err
	}
	return commit(ctx, func(b kv.Batch) error {
		b.Set(t.Meta(graphName), appendGraph(nil, &g.record))
		for i, slot := range dead {
			b.Delete(t.Code(edition, slot))
			for level := range levels[i] + 1 {
				b.Delete(t.Links(edition, uint8(level), slot))
			}
			if g.Params().Down {
				b.Delete(t.Links(edition, hnsw.DownLevel, slot))
			}
			b.Delete(t.Pending(true, slot))
		}
		return nil
	})
}
