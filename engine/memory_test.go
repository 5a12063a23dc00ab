package engine_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/kv"
)

// TestMemoryBudget loads and scans a graph that is larger than the budget. The
// heap, garbage that is not collected yet included, stays within the budget
// and the 150 MB that a process needs beside it.
func TestMemoryBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 50 MB")
	}
	const budget, beside, textBytes = 16 << 20, 150 << 20, 8 << 10
	nodes := 4_500
	if *long {
		nodes = 200_000
	}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	heap := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64() + sample[1].Value.Uint64()
	}
	runtime.GC()
	before, peak, phase := heap(), uint64(0), ""
	look := func(now string) {
		if n := heap(); n > peak {
			peak, phase = n, now
		}
	}

	g := graph(t, open(t, &engine.Options{MemoryBudget: budget}), "g")
	rnd := rand.New(rand.NewPCG(1, 1))
	raw := make([]byte, textBytes*3/4) // base64 makes text of it
	vec := make([]float32, 128)
	const each = 100
	for from := 0; from < nodes; from += each {
		err := g.DB().UpdateWith(t.Context(), kv.NoSync, func(tx *engine.Tx) error {
			v := tx.Graph(g)
			typ, err := v.MakeNodeType("n")
			if err != nil {
				return err
			}
			near, err := v.MakeEdgeType("near", false)
			if err != nil {
				return err
			}
			if from == 0 {
				if err := v.MakeField("f", engine.FieldOptions{Positions: true}); err != nil {
					return err
				}
				if err := v.MakeSpace("s", engine.SpaceOptions{Dim: len(vec), Model: "m"}); err != nil {
					return err
				}
			}
			for i := from; i < from+each; i++ {
				for j := range raw {
					raw[j] = byte(rnd.Uint32())
				}
				id, _, err := v.PutNode(typ, fmt.Sprint(i), engine.Props{"text": engine.String(base64.StdEncoding.EncodeToString(raw))})
				if err != nil {
					return err
				}
				for j := range vec {
					vec[j] = rnd.Float32()
				}
				if err := v.PutVector("s", id, vec); err != nil {
					return err
				}
				if err := v.PutTerms("f", id, []text.Term{{Text: "all"}, {Text: fmt.Sprint(i % 1000), Pos: 1}}); err != nil {
					return err
				}
				for range 5 {
					if err := v.AddEdge(id, 1+engine.NodeID(rnd.IntN(int(id))), near, rnd.Float32()); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		look("loading")
	}
	view(t, g, func(v *engine.View) {
		edges, bytes := 0, 0
		for _, err := range v.Edges(engine.EdgeFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if edges++; edges%1000 == 0 {
				look("reading edges")
			}
		}
		for id := engine.NodeID(1); id <= engine.NodeID(nodes); id++ {
			s, err := v.Text(id, "text")
			if err != nil {
				t.Fatal(err)
			}
			if bytes += len(s); id%100 == 0 {
				look("reading texts")
			}
		}
		vectors, err := v.Vectors("s")
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for _, err := range vectors.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if read++; read%100 == 0 {
				look("reading vectors")
			}
		}
		if bytes != nodes*textBytes || read != nodes || edges < 4*nodes || bytes < 2*budget {
			t.Errorf("%d bytes, %d vectors and %d edges of %d nodes", bytes, read, edges, nodes)
		}
		if !*long {
			return
		}
		if err := v.Snapshot().Export(t.Context(), "main", &watched{look: look}, canonical); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("the heap grows to %d MB while %s, beside %d MB before", peak>>20, phase, before>>20)
	if peak > before+budget+beside {
		t.Errorf("%d MB of heap while %s, %d MB before, a budget of %d MB", peak>>20, phase, before>>20, budget>>20)
	}
}

// watched looks at the heap at every write.
type watched struct{ look func(phase string) }

func (w *watched) Write(p []byte) (int, error) {
	w.look("exporting")
	return len(p), nil
}
