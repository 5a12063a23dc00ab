package hnsw

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// grower links random vectors.
type grower struct {
	t   *testing.T
	rng *rand.Rand
	g   *Graph
	enc *quant.Encoder
	id  uint64
	seq uint64
}

func newGrower(t *testing.T, down bool) *grower {
	codec := quant.New(6, false)
	return &grower{
		t: t, rng: rand.New(rand.NewPCG(1, 3)), enc: codec.NewEncoder(),
		g: New(codec, Params{M: 4, EfConstruction: 16, Seed: 1, Down: down}),
	}
}

func (w *grower) link(layer uint8, slots ...uint32) {
	w.t.Helper()
	w.seq++
	var nodes []Node
	var lives []Life
	for _, slot := range slots {
		w.g.Reserve(slot + 1)
		x := make([]float32, 6)
		for i := range x {
			x[i] = w.rng.Float32()
		}
		w.enc.Encode(w.g.Version().Code(slot), nil, x)
		w.id++
		nodes = append(nodes, Node{slot, w.id})
		lives = append(lives, Life{Slot: slot, Born: w.seq})
	}
	if _, err := w.g.Link(context.Background(), layer, nodes, 1); err != nil {
		w.t.Fatal(err)
	}
	if w.g.p.Down {
		if _, err := w.g.LinkDown(context.Background(), nodes, 1); err != nil {
			w.t.Fatal(err)
		}
	}
	w.g.Show(lives)
}

func (w *grower) remove(slots ...uint32) {
	w.t.Helper()
	w.seq++
	for _, slot := range slots {
		w.g.Kill(slot, w.seq)
	}
	if _, err := w.g.Repair(context.Background(), slots, 1); err != nil {
		w.t.Fatal(err)
	}
}

func slotsFrom(from, n uint32) (out []uint32) {
	for i := range n {
		out = append(out, from+i)
	}
	return out
}

// recount is Bytes by looking at everything.
func recount(v *Version) int64 {
	n := 4 * int64(len(v.table.slots))
	for _, c := range v.chunks {
		n += c.bytes()
	}
	for _, u := range v.uppers {
		n += u.bytes()
	}
	return n
}

// TestGrowth says that the size of a graph is kept up to date batch by batch,
// that slots which are used again do not leave places behind, and that
// a batch copies nothing of the graph.
func TestGrowth(t *testing.T) {
	w := newGrower(t, false)
	check := func() {
		t.Helper()
		v := w.g.Version()
		if have, want := v.Bytes(), recount(v); have != want {
			t.Fatalf("%d bytes are counted as %d", want, have)
		}
	}
	shared := 0
	for from := uint32(0); from < 3000; from += 100 {
		before := w.g.Version()
		w.link(0, slotsFrom(from, 100)...)
		check()
		after := w.g.Version()
		if len(before.uppers) > 0 && &before.uppers[0] == &after.uppers[0] && len(after.chunks) > 2 && &before.chunks[0] == &after.chunks[0] {
			shared++
		}
	}
	if shared < 15 {
		t.Errorf("%d batches of 30 went on in the memory of the one before", shared)
	}
	places := len(w.g.Version().uppers)
	for range 5 {
		w.remove(slotsFrom(100, 1000)...)
		check()
		w.link(0, slotsFrom(100, 1000)...)
		check()
	}
	if n := len(w.g.Version().uppers); n > places*5/4 {
		t.Errorf("%d places for nodes of upper levels, %d before their slots were used again", n, places)
	}
	if err := w.g.Version().Verify(); err != nil {
		t.Error(err)
	}
}

// TestAstray says that batches look for nodes without a layer below only if
// there may be some.
func TestAstray(t *testing.T) {
	w := newGrower(t, true)
	w.link(0, slotsFrom(0, 50)...)
	w.link(1, slotsFrom(50, 50)...)
	w.link(3, slotsFrom(100, 50)...) // above a layer that is empty
	if w.g.astray[1] || !w.g.astray[3] {
		t.Fatalf("astray: %v of layer 1, %v of layer 3", w.g.astray[1], w.g.astray[3])
	}
	w.link(0, slotsFrom(150, 50)...)
	w.link(2, slotsFrom(200, 1)...)
	if w.g.astray[3] {
		t.Error("layer 3 is astray above a layer of one node")
	}
	for slot := uint32(100); slot < 150; slot++ {
		if below, ok := w.g.Version().Down(slot); !ok || below != 200 {
			t.Fatalf("slot %d leads to %d, %t", slot, below, ok)
		}
	}
	w.remove(200)
	if !w.g.astray[3] {
		t.Error("layer 3 leads to a node that is gone")
	}
	w.link(2, slotsFrom(201, 3)...)
	if _, ok := w.g.Version().Down(120); !ok || w.g.astray[3] {
		t.Error("layer 3 was not led down again")
	}
}
