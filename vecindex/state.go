package vecindex

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// state is what an index holds in memory, as of one commit: the mirror of all
// vectors, or a graph and the mirror of those that it does not have yet. It
// never changes for those who hold it, but for the graph's links and deaths.
type state struct {
	// mirror holds all vectors if there is no graph, else the pending ones;
	// nil where those do not fit beside the graph.
	mirror *mirror
	graph  *graph // nil if there is none
	// floor and head bound the commits that the state shows.
	floor, head uint64
	// Of an index that follows: the first slot that was not given out, and the record of
	// the graph as it is stored.
	next uint32
	raw  []byte
}

// graph is the graph of an index, with what its records say of it.
type graph struct {
	*hnsw.Graph
	record graphRecord
	// planes is the number below which all slots have low planes in memory;
	// nil if the graph was never read back, so that all have.
	planes *atomic.Uint32
}

// made returns the number below which all slots have low planes in memory.
func (g *graph) made() uint32 {
	if g.planes == nil {
		return math.MaxUint32
	}
	return g.planes.Load()
}

func mirrored(m *mirror) *state { return &state{mirror: m, floor: m.floor, head: m.head} }

// bytes returns the memory of the state.
func (st *state) bytes() int64 {
	n := int64(0)
	if st.mirror != nil {
		n = st.mirror.size
	}
	if st.graph != nil {
		n += st.graph.Version().Bytes()
	}
	return n
}

// all returns the mirror if it holds all vectors, else nil.
func (st *state) all() *mirror {
	if st.graph != nil {
		return nil
	}
	return st.mirror
}

// shows reports whether the state shows the commit seq.
func (st *state) shows(seq uint64) bool { return seq >= st.floor && seq <= st.head }

// apply returns the state after a committed write.
func (st *state) apply(w *Write) *state {
	next := *st
	next.head = w.seq
	if st.mirror != nil {
		next.mirror = st.mirror.next()
	}
	for i := range w.staged {
		s := &w.staged[i]
		if s.had && st.graph != nil {
			st.graph.Kill(s.old, w.seq)
		}
	}
	if next.mirror != nil {
		next.mirror.apply(w)
		next.floor = max(next.floor, next.mirror.floor)
	}
	return &next
}

// fits reports whether n vectors may be mirrored beside what is held already.
func (ix *Index) fits(n uint32, held int64) bool {
	limit := ix.bound()
	return limit == 0 || held+mirrorBytes(n, ix.cfg.Dim, ix.cfg.coded()) <= limit/4*3
}

// makeRoom reports whether the index may hold some bytes, now or after others
// have released theirs, a quarter of what it then may have being left for
// growth.
func (ix *Index) makeRoom(bytes int64) bool {
	limit := ix.bound()
	if limit == 0 || bytes <= limit/4*3 {
		return true
	}
	if ix.release == nil || ix.limit < 0 || ix.limit > 0 && bytes > ix.limit/4*3 {
		return false
	}
	return ix.release(bytes/3*4+4) && bytes <= ix.bound()/4*3
}

// hasRoomFor reports whether the index may hold a graph of n nodes beside some
// bytes, as things are.
func (ix *Index) hasRoomFor(codec *quant.Codec, n int, held int64) bool {
	limit := ix.bound()
	return limit == 0 || limit > 0 && held+ix.graphBytes(codec, n) <= limit/4*3
}

// graphBytes returns the least memory that a graph of n nodes takes.
func (ix *Index) graphBytes(codec *quant.Codec, n int) int64 {
	p := ix.params()
	p.Low = ix.lowOnDisk(codec)
	return hnsw.New(codec, p).BytesFor(n)
}

// bound returns the bytes that the index may hold now; 0 means no bound.
func (ix *Index) bound() int64 {
	if ix.room == nil || ix.limit < 0 {
		return ix.limit
	}
	room := max(ix.room(), 1)
	if ix.limit > 0 {
		room = min(room, ix.limit)
	}
	return room
}

// load returns the state, building it if there is none yet, or nil if
// there is to be none. Callers that meet a build under way wait for it.
func (ix *Index) load(ctx context.Context) (*state, error) { return ix.loadFor(ctx, false) }

// loadFor is load, for a linker whatever the bound is.
func (ix *Index) loadFor(ctx context.Context, linker bool) (*state, error) {
	if st := ix.state.Load(); st != nil || ix.limit < 0 && !linker {
		return st, nil
	}
	done := make(chan struct{})
	for {
		ix.mu.Lock()
		if st := ix.state.Load(); st != nil {
			ix.mu.Unlock()
			return st, nil
		}
		other := ix.loading
		if other == nil {
			ix.loading = done
			ix.mu.Unlock()
			break
		}
		ix.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	st, err := ix.build(ctx, linker)

	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, w := range ix.buffered {
		if st == nil || w.seq <= st.head {
			continue
		}
		if w.base != st.head {
			st = nil // a commit was not published: the next use rebuilds the state
			continue
		}
		st = st.apply(w)
		ix.took(w)
	}
	ix.loading, ix.buffered = nil, nil
	ix.keep(st)
	close(done)
	return ix.state.Load(), err
}

// keep makes st the current state unless it is over the limit. Of one with a
// graph the pending vectors are left to the store first; a graph that a linker
// is at work on stays until the linker is done.
func (ix *Index) keep(st *state) {
	limit := ix.bound()
	if ix.large.Load() {
		st = nil // the lists are searched
	}
	if st != nil && over(st, limit) && st.graph != nil && st.mirror != nil {
		less := *st
		less.mirror = nil
		st = &less
	}
	if st != nil && over(st, limit) {
		if st.graph != nil && ix.tending {
			ix.beyond.Store(true)
		} else {
			st = ix.less(st, limit)
		}
	}
	if st != nil {
		ix.walks.Store(nil)
	}
	ix.state.Store(st)
}

func over(st *state, limit int64) bool { return limit < 0 || limit > 0 && st.bytes() > limit }

// build reads the state of the latest commit; it is nil if it does not fit.
func (ix *Index) build(ctx context.Context, linker bool) (st *state, err error) {
	snap, err := ix.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := snap.Close(); err == nil && cerr != nil {
			st, err = nil, cerr
		}
	}()
	head, err := ix.readMeta(ctx, snap)
	if err != nil {
		return nil, err
	}
	return ix.buildFrom(ctx, snap, head, linker)
}

// buildFrom reads the state of a snapshot; it is nil if it does not fit.
func (ix *Index) buildFrom(ctx context.Context, snap kv.Reader, head meta, linker bool) (*state, error) {
	if ix.cfg.graph() {
		if st, some, err := ix.buildGraph(ctx, snap, head, linker); some || err != nil {
			return st, err
		}
	}
	m, err := ix.buildMirror(ctx, snap, head)
	if m == nil || err != nil {
		return nil, err
	}
	if ix.cfg.graph() {
		ix.setFree(nil)
	}
	return mirrored(m), nil
}

// accepts returns what is wrong with a slot's record.
func (m *meta) accepts(rec slotRecord, slot uint32, key []byte) error {
	if slot >= m.next {
		return corrupt(key, "slot %d of %d", slot, m.next)
	}
	if rec.born == 0 || rec.born > m.seq {
		return corrupt(key, "born in commit %d, after the last one %d", rec.born, m.seq)
	}
	return nil
}
