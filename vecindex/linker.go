package vecindex

import (
	"context"
	"runtime"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
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
// called several times. It reads the index into memory if it is not; one that
// does not fit, a flat one and a small one have nothing to do. The next call goes on
// with work that an error interrupted. There is one Tend, Flush or Settle at
// a time; others wait.
func (ix *Index) Tend(ctx context.Context, commit Committer) error {
	return ix.wrap("tend", ix.tend(ctx, commit, false))
}

func (ix *Index) tend(ctx context.Context, commit Committer, all bool) error {
	if !ix.cfg.graph() {
		return nil
	}
	if err := ix.linking.take(ctx); err != nil {
		return err
	}
	defer ix.linking.pass()
	for {
		st, err := ix.load(ctx)
		if err != nil || st == nil {
			return err
		}
		n, err := ix.link(ctx, commit, all)
		if err != nil {
			return err
		}
		m, err := ix.repair(ctx, commit, all)
		if err != nil || n+m == 0 {
			return err
		}
	}
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
	if err := gr.read(ctx); err != nil {
		return 0, err
	}
	st := ix.state.Load()
	if st == nil {
		return 0, nil
	}
	first := st.graph == nil
	if !all {
		gr.nodes = gr.nodes[:len(gr.nodes)/hnsw.BatchSize*hnsw.BatchSize]
	}
	if len(gr.nodes) == 0 || first && !all && len(gr.nodes) < minGraph {
		return 0, nil
	}
	if first {
		if gr.graph, err = ix.firstGraph(ctx, gr); err != nil || gr.graph == nil {
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
	return len(gr.nodes), nil
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

// firstGraph returns an empty graph with a codec for vectors like the group's,
// nil if there is no room.
func (ix *Index) firstGraph(ctx context.Context, gr *group) (*graph, error) {
	m, err := ix.readMeta(ctx, ix.store)
	if err != nil {
		return nil, err
	}
	_, b, err := ix.get(ctx, ix.store, graphName)
	if err != nil || b != nil {
		return nil, err // there is a graph that does not fit
	}
	g := ix.newGraph(gr.train(), int(m.next))
	if g == nil {
		return nil, nil
	}
	return &graph{Graph: g, record: graphRecord{m: uint32(ix.cfg.m())}}, nil
}

// goroutines returns how many may link at a time.
func (ix *Index) goroutines() int {
	if ix.workers > 0 {
		return ix.workers
	}
	return runtime.GOMAXPROCS(0)
}
