package vecindex

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/kv"
)

// If searches of an index read vectors.
const (
	unloaded = "unloaded" // nothing was searched yet: memory, if it fits
	inMemory = "memory"   // the mirror or the graph
	onWalk   = "walk"     // the graph, node by node from the store: it is too large for memory
	onCodes  = "codes"    // the few vectors from the store that codes in memory leave in doubt
	onLists  = "lists"    // the lists near the query from the store, and the vectors that they leave in doubt
	onDisk   = "disk"     // all vectors from the store, or all of which not even codes fit into memory
)

// Backlog returns about how many vectors the graph does not have yet, which each
// search compares: those in memory, or those that were put since the index was
// opened if it is not in memory; 0 if there is no graph in a memory that all
// vectors are in.
func (ix *Index) Backlog() int {
	if ix.cfg.lists() {
		return int(ix.waiting.Load())
	}
	if !ix.cfg.graph() {
		return 0
	}
	switch st := ix.state.Load(); {
	case st == nil || st.graph != nil && st.mirror == nil:
		return int(ix.waiting.Load())
	case st.graph != nil:
		return st.mirror.live
	}
	return 0
}

// Stats are an index's figures at one moment.
type Stats struct {
	Vectors int    // in the latest commit
	Source  string // of the next search: unloaded, memory, walk, codes, lists or disk
	// Why says in a sentence why vectors are not read from memory, or why more
	// than the bound is used; empty if there is nothing to say.
	Why         string
	MemoryBytes int64 // what the index holds of it
	Dead        int   // vectors in memory that only older Views see
	// Of the kinds that build graphs, and of IVF: the vectors that the graph or lists have, and
	// those that are searched one by one until they have them. Of a graph, once it is
	// loaded, what its estimates are checked against.
	Linked, Pending int
	Rerank          Rerank
}

// Stats reads some records and returns the index's figures.
func (ix *Index) Stats(ctx context.Context) (Stats, error) {
	m, err := ix.readMeta(ctx, ix.store)
	if err != nil {
		return Stats{}, ix.wrap("stats", err)
	}
	s := Stats{Vectors: int(m.live), Source: unloaded}
	st := ix.state.Load()
	if st != nil && ix.follows && !st.shows(m.seq) {
		st = nil // the next search reads what changed
	}
	s.MemoryBytes = ix.held()
	if st == nil {
		if ix.cfg.lists() {
			err = ix.snapshot(ctx, func(r kv.Reader, m meta) error { return ix.listsStats(ctx, r, m, &s) })
		} else if ix.cfg.graph() {
			err = ix.snapshot(ctx, func(r kv.Reader, m meta) error {
				s.Vectors = int(m.live)
				return ix.graphStats(ctx, r, m, &s)
			})
		} else {
			ix.flatStats(m, &s)
		}
		return s, ix.wrap("stats", err)
	}
	s.Source = inMemory
	switch {
	case ix.beyond.Load():
		s.Why = "vectors are being linked, which takes a graph that is over the bound into memory until it is done"
	case st.graph != nil && st.mirror == nil:
		s.Why = "the vectors that are not linked yet do not fit beside the graph: they are read from the store"
	}
	if st.mirror != nil {
		s.Dead = st.mirror.dead
		ix.mirrorStats(st.mirror, &s)
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

// flatStats says what searches of a flat index that is not in memory read.
func (ix *Index) flatStats(m meta, s *Stats) {
	coded := ix.cfg.coded()
	least := wholeRows
	if coded {
		least = packedRows
	}
	if limit, n := ix.bound(), tierBytes(m.live, ix.cfg.Dim, coded, least); limit != 0 && n > limit/4*3 {
		s.Source, s.Why = onDisk, ix.tooLarge(least.name()+" take", n)
	}
}

// mirrorStats says what searches of a mirror read.
func (ix *Index) mirrorStats(m *mirror, s *Stats) {
	if m.tier == wholeRows {
		return
	}
	s.Source = onCodes
	have := []string{"the codes of all are in memory", "packed codes of some or all are in memory"}
	if m.tier == bareRows {
		s.Source = onDisk
		have = append(have, "nothing is in memory of some or all")
	}
	s.Why = ix.tooLarge("the vectors take", mirrorBytes(uint32(m.live), m.dim, m.coded)) + "; " + have[m.tier-codedRows]
}

// name names what rows of a tier have.
func (t tier) name() string {
	if t == packedRows {
		return "packed codes of the vectors"
	}
	return "the vectors"
}

// tooLarge says why something does not fit.
func (ix *Index) tooLarge(what string, bytes int64) string {
	limit := ix.bound()
	if limit < 0 {
		return "the index is to hold nothing in memory"
	}
	return fmt.Sprintf("%s %d bytes in memory, and may take %d", what, bytes, limit/4*3)
}

// graphStats says what searches of a graph read that is not in memory.
func (ix *Index) graphStats(ctx context.Context, r kv.Reader, m meta, s *Stats) error {
	if m.seq == 0 {
		return nil
	}
	l := &loader{ix: ix, r: r, meta: m}
	some, err := l.readRecords(ctx)
	if err != nil {
		return err
	}
	if !some {
		s.Pending = s.Vectors
		if !ix.fits(m.live, 0) || ix.limit < 0 {
			s.Source = onDisk
			s.Why = fmt.Sprintf("there is no graph yet: it is made of %d vectors and more; %s", minGraph,
				ix.tooLarge("without one they take", mirrorBytes(m.live, ix.cfg.Dim, ix.cfg.coded())))
		}
		return nil
	}
	dead, err := l.marks(ctx, 1, 0, l.linked()+1, nil)
	if err != nil {
		return err
	}
	s.Linked = l.linked() - len(dead)
	s.Pending = s.Vectors - s.Linked
	if ix.hasRoomFor(l.codec, int(m.next), 0) {
		return nil
	}
	why := ix.tooLarge("the graph takes", ix.graphBytes(l.codec, int(m.next)))
	switch most := maxMarks(m.live); {
	case m.live < ix.minCold:
		s.Source = onDisk
		why += ": that few vectors are compared one by one"
	case s.Pending > most || len(dead) > most:
		s.Source = onDisk
		why += fmt.Sprintf(", and %d vectors that are not linked and %d dead ones are too many for walks on disk", s.Pending, len(dead))
	default:
		s.Source = onWalk
		why += ": searches walk it on disk"
	}
	s.Why = why
	return nil
}

// listsStats says what searches of an index with lists read.
func (ix *Index) listsStats(ctx context.Context, r kv.Reader, m meta, s *Stats) error {
	s.Vectors = int(m.live)
	if m.seq == 0 {
		return nil
	}
	rec, _, err := ix.readListsRecord(ctx, r)
	if err != nil {
		return err
	}
	s.Source = onLists
	waiting, err := (&loader{ix: ix, r: r, meta: m}).marks(ctx, 0, 0, int(m.live)+1, nil)
	if err != nil {
		return err
	}
	s.Pending = len(waiting)
	s.Linked = s.Vectors - s.Pending
	if rec == nil {
		if ix.cfg.Kind == Auto {
			s.Source, s.Linked, s.Pending = unloaded, 0, 0
			ix.flatStats(m, s)
			return nil
		}
		s.Source = onDisk
		if s.Vectors >= minGraph {
			s.Why = "there are no lists yet"
		}
	}
	return nil
}
