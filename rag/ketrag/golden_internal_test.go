package ketrag

import (
	"math"
	"reflect"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestCentral: the core begins with the chunks of highest PageRank. In a line
// a - b - c - d - e with damping .85 that is y = .06825 + .7225 y = .2459 for b and d,
// .03 + .85 y = .2391 for c, and .03 + .425 y = .1345 for a and e.
func TestCentral(t *testing.T) {
	c := ragtest.Open(t, method.Methods{Name: Open})
	sys, err := Open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := parse(nil)
	s := &system{Identity: sys.Identity, p: p, c: c.Docs(), g: sys.Graph()}
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		chunk, err := v.MakeNodeType(method.ChunkNodeType)
		if err != nil {
			return err
		}
		near, err := v.MakeEdgeType(edgeLexical, true)
		if err != nil {
			return err
		}
		var last engine.NodeID
		for i, key := range []string{"a#0", "b#0", "c#0", "d#0", "e#0"} {
			id, _, err := v.PutNode(chunk, key, nil)
			if err == nil && i > 0 {
				err = v.AddEdge(last, id, near, float32(i)) // the weight does not count
			}
			if err != nil {
				return err
			}
			last = id
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		v := snap.Graph(s.g)
		ids, err := graph.Of(v, method.ChunkNodeType)
		if err != nil {
			return err
		}
		c := &choice{}
		got, err := (&coreStage{s: s}).rank(t.Context(), v, ids, 3, c)
		if want := []int{1, 3, 2, 0, 4}; !reflect.DeepEqual(got, want) {
			t.Errorf("the chunks in the order %v, want %v", got, want)
		}
		if err != nil {
			return err
		}
		// What comes later is placed by .15 (1 + .85 s) + .7225 d/1.6, for d neighbours of
		// which s is the sum of 1/degree: .6653 for a and e, 1.2444 for b and d, 1.1806 for c.
		for i, want := range []float64{.665313, 1.244375, 1.180625, 1.244375, .665313} {
			x, err := (&coreStage{s: s}).estimate(v, ids[i], c.degree)
			if err != nil || math.Abs(x-want) > 1e-5 {
				t.Errorf("chunk %d is estimated at %v, want %v: %v", i, x, want, err)
			}
			if (x >= c.least) != (i > 0 && i < 4) {
				t.Errorf("chunk %d of %v, where the core of three takes %v", i, x, c.least)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFrequent: a word counts while it is in 5 % of the chunks, or in 50.
func TestFrequent(t *testing.T) {
	if got := frequentOf(1, 2000); got != 2000 {
		t.Errorf("with a share of 1 a word of all 2,000 chunks does not count: %d", got)
	}
	for chunks, want := range map[int]int{0: 50, 100: 50, 1000: 50, 1019: 50, 1020: 51, 2000: 100, 100_000: 5000} {
		if got := frequentOf(0.05, chunks); got != want {
			t.Errorf("of %d chunks %d, want %d", chunks, got, want)
		}
	}
}
