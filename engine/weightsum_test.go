package engine_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// Many sources of the greatest weight add up, and what they have in common
// cancels out exactly.
func TestWeightsOfManySources(t *testing.T) {
	g := graph(t, open(t, &engine.Options{}), "g")
	const n = 24
	var edge engine.Target
	var sources [n]engine.NodeID
	weight := func() float32 {
		t.Helper()
		var w float32
		view(t, g, func(v *engine.View) {
			total, err := v.Total(edge)
			if err != nil {
				t.Fatal(err)
			}
			var ok bool
			if w, ok, err = v.HasEdge(edge.From, edge.To, edge.Type); err != nil || !ok || w != total.Weight {
				t.Fatalf("edge of weight %v, %v, %v; in total %v", w, ok, err, total.Weight)
			}
		})
		return w
	}
	contribute := func(weights map[int]float32) {
		t.Helper()
		err := g.DB().Update(t.Context(), func(tx *engine.Tx) error {
			for i, w := range weights {
				if err := tx.Graph(g).Contribute(sources[i], edge, engine.Contribution{Weight: w}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	all := map[int]float32{}
	err := g.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		nt, err := v.MakeNodeType("n")
		if err != nil {
			return err
		}
		if edge.Type, err = v.MakeEdgeType("e", true); err != nil {
			return err
		}
		put := func(key string) engine.NodeID {
			id, _, perr := v.PutNode(nt, key, nil)
			err = errors.Join(err, perr)
			return id
		}
		edge.From, edge.To = put("a"), put("b")
		for i := range sources {
			sources[i] = put(fmt.Sprint(i))
			all[i] = 1 << 31
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	contribute(all)
	if got := weight(); got != n<<31 {
		t.Errorf("%d times 2^31 is %v", n, got)
	}
	for i := range all {
		all[i] = -1 << 31
	}
	contribute(all)
	if got := weight(); got != -n<<31 {
		t.Errorf("%d times -2^31 is %v", n, got)
	}
	for i := range n / 2 {
		all[i] = 1 << 31
	}
	all[0], all[n-1] = 0.25, 0
	contribute(all)
	if got := weight(); got != 0.25 {
		t.Errorf("what is left is %v, want 0.25", got)
	}

	// Half of the sources withdraw: what is left is exact again.
	for i := range sources {
		all[i] = 1 << 31
	}
	all[0], all[n/2] = -1<<31, 0x1p-30
	contribute(all)
	err = g.DB().Update(t.Context(), func(tx *engine.Tx) error {
		for i := range sources {
			if i == 0 || i == 1 || i == n/2 {
				continue
			}
			if _, err := tx.Graph(g).Withdraw(sources[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := weight(); got != 0x1p-30 {
		t.Errorf("after the withdrawals %v is left, want %v", got, 0x1p-30)
	}
}

// A weight beyond the bound is refused, and leaves what was there.
func TestContributionWeightBounds(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), "g")
		inf := float32(math.Inf(1))
		update(t, g, func(v *engine.TxView) {
			typ, err := v.MakeNodeType("n")
			typ = must(t, typ, err)
			et, err := v.MakeEdgeType("e", false)
			et = must(t, et, err)
			a, _, err := v.PutNode(typ, "a", nil)
			must(t, a, err)
			b, _, err := v.PutNode(typ, "b", nil)
			must(t, b, err)
			edge := engine.EdgeTarget(a, b, et)
			for _, w := range []float32{1 << 31, -1 << 31} {
				if err := v.Contribute(a, edge, engine.Contribution{Weight: w}); err != nil {
					t.Errorf("weight %v: %v", w, err)
				}
				for _, beyond := range []float32{math.Nextafter32(1<<31, inf), math.Nextafter32(-1<<31, -inf), inf, -inf, float32(math.NaN())} {
					if err := v.Contribute(a, edge, engine.Contribution{Weight: beyond}); !errors.Is(err, engine.ErrInvalid) {
						t.Errorf("weight %v: %v", beyond, err)
					}
				}
				if got, _, err := v.HasEdge(a, b, et); err != nil || got != w {
					t.Errorf("the weight is %v, %v, want %v", got, err, w)
				}
			}
		})
	})
}
