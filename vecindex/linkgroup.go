package vecindex

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// group is a number of nodes on their way into the graph.
type group struct {
	ix      *Index
	graph   *graph // with the record as it will be
	from    *graph // that of the index when the work began, nil for none
	nodes   []groupNode
	vectors []float32
	lists   map[hnsw.ListKey]struct{}
	workers int
	first   uint32 // slot from which on nodes are looked for
	most    int    // nodes of a group
}

type groupNode struct {
	slot uint32
	rec  slotRecord
}

// errEnough ends a scan.
var errEnough = errors.New("enough")

// read reads the pending vectors that the group takes.
func (gr *group) read(ctx context.Context) (err error) {
	ix := gr.ix
	ix.mu.Lock()
	ix.inFlight, ix.lost = map[uint32]bool{}, map[uint32]uint64{}
	ix.lowest = math.MaxUint32
	ix.mu.Unlock()
	snap, err := ix.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	err = ix.in(snap).pending(ctx, gr.first, func(slot uint32, rec slotRecord, x []float32) error {
		if len(gr.nodes) == gr.most {
			return errEnough
		}
		gr.nodes = append(gr.nodes, groupNode{slot, rec})
		gr.vectors = append(gr.vectors, x...)
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err != nil {
		return err
	}
	// Those that die from now on are noticed; those that died since the
	// snapshot are found by asking again.
	ix.mu.Lock()
	for _, n := range gr.nodes {
		ix.inFlight[n.slot] = true
	}
	ix.mu.Unlock()
	return gr.dropDead(ctx)
}

// dropDead leaves out what is not pending any more.
func (gr *group) dropDead(ctx context.Context) error {
	ix, d := gr.ix, gr.ix.cfg.Dim
	keys := make([][]byte, len(gr.nodes))
	for i, n := range gr.nodes {
		keys[i] = ix.cfg.Table.Pending(false, n.slot)
	}
	gone := map[int]bool{}
	err := ix.store.MultiGet(ctx, keys, func(i int, b []byte) error {
		if b == nil {
			gone[i] = true
		}
		return nil
	})
	if err != nil || len(gone) == 0 {
		return err
	}
	nodes, vectors := gr.nodes, gr.vectors
	gr.nodes, gr.vectors = nil, nil
	for i, n := range nodes {
		if !gone[i] {
			gr.nodes = append(gr.nodes, n)
			gr.vectors = append(gr.vectors, vectors[i*d:i*d+d]...)
		}
	}
	return nil
}

func (gr *group) vector(i int) []float32 {
	d := gr.ix.cfg.Dim
	return gr.vectors[i*d : i*d+d : i*d+d]
}

// fetch reads the vectors of the group's nodes.
func (gr *group) fetch(ctx context.Context, r kv.Reader) error {
	t := gr.ix.cfg.Table
	d := gr.ix.cfg.Dim
	gr.vectors = slices.Grow(gr.vectors[:0], d*len(gr.nodes))[:d*len(gr.nodes)]
	keys := make([][]byte, len(gr.nodes))
	for i, n := range gr.nodes {
		keys[i] = t.Slot(layout.TagVector, n.slot)
	}
	return r.MultiGet(ctx, keys, func(i int, b []byte) error {
		if b == nil {
			return corrupt(keys[i], "slot without a vector")
		}
		return gr.ix.cfg.Element.read(keys[i], b, gr.vector(i))
	})
}

// train returns a codec for vectors like the first of the group.
func (gr *group) train() *quant.Codec {
	if d := gr.ix.cfg.Dim; d <= quant.PlainDim {
		return quant.Plain(d, gr.ix.cfg.Metric == InnerProduct)
	}
	var sample [][]float32
	for i := range min(len(gr.nodes), sampleSize) {
		sample = append(sample, gr.vector(i))
	}
	c := &gr.ix.cfg
	return quant.Train(c.Dim, c.Metric == InnerProduct, sample, c.Seed)
}

// put encodes the nodes and links them in memory, before any search sees them.
func (gr *group) put(ctx context.Context) error {
	ix, g := gr.ix, gr.graph.Graph
	slots := uint32(0)
	for _, n := range gr.nodes {
		slots = max(slots, n.slot+1)
	}
	ix.mu.Lock()
	g.Reserve(slots)
	ix.mu.Unlock()
	gr.encode(g.Version())
	for rest := gr.nodes; len(rest) > 0; {
		batch := rest[:min(hnsw.BatchSize, len(rest))]
		rest = rest[len(batch):]
		gr.note(batch)
		byLayer := map[uint8][]hnsw.Node{}
		for _, n := range batch {
			byLayer[n.rec.layer] = append(byLayer[n.rec.layer], hnsw.Node{Slot: n.slot, ID: n.rec.id})
		}
		for _, layer := range slices.Sorted(maps.Keys(byLayer)) {
			keys, err := g.Link(ctx, layer, byLayer[layer], gr.workers)
			if err != nil {
				return err
			}
			gr.touch(keys)
		}
		if g.Params().Down {
			all := slices.Concat(slices.Collect(maps.Values(byLayer))...)
			slices.SortFunc(all, func(a, b hnsw.Node) int { return compareIDs(a.ID, b.ID) })
			keys, err := g.LinkDown(ctx, all, gr.workers)
			if err != nil {
				return err
			}
			gr.touch(keys)
		}
	}
	gr.graph.record.layers = g.Version().Layers()
	return nil
}

// touch notes lists that have to be written.
func (gr *group) touch(keys []hnsw.ListKey) {
	for _, k := range keys {
		gr.lists[k] = struct{}{}
	}
}

func (gr *group) encode(v *hnsw.Version) {
	var at atomic.Int64
	var wg sync.WaitGroup
	for range gr.workers {
		wg.Go(func() {
			enc := gr.graph.Codec().NewEncoder()
			for {
				i := int(at.Add(1)) - 1
				if i >= len(gr.nodes) {
					return
				}
				enc.Encode(v.Code(gr.nodes[i].slot), v.Low(gr.nodes[i].slot), gr.vector(i))
			}
		})
	}
	wg.Wait()
}

// note brings up to date what the record says of the graph's history.
func (gr *group) note(batch []groupNode) {
	r := &gr.graph.record
	if r.flags&graphPartial != 0 {
		r.flags |= graphImpure
	}
	for _, n := range batch {
		if n.rec.id <= r.lastID && (r.lastID > 0 || n.rec.id > 0) {
			r.flags |= graphImpure
		}
		r.lastID = max(r.lastID, n.rec.id)
	}
	if len(batch) < hnsw.BatchSize {
		r.flags |= graphPartial
	}
}

// write stores what changed and shows the nodes.
func (gr *group) write(ctx context.Context, commit Committer, first bool) error {
	ix, g := gr.ix, gr.graph
	t, edition := ix.cfg.Table, g.record.edition
	w := &recordWriter{ctx: ctx, commit: commit}
	torn := g.record
	torn.flags |= graphTorn | graphImpure
	if first {
		torn.layers = []hnsw.Layer{{}}
		w.set(t.Meta(codecName(edition)), g.Codec().AppendRecord(nil))
	} else {
		torn.layers = gr.from.record.layers
	}
	w.set(t.Meta(graphName), appendGraph(nil, &torn))
	gr.codes(w, edition, gr.nodes, gr.nodes)
	w.lists(t, edition, g.Version(), slices.Collect(maps.Keys(gr.lists)))
	if err := w.flush(); err != nil {
		return err
	}
	err := commit(ctx, func(b kv.Batch) error {
		b.Set(t.Meta(graphName), appendGraph(nil, &g.record))
		ix.mu.Lock()
		defer ix.mu.Unlock()
		for _, n := range gr.nodes {
			if _, dead := ix.lost[n.slot]; dead {
				b.Set(t.Pending(true, n.slot), []byte{n.rec.layer})
			} else {
				b.Delete(t.Pending(false, n.slot))
			}
		}
		gr.show()
		return nil
	})
	if err != nil {
		return err
	}
	gr.finish()
	return nil
}

// codes writes the codes of nodes, which the graph has in the slots of others.
func (gr *group) codes(w *recordWriter, edition uint8, nodes, in []groupNode) {
	t, v := gr.ix.cfg.Table, gr.graph.Version()
	for i, n := range nodes {
		w.set(t.Code(edition, n.slot), bytes.Clone(v.Code(in[i].slot)))
	}
}

// show makes the nodes visible in the graph, with the index's mu held. It comes
// before the commit: a View of a snapshot after it may have no other place to
// find them in.
func (gr *group) show() {
	lives := make([]hnsw.Life, len(gr.nodes))
	for i, n := range gr.nodes {
		lives[i] = hnsw.Life{Slot: n.slot, Born: n.rec.born, Died: gr.ix.lost[n.slot]}
	}
	gr.graph.Show(lives)
}

// finish takes the nodes from the pending ones in memory.
func (gr *group) finish() {
	ix := gr.ix
	ix.mu.Lock()
	defer ix.mu.Unlock()
	slots := make(map[uint32]bool, len(gr.nodes))
	for _, n := range gr.nodes {
		slots[n.slot] = true
	}
	for slot, seq := range ix.lost {
		gr.graph.Kill(slot, seq) // those that died after the commit
	}
	ix.inFlight, ix.lost = nil, nil
	ix.marksFrom.Store(min(gr.nodes[len(gr.nodes)-1].slot+1, ix.lowest))
	st := ix.state.Load()
	if st == nil {
		return
	}
	if st.graph != gr.from {
		// It was given up and read again meanwhile, and the deaths since were
		// noted in that one.
		ix.state.Store(nil)
		return
	}
	next := *st
	next.graph = gr.graph
	if st.mirror != nil {
		next.mirror = st.mirror.next()
		next.mirror.drop(slots)
		next.floor = max(next.floor, next.mirror.floor)
		if m := next.mirror; m.live+m.dead == 0 {
			next.mirror = newMirror(m.dim, m.coded, 0, m.head)
			next.mirror.floor = m.floor
		}
	}
	ix.keep(&next)
}
