package vecindex

import (
	"context"
)

// If searches of an index read vectors.
const (
	unloaded = "unloaded" // nothing was searched yet: memory, if it fits
	inMemory = "memory"   // the mirror
	onDisk   = "disk"     // the store: there is to be no mirror, or it is too large
)

// Backlog returns how many vectors in memory the graph does not have yet, 0
// if there is no graph: each search compares all of them.
func (ix *Index) Backlog() int {
	if st := ix.state.Load(); st != nil && st.graph != nil && st.mirror != nil {
		return st.mirror.live
	}
	return 0
}

// Stats are an index's figures at one moment.
type Stats struct {
	Vectors     int    // in the latest commit
	Source      string // of the next search: unloaded, memory or disk
	MemoryBytes int64  // what the index holds of it
	Dead        int    // vectors in memory that only older Views see
	// Of the kinds that build graphs, once they are loaded: the vectors that
	// the graph has, those that are searched one by one until it has them, and
	// what its estimates are checked against.
	Linked, Pending int
	Rerank          Rerank
}

// Stats reads one record and returns the index's figures.
func (ix *Index) Stats(ctx context.Context) (Stats, error) {
	m, err := ix.readMeta(ctx, ix.store)
	if err != nil {
		return Stats{}, ix.wrap("stats", err)
	}
	s := Stats{Vectors: int(m.live), Source: unloaded}
	st := ix.state.Load()
	if st == nil {
		if !ix.cfg.graph() && !ix.fits(m.live, 0) {
			s.Source = onDisk
		}
		return s, nil
	}
	s.Source, s.MemoryBytes = inMemory, st.bytes()
	if st.mirror != nil {
		s.Dead = st.mirror.dead
	}
	if st.graph != nil {
		s.Dead += st.graph.Dead()
		s.Linked = st.graph.Version().Linked() - st.graph.Dead()
		s.Pending = s.Vectors - s.Linked
		s.Rerank = RerankStore
		switch {
		case st.graph.Codec().Plain():
			s.Rerank = RerankNone
		case st.graph.Params().Low:
			s.Rerank = RerankPlane
		}
	}
	return s, nil
}
