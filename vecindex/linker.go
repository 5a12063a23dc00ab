package vecindex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// Committer applies what fn puts into a batch, as a commit of its own that no
// [Write] runs beside.
type Committer func(ctx context.Context, fn func(b kv.Batch) error) error

const (
	// minGraph is the number of vectors below which there is no graph: they
	// are compared one by one.
	minGraph = 1024
	// sampleSize is how many vectors a codec is trained on: the first ones.
	sampleSize = minGraph
	// linkGroup is how many nodes are linked between writing the records.
	linkGroup = 4 * hnsw.BatchSize
	// tendGroup is the same for Tend, which searches go on beside: what is
	// pending costs each of them.
	tendGroup = hnsw.BatchSize
	// commitRecords and commitBytes bound a commit, so that the writer is not
	// held up.
	commitRecords = 1024
	commitBytes   = 512 << 10
	// minDead and deadShare say how many dead nodes are worth a repair.
	minDead   = 256
	deadShare = 100
)

// Tend does the work that commits leave behind for a graph: it links pending
// vectors once there are enough of them, and takes dead ones out. commit is
// called several times. It reads the graph into memory if it is not there; a
// flat index and a small one have nothing to do. For the lists of an IVF it does the
// same work, reading the centroids into memory. The next call goes on
// with work that an error interrupted. There is one Tend, Flush or Settle at
// a time; others wait.
//
// A graph is linked in memory, also one that is over the bound of the index:
// linking reads thousands of nodes for each, which from the store would take a
// hundred times as long. What that takes beyond the bound is given back at the
// end, and Tend waits until it is worth the reading.
func (ix *Index) Tend(ctx context.Context, commit Committer) error {
	return ix.wrap("tend", ix.tend(ctx, commit, false))
}

// Tended reports whether commits leave work to Tend.
func (ix *Index) Tended() bool {
	return ix.cfg.Kind != Flat && (ix.cfg.Kind != Auto || ix.large.Load())
}

func (ix *Index) tend(ctx context.Context, commit Committer, all bool) error {
	if ix.cfg.lists() {
		return ix.tendLists(ctx, commit, all)
	}
	if !ix.cfg.graph() {
		return nil
	}
	end, err := ix.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if due, err := ix.due(ctx, all); err != nil || !due {
		return err
	}
	return ix.finishWork(ctx, commit, all)
}

// begin makes the caller the linker of the index until end is called.
func (ix *Index) begin(ctx context.Context) (end func(), err error) {
	if err := ix.linking.take(ctx); err != nil {
		return nil, err
	}
	ix.mu.Lock()
	ix.tending = true
	ix.mu.Unlock()
	return func() {
		ix.mu.Lock()
		ix.building.Store(nil)
		ix.tending = false
		ix.beyond.Store(false)
		ix.keep(ix.state.Load())
		ix.mu.Unlock()
		ix.linking.pass()
	}, nil
}

// due reports whether an index that is not in memory has enough work to be
// read for it, or any if all is to be done.
func (ix *Index) due(ctx context.Context, all bool) (due bool, err error) {
	if ix.state.Load() != nil {
		return true, nil
	}
	err = ix.snapshot(ctx, func(r kv.Reader, m meta) error {
		due, err = ix.dueIn(ctx, r, m, all)
		return err
	})
	return due, err
}

// snapshot calls fn with a snapshot and its record of the index.
func (ix *Index) snapshot(ctx context.Context, fn func(r kv.Reader, m meta) error) (err error) {
	snap, err := ix.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	m, err := ix.readMeta(ctx, snap)
	if err != nil {
		return err
	}
	return fn(snap, m)
}

func (ix *Index) dueIn(ctx context.Context, r kv.Reader, m meta, all bool) (bool, error) {
	if m.seq == 0 {
		return false, nil
	}
	l := &loader{ix: ix, r: r, meta: m}
	some, err := l.readRecords(ctx)
	if err != nil {
		return false, err
	}
	most, dead := minGraph, math.MaxInt
	if some {
		dead = max(minDead, l.linked()/deadShare)
		if !ix.hasRoomFor(l.codec, int(m.next), 0) {
			most = linkGroup
		}
	}
	if all {
		most, dead = 1, 1
	}
	from := [2]uint32{0: ix.marksFrom.Load()}
	if all {
		from[0] = 0
	}
	for kind, n := range []int{most, dead} {
		marks, err := l.marks(ctx, uint8(kind), from[kind], n, nil)
		if err != nil || len(marks) >= n {
			return err == nil, err
		}
	}
	return false, nil
}

// finishWork links and repairs until there is nothing to do.
func (ix *Index) finishWork(ctx context.Context, commit Committer, all bool) error {
	for {
		if _, err := ix.loadToLink(ctx); err != nil {
			return err
		}
		n, err := ix.link(ctx, commit, all)
		if errors.Is(err, errGivenUp) {
			continue
		}
		if err != nil {
			return err
		}
		m, err := ix.repair(ctx, commit, all)
		if err != nil || n+m == 0 {
			return err
		}
	}
}

// loadToLink returns the state to link in, nil if there is no graph yet and the
// vectors do not fit in memory.
func (ix *Index) loadToLink(ctx context.Context) (*state, error) {
	for range 100 {
		st, err := ix.loadFor(ctx, true)
		if st != nil || err != nil {
			return st, err
		}
		// Either there is no graph, or it was given up at once: a commit came
		// meanwhile that was not published.
		_, b, err := ix.get(ctx, ix.store, graphName)
		if err != nil || b == nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: commits come faster than the graph can be read", ErrUnsettled)
}

// link links the next pending vectors, up to a group, and returns how many.
// Without all it leaves those that do not fill a batch.
func (ix *Index) link(ctx context.Context, commit Committer, all bool) (n int, err error) {
	defer ix.landed()
	gr := &group{ix: ix, lists: map[hnsw.ListKey]struct{}{}, workers: ix.goroutines(), most: linkGroup}
	if !all {
		// Half of the processors are left to those who search and write.
		gr.workers, gr.most = max(1, gr.workers/2), tendGroup
	}
	gr.first = ix.marksFrom.Load()
	if err := gr.read(ctx); err != nil {
		return 0, err
	}
	if len(gr.nodes) == 0 && gr.first > 0 {
		gr.first = 0 // to be sure: see marksFrom
		if err := gr.read(ctx); err != nil {
			return 0, err
		}
	}
	st := ix.state.Load()
	first := st == nil || st.graph == nil
	if !all {
		gr.nodes = gr.nodes[:len(gr.nodes)/hnsw.BatchSize*hnsw.BatchSize]
	}
	if len(gr.nodes) == 0 || first && !all && len(gr.nodes) < minGraph {
		return 0, nil
	}
	if first {
		if gr.graph, err = ix.firstGraph(ctx, gr); err != nil {
			return 0, err
		}
	} else {
		gr.from = st.graph
		gr.graph = &graph{Graph: st.graph.Graph, record: st.graph.record, planes: st.graph.planes}
	}
	if err := gr.put(ctx); err != nil {
		ix.abandon()
		return 0, err
	}
	if err := gr.write(ctx, commit, first); err != nil {
		ix.abandon()
		return 0, err
	}
	ix.wait(-int64(len(gr.nodes)))
	return len(gr.nodes), nil
}

// wait counts vectors that have to be linked, or were.
func (ix *Index) wait(n int64) {
	for {
		was := ix.waiting.Load()
		if ix.waiting.CompareAndSwap(was, max(0, was+n)) {
			return
		}
	}
}

// landed says that nothing is on its way into the graph.
func (ix *Index) landed() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.inFlight, ix.lost = nil, nil
}

// abandon forgets the state, in which the graph is not what is stored.
func (ix *Index) abandon() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.state.Store(nil)
	ix.free = nil
}

// errGivenUp says that the graph in memory was given up since it was read: a
// commit was not published.
var errGivenUp = errors.New("graph was given up")

// firstGraph returns an empty graph with a codec for vectors like the group's.
func (ix *Index) firstGraph(ctx context.Context, gr *group) (*graph, error) {
	m, err := ix.readMeta(ctx, ix.store)
	if err != nil {
		return nil, err
	}
	_, b, err := ix.get(ctx, ix.store, graphName)
	if err == nil && b != nil {
		err = errGivenUp
	}
	if err != nil {
		return nil, err
	}
	g := ix.makeGraph(gr.train(), int(m.next))
	return &graph{Graph: g, record: graphRecord{m: uint32(ix.cfg.m())}}, nil
}

// makeGraph returns an empty graph that is made beside the one in use.
func (ix *Index) makeGraph(codec *quant.Codec, n int) *hnsw.Graph {
	g := ix.newGraph(codec, n, ix.held(), true)
	ix.building.Store(&building{g, g.BytesFor(n)})
	return g
}

// goroutines returns how many may link at a time.
func (ix *Index) goroutines() int {
	if ix.workers > 0 {
		return ix.workers
	}
	return runtime.GOMAXPROCS(0)
}
