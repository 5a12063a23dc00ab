package ketrag

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// TestNearByIndex finds near chunks by the vector index and by comparing all with all:
// of a corpus at once, and of one to which a tenth was added. The index finds nearly all
// of them, and the same ones twice.
func TestNearByIndex(t *testing.T) {
	t.Parallel()
	const n, was, dim, k = 600, 540, 12, 3
	c := ragtest.Open(t, method.Methods{Name: Open})
	sys, err := Open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g := sys.Graph()
	model := llm.SpaceInfo{Model: "m", Dim: dim}
	rng := rand.New(rand.NewPCG(4, 96))
	vecs := make([][]float32, n)
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		chunk, err := v.MakeNodeType(method.ChunkNodeType)
		if err != nil {
			return err
		}
		space := spaceOf(method.ChunkNodeType, model.Model)
		if err := method.MakeSpace(v, space, model, vecindex.Cosine); err != nil {
			return err
		}
		for i := range n {
			id, _, err := v.PutNode(chunk, fmt.Sprintf("d#%04d", i), nil)
			if err != nil {
				return err
			}
			if i == 7 {
				continue // a chunk without words
			}
			vec := make([]float32, dim)
			for d := range vec {
				vec[d] = float32(rng.NormFloat64())
			}
			vecs[i] = vec
			if err := v.PutVector(space, id, vec); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p, r := parse(nil)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	// found returns the edges of the chunks, of which so many had theirs.
	found := func(exact int, old [][]near) [][]near {
		t.Helper()
		st := &nearStage{s: &system{Identity: sys.Identity, p: p, c: c.Docs(), g: g}, model: model, exact: exact}
		out := &channel{old: make([][]near, n), now: make([][]near, n)}
		copy(out.old, old)
		for i := range old {
			out.now[i] = slices.Clone(old[i])
		}
		words := &channel{old: make([][]near, n), now: make([][]near, n)}
		err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
			ids, err := graph.Of(s.Graph(g), method.ChunkNodeType)
			if err != nil {
				return err
			}
			return st.vector(context.Background(), s, ids, out, words, k, everything(n))
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.now
	}
	// The edges that the first chunks had among themselves.
	all := found(n, nil)
	old := make([][]near, was)
	wide := &channel{old: make([][]near, n), now: make([][]near, n)}
	for i := range old {
		for j := range old {
			if i != j && i != 7 && j != 7 {
				wide.offer(i, near{j, cosine(vecs[i], vecs[j])}, k)
			}
		}
		old[i] = wide.now[i]
	}
	for name, x := range map[string]struct{ old, want [][]near }{"at once": {nil, all}, "a tenth added": {old, found(n, old)}} {
		got := found(0, x.old)
		same, of := 0, 0
		for i := range x.want {
			of += len(x.want[i])
			for _, e := range x.want[i] {
				if slices.ContainsFunc(got[i], func(h near) bool { return h.to == e.to && math.Abs(float64(h.sim-e.sim)) < 1e-5 }) {
					same++
				}
			}
		}
		if of != (n-1)*k || same < of*98/100 {
			t.Errorf("%s: %d of %d edges found by the index", name, same, of)
		}
		if !reflect.DeepEqual(got, found(0, x.old)) {
			t.Errorf("%s: other edges the second time", name)
		}
	}
}

func cosine(a, b []float32) float32 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return float32(ab / math.Sqrt(aa*bb))
}
