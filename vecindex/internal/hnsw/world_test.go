package hnsw_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// world is a graph of random clustered vectors, beside what it holds.
type world struct {
	t       testing.TB
	rng     *rand.Rand
	d       int
	ip      bool
	p       hnsw.Params
	codec   *quant.Codec
	g       *hnsw.Graph
	workers int
	seq     uint64
	ids     map[uint32]uint64 // of linked slots
	vectors map[uint32][]float32
	cluster map[uint32]int
	nextID  uint64
}

const clusters = 12

func newWorld(t testing.TB, seed uint64, d int, ip bool, p hnsw.Params) *world {
	w := &world{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), d: d, ip: ip, p: p, workers: 2, nextID: 1,
		ids: map[uint32]uint64{}, vectors: map[uint32][]float32{}, cluster: map[uint32]int{},
	}
	var sample [][]float32
	for range 200 {
		x, _ := w.draw()
		sample = append(sample, x)
	}
	w.codec = quant.Train(d, ip, sample, seed)
	w.g = hnsw.New(w.codec, p)
	return w
}

// draw returns a vector and its cluster, of length 1 unless the metric is the
// inner product.
func (w *world) draw() ([]float32, int) {
	cl := w.rng.IntN(clusters)
	centre := rand.New(rand.NewPCG(uint64(cl), 77))
	x := make([]float32, w.d)
	var n float64
	for i := range x {
		v := centre.NormFloat64() + 0.3*w.rng.NormFloat64()
		x[i] = float32(v)
		n += v * v
	}
	if !w.ip {
		for i := range x {
			x[i] = float32(float64(x[i]) / math.Sqrt(n))
		}
	}
	return x, cl
}

// span returns the slots from one to below another.
func span(from, to uint32) []uint32 {
	var out []uint32
	for s := from; s < to; s++ {
		out = append(out, s)
	}
	return out
}

// link links slots with new vectors as one batch, without showing them.
func (w *world) link(layer uint8, slots []uint32) []hnsw.ListKey {
	w.t.Helper()
	w.g.Reserve(slices.Max(slots) + 1)
	v, e := w.g.Version(), w.codec.NewEncoder()
	nodes := make([]hnsw.Node, len(slots))
	for i, s := range slots {
		x, cl := w.draw()
		e.Encode(v.Code(s), v.Low(s), x)
		w.vectors[s], w.cluster[s], w.ids[s] = x, cl, w.nextID
		nodes[i] = hnsw.Node{Slot: s, ID: w.nextID}
		w.nextID++
	}
	keys, err := w.g.Link(context.Background(), layer, nodes, w.workers)
	if err != nil {
		w.t.Fatal(err)
	}
	return keys
}

func (w *world) show(slots []uint32) {
	w.seq++
	lives := make([]hnsw.Life, len(slots))
	for i, s := range slots {
		lives[i] = hnsw.Life{Slot: s, Born: w.seq}
	}
	w.g.Show(lives)
}

// add links slots in batches of a size, and shows them.
func (w *world) add(layer uint8, slots []uint32, size int) {
	w.t.Helper()
	for batch := range slices.Chunk(slots, size) {
		w.link(layer, batch)
		w.show(batch)
	}
}

// remove kills slots and repairs the graph.
func (w *world) remove(slots []uint32) []hnsw.ListKey {
	w.t.Helper()
	w.seq++
	for _, s := range slots {
		w.g.Kill(s, w.seq)
		delete(w.ids, s)
		delete(w.vectors, s)
		delete(w.cluster, s)
	}
	keys, err := w.g.Repair(context.Background(), slots, w.workers)
	if err != nil {
		w.t.Fatal(err)
	}
	return keys
}

// slots returns the linked slots, ascending.
func (w *world) slots() []uint32 {
	var out []uint32
	for s := range w.ids {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// some returns a share of the linked slots.
func (w *world) some(share float64) []uint32 {
	var out []uint32
	for _, s := range w.slots() {
		if w.rng.Float64() < share {
			out = append(out, s)
		}
	}
	return out
}

// verify fails the test if the graph is not sound or not of the world.
func (w *world) verify() {
	w.t.Helper()
	v := w.g.Version()
	if err := v.Verify(); err != nil {
		w.t.Fatal(err)
	}
	if v.Linked() != len(w.ids) {
		w.t.Fatalf("%d nodes are linked, not %d", v.Linked(), len(w.ids))
	}
	for s := range v.Slots() {
		id, ok := w.ids[s]
		if v.Held(s) != ok || ok && v.ID(s) != id {
			w.t.Fatalf("slot %d: held %t, node %d; it is %t, %d", s, v.Held(s), v.ID(s), ok, id)
		}
		if ok && v.Level(s) != w.g.Level(id) {
			w.t.Fatalf("slot %d has level %d, not %d", s, v.Level(s), w.g.Level(id))
		}
	}
	w.reachable(v)
}

// reachable follows the links of level 0 from the root of each layer.
func (w *world) reachable(v *hnsw.Version) {
	w.t.Helper()
	met := map[uint32]bool{}
	for _, l := range v.Layers() {
		if l.Linked == 0 {
			continue
		}
		next := []uint32{l.Root}
		met[l.Root] = true
		for len(next) > 0 {
			s := next[len(next)-1]
			next = next[:len(next)-1]
			for _, n := range v.Neighbours(s) {
				if !met[n] {
					met[n] = true
					next = append(next, n)
				}
			}
		}
	}
	if len(met) != len(w.ids) {
		w.t.Fatalf("%d of %d nodes can be reached", len(met), len(w.ids))
	}
}

// lists returns all lists of a version.
func lists(v *hnsw.Version) map[hnsw.ListKey]hnsw.List {
	out := map[hnsw.ListKey]hnsw.List{}
	for s := range v.Slots() {
		if !v.Held(s) {
			continue
		}
		for level := range v.Level(s) + 1 {
			k := hnsw.ListKey{Slot: s, Level: uint8(level)}
			out[k] = v.List(k, nil)
		}
	}
	return out
}

func sameList(a, b hnsw.List) bool {
	return a.Key == b.Key && a.Parent == b.Parent && slices.Equal(a.Links, b.Links)
}

// changed fails the test if a list changed that is not among keys, or keys
// are out of order or of no list.
func (w *world) changed(before map[hnsw.ListKey]hnsw.List, keys []hnsw.ListKey) {
	w.t.Helper()
	after := lists(w.g.Version())
	if !slices.IsSortedFunc(keys, hnsw.ListKey.Compare) || len(slices.Compact(slices.Clone(keys))) != len(keys) {
		w.t.Fatal("keys are not in order")
	}
	named := map[hnsw.ListKey]bool{}
	for _, k := range keys {
		named[k] = true
		if _, ok := after[k]; !ok {
			w.t.Fatalf("%v is no list", k)
		}
	}
	for k, l := range after {
		if old, ok := before[k]; !named[k] && (!ok || !sameList(old, l)) {
			w.t.Fatalf("%v changed from %v to %v and is not named", k, old, l)
		}
	}
}

// query returns a query for a random vector.
func (w *world) query() *quant.Query {
	x, _ := w.draw()
	q := w.codec.NewQuery()
	q.Fill(w.codec.NewEncoder(), x)
	return q
}

// nearest returns the slots nearest to q by estimates, of all those given.
func (w *world) nearest(q *quant.Query, slots []uint32, k int) []uint32 {
	s := w.g.Searcher()
	defer w.g.Release(s)
	all := s.Measure(w.g.Version(), q, slots, nil)
	slices.Sort(all)
	return slotsOf(all[:min(k, len(all))])
}

func slotsOf(all []hnsw.Candidate) []uint32 {
	out := make([]uint32, len(all))
	for i, c := range all {
		out[i] = c.Slot()
	}
	return out
}

// ascending fails the test if candidates are not in order, or twice.
func ascending(t testing.TB, all []hnsw.Candidate) {
	t.Helper()
	met := map[uint32]bool{}
	for i, c := range all {
		if met[c.Slot()] {
			t.Fatalf("slot %d twice", c.Slot())
		}
		met[c.Slot()] = true
		if i > 0 && (c.Distance() < all[i-1].Distance() || c.Distance() == all[i-1].Distance() && c.Slot() < all[i-1].Slot()) {
			t.Fatalf("candidate %d is out of order", i)
		}
	}
}
