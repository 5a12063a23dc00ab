package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// TestVectorsOnDisk grows and shrinks a space across the size up to which its
// vectors are kept in memory, and not only their codes: searches of the latest
// commit and of a snapshot that stays open find what the model finds.
func TestVectorsOnDisk(t *testing.T) {
	const dim, nodes, budget = 1 << 13, 240, 16 << 20
	rnd := rand.New(rand.NewPCG(1, 47))
	g := graph(t, open(t, &engine.Options{MemoryBudget: budget, OpenStore: memory}), "g")
	space := engine.SpaceOptions{Dim: dim, Metric: vecindex.InnerProduct, Model: "m"}
	m := newModelGraph(uint32(g.ID()))
	m.makeSpace("ip", space)
	update(t, g, func(v *engine.TxView) {
		typ := must(t, must2of(v.MakeNodeType("n")), nil)
		m.makeNodeType("n")
		if err := v.MakeSpace("ip", space); err != nil {
			t.Fatal(err)
		}
		for i := range nodes {
			id, _, err := v.PutNode(typ, fmt.Sprint(i), nil)
			if want, _ := m.putNode(1, fmt.Sprint(i), nil); id != want || err != nil {
				t.Fatal(id, err)
			}
		}
	})
	vector := func() []float32 {
		v := make([]float32, dim)
		for range 5 {
			v[rnd.IntN(8)] = float32(1 + rnd.IntN(3))
		}
		return v
	}
	// change puts or deletes the vectors of some nodes.
	change := func(ids []engine.NodeID, remove bool) {
		t.Helper()
		m = m.begin(0)
		update(t, g, func(v *engine.TxView) {
			for _, id := range ids {
				x, at := vector(), modelPlace{"ip", id}
				err := v.DeleteVector("ip", id)
				if delete(m.vectors, at); !remove {
					err = v.PutVector("ip", id, x)
					m.vectors[at] = modelVector{0, x}
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		})
		m.commit()
	}
	look := func(m *modelGraph, v *engine.View) {
		t.Helper()
		ops := &graphOps{rnd: rnd, m: m}
		q := vecindex.Search{Vector: vector(), K: 10}
		for _, x := range []step{ops.readNearest("ip", q), ops.readVectors("ip", q.Vector, []uint64{1, 5, 99})} {
			if got := x.run(v, nil); got != x.want {
				t.Fatalf("%.40s:\n got %.2000s\nwant %.2000s", x.name, got, x.want)
			}
		}
	}
	var all []engine.NodeID
	for id := range nodes {
		all = append(all, engine.NodeID(id+1))
	}
	var sources []string
	latest := func() {
		t.Helper()
		view(t, g, func(v *engine.View) {
			look(m, v)
			s, err := v.Snapshot().Stats(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, s.Memory.Indexes[0].Source)
			if len(s.Memory.OnDisk) > 0 {
				t.Errorf("on disk: %v", s.Memory.OnDisk)
			}
			if s.Memory.VectorBytes > budget {
				t.Errorf("%d bytes of vectors", s.Memory.VectorBytes)
			}
		})
	}
	change(all[:60], false)
	latest()
	view(t, g, func(old *engine.View) {
		before := m
		look(before, old)
		change(all[60:150], false)
		change(all[150:], false)
		latest()
		look(before, old)
		change(all[:4], true)
		change(all[4:6], false)
		latest()
		look(before, old)
	})
	change(all[6:200], true)
	latest()
	change(all[:3], false)
	latest()
	if !slices.Equal(sources, []string{"memory", "codes", "codes", "memory", "memory"}) {
		t.Errorf("read from %v", sources)
	}
}
