package vecindex

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// Flush is Tend that leaves nothing: every vector is linked, however few there
// are, and every dead one that no View sees is taken out.
func (ix *Index) Flush(ctx context.Context, commit Committer) error {
	return ix.wrap("flush", ix.tend(ctx, commit, true))
}

// Settle is Flush that leaves a graph which is a function of the vectors, their
// ids, M, EfConstruction and the seed, whatever the commits that they came by.
// The graph is that already if the vectors came in the order of their ids
// and none was deleted; else it is rebuilt beside the one in use, which
// takes its place in one commit. Commits meanwhile may have to be settled again.
// So it is with the lists of an IVF, which are made again if any vector came or went
// since they were made. An index of which nothing changed since reads three records. [View.Links] wants
// a settled index.
func (ix *Index) Settle(ctx context.Context, commit Committer) error {
	return ix.wrap("settle", ix.settle(ctx, commit))
}

func (ix *Index) settle(ctx context.Context, commit Committer) error {
	if ix.cfg.lists() {
		return ix.settleLists(ctx, commit)
	}
	if !ix.cfg.graph() {
		return nil
	}
	end, err := ix.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if ix.state.Load() == nil {
		if done, err := ix.isSettled(ctx); err != nil || done {
			return err
		}
	}
	for {
		if err := ix.finishWork(ctx, commit, true); err != nil {
			return err
		}
		if again, err := ix.relink(ctx, commit); err != nil || !again {
			return err
		}
	}
}

// isSettled reports whether the records say that there is nothing to settle.
func (ix *Index) isSettled(ctx context.Context) (done bool, err error) {
	err = ix.snapshot(ctx, func(r kv.Reader, m meta) error {
		l := &loader{ix: ix, r: r, meta: m}
		if some, err := l.readRecords(ctx); err != nil || !some {
			done = m.live == 0
			return err
		}
		due, err := ix.dueIn(ctx, r, m, true)
		done = !due && l.record.flags&(graphImpure|graphTorn) == 0
		return err
	})
	return done && err == nil, err
}

// relink rebuilds the graph if it is not a function of the vectors. It
// reports whether there may be more to do: commits went on meanwhile.
func (ix *Index) relink(ctx context.Context, commit Committer) (again bool, err error) {
	st, err := ix.loadToLink(ctx)
	if err != nil {
		return false, err
	}
	if st == nil || st.graph == nil {
		m, err := ix.readMeta(ctx, ix.store)
		return m.live > 0, err // put since
	}
	if st.graph.record.flags&graphImpure == 0 && st.graph.Dead() == 0 {
		return false, nil
	}
	// Deaths are noted from before the snapshot on, so that none is missed.
	held, edition := map[uint32]bool{}, st.graph.record.edition
	v := st.graph.Version()
	for slot := range v.Slots() {
		if v.Held(slot) {
			held[slot] = true
		}
	}
	defer ix.landed()
	ix.mu.Lock()
	ix.inFlight, ix.lost = held, map[uint32]uint64{}
	ix.mu.Unlock()
	st, v = nil, nil // only ix.state holds the graph: see giveWay
	snap, err := ix.store.Snapshot(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	head, err := ix.readMeta(ctx, snap)
	if err != nil {
		return false, err
	}
	all, err := ix.in(snap).ordered(ctx)
	if err != nil {
		return false, err
	}
	vectors := len(all)
	all = slices.DeleteFunc(all, func(n groupNode) bool { return !held[n.slot] })
	pending := len(all) < vectors
	n := &relinking{ix: ix, r: snap, held: held, edition: edition, seq: head.seq}
	n.record = graphRecord{m: uint32(ix.cfg.m()), edition: 1 - edition, layers: []hnsw.Layer{{}}}
	if err := n.run(ctx, commit, all, head.next); err != nil {
		ix.abandon()
		return false, err
	}
	return pending || n.record.flags&graphImpure != 0, nil
}

// relinking is the work of one relink.
type relinking struct {
	ix      *Index
	r       kv.Reader
	held    map[uint32]bool // slots of the graph in use
	edition uint8           // its
	seq     uint64
	record  graphRecord
	graph   *graph
}

func (n *relinking) run(ctx context.Context, commit Committer, all []groupNode, slots uint32) error {
	ix, t, edition := n.ix, n.ix.cfg.Table, n.record.edition
	err := commit(ctx, func(b kv.Batch) error {
		n.clear(b, edition)
		return nil
	})
	if err != nil {
		return err
	}
	w := &recordWriter{ctx: ctx, commit: commit}
	gr := &group{ix: ix, lists: map[hnsw.ListKey]struct{}{}, workers: ix.goroutines()}
	ranked := all
	if !slices.IsSortedFunc(all, bySlot) {
		ranked = byRank(all)
	}
	for from := 0; from < len(all) || from == 0; from += linkGroup {
		to := min(from+linkGroup, len(all))
		gr.nodes = all[from:to]
		if err := gr.fetch(ctx, n.r); err != nil {
			return err
		}
		if from == 0 {
			codec := gr.train()
			n.giveWay(codec, int(slots))
			g := ix.makeGraph(codec, int(slots))
			gr.graph = &graph{Graph: g, record: n.record}
			w.set(t.Meta(codecName(edition)), codec.AppendRecord(nil))
		}
		gr.nodes = ranked[from:to]
		if err := gr.put(ctx); err != nil {
			return err
		}
		gr.codes(w, edition, all[from:to], ranked[from:to])
	}
	keys := slices.Collect(maps.Keys(gr.lists))
	if !slices.Equal(ranked, all) {
		if err := gr.place(all); err != nil {
			return err
		}
		for i := range keys {
			keys[i].Slot = all[keys[i].Slot].slot
		}
	}
	n.graph = gr.graph
	w.lists(t, edition, n.graph.Version(), keys)
	if err := w.flush(); err != nil {
		return err
	}
	return n.swap(ctx, commit, all)
}

// giveWay gives up the graph in use if a second one does not fit beside it:
// searches walk it on disk meanwhile.
func (n *relinking) giveWay(codec *quant.Codec, slots int) {
	ix := n.ix
	if ix.hasRoomFor(codec, slots, ix.held()) {
		return
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.state.Store(nil)
}

// byRank returns nodes in the slots 0, 1 and so on: of equal distances the one
// in the lower slot counts as nearer, which must not depend on the slots that
// the nodes were given.
func byRank(all []groupNode) []groupNode {
	out := slices.Clone(all)
	for rank := range out {
		out[rank].slot = uint32(rank)
	}
	return out
}

func bySlot(a, b groupNode) int { return cmp.Compare(a.slot, b.slot) }

// place moves the nodes of the group's graph from their ranks to their slots.
func (gr *group) place(all []groupNode) error {
	old := gr.graph.Version()
	g := hnsw.New(gr.graph.Codec(), gr.graph.Params())
	r := g.Restore(slices.MaxFunc(all, bySlot).slot + 1)
	v := r.Version()
	for rank, x := range all {
		r.Node(x.slot, x.rec.id, x.rec.layer)
		copy(v.Code(x.slot), old.Code(uint32(rank)))
		copy(v.Low(x.slot), old.Low(uint32(rank)))
	}
	known := func(uint32) bool { return true }
	for key := range gr.lists {
		l := old.List(key, nil)
		l.Key.Slot = all[key.Slot].slot
		if l.Parent != math.MaxUint32 {
			l.Parent = all[l.Parent].slot
		}
		for i, n := range l.Links {
			l.Links[i] = all[n].slot
		}
		if err := r.List(l, known); err != nil {
			return err
		}
	}
	layers := slices.Clone(old.Layers())
	for i, l := range layers {
		if l.Linked > 0 {
			layers[i].Entry, layers[i].Root = all[l.Entry].slot, all[l.Root].slot
		}
	}
	gr.ix.building.Store(&building{g, 0})
	gr.graph.Graph, gr.graph.record.layers = g, layers
	return r.Done(layers)
}

// clear removes all records of an edition.
func (n *relinking) clear(b kv.Batch, edition uint8) {
	t := n.ix.cfg.Table
	for _, prefix := range [][]byte{
		append(t.Prefix(layout.TagCode), edition),
		append(t.Prefix(layout.TagLinks), edition),
	} {
		b.DeleteRange(prefix, layout.Next(prefix))
	}
	b.Delete(t.Meta(codecName(edition)))
}

// swap makes the new graph the one of the index.
func (n *relinking) swap(ctx context.Context, commit Committer, all []groupNode) error {
	ix, t := n.ix, n.ix.cfg.Table
	n.record = n.graph.record
	// What is dead in the old graph is not in the new one at all.
	var gone []uint32
	in := make(map[uint32]bool, len(all))
	lives := make([]hnsw.Life, len(all))
	for i, x := range all {
		in[x.slot] = true
		lives[i] = hnsw.Life{Slot: x.slot, Born: x.rec.born}
	}
	err := commit(ctx, func(b kv.Batch) error {
		ix.mu.Lock()
		defer ix.mu.Unlock()
		for slot := range ix.lost {
			if in[slot] {
				n.record.flags |= graphImpure
			}
		}
		if v := n.graph.Version(); int(v.Slots()) > len(all) || !slices.IsSortedFunc(all, bySlot) {
			// What comes may get a slot that is not above those of lesser ids.
			n.record.flags |= graphPartial
		}
		b.Set(t.Meta(graphName), appendGraph(nil, &n.record))
		n.clear(b, n.edition)
		gone = gone[:0]
		for slot := range n.held {
			if !in[slot] {
				gone = append(gone, slot)
				b.Delete(t.Pending(true, slot))
			}
		}
		slices.Sort(gone)
		return nil
	})
	if err != nil {
		return err
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for i := range lives {
		lives[i].Died = ix.lost[lives[i].Slot]
	}
	n.graph.record = n.record
	n.graph.Show(lives)
	if st := ix.state.Load(); st != nil {
		next := *st
		next.graph = n.graph
		next.floor = max(next.floor, n.seq)
		ix.keep(&next)
		ix.free = append(slices.Clone(ix.free), gone...)
	}
	return nil
}

// ordered returns all nodes with a vector, ids ascending.
func (s stored) ordered(ctx context.Context) ([]groupNode, error) {
	var out []groupNode
	err := s.scanSlots(ctx, func(slot uint32, rec slotRecord) { out = append(out, groupNode{slot, rec}) })
	slices.SortFunc(out, func(a, b groupNode) int { return compareIDs(a.rec.id, b.rec.id) })
	return out, err
}
