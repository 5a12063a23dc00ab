package cypher_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// eachNeighbor calls fn with every edge of a node, page by page.
func eachNeighbor(v *engine.View, id engine.NodeID, f engine.EdgeFilter, page []engine.Edge, fn func(engine.Edge) error) error {
	after := engine.NodeID(0)
	for {
		edges, err := v.Neighbors(id, f, after, page[:0:256])
		if err != nil {
			return err
		}
		for _, e := range edges {
			if err := fn(e); err != nil {
				return err
			}
		}
		if len(edges) < 256 {
			return nil
		}
		after = edges[len(edges)-1].Other(id)
	}
}

// twoHops calls fn with the node at the end of each two hops that use two
// edges.
func twoHops(v *engine.View, id engine.NodeID, f engine.EdgeFilter, fn func(engine.NodeID)) error {
	first, second := make([]engine.Edge, 256), make([]engine.Edge, 256)
	return eachNeighbor(v, id, f, first, func(e engine.Edge) error {
		mid := e.Other(id)
		return eachNeighbor(v, mid, f, second, func(e2 engine.Edge) error {
			if e2 != e {
				fn(e2.Other(mid))
			}
			return nil
		})
	})
}

// goPlans are statements as somebody would write them in Go, each returning a
// number that the statement's rows have to agree with.
var goPlans = map[string]func(v *engine.View, id engine.NodeID, f engine.EdgeFilter) (int, error){
	"hop": func(v *engine.View, id engine.NodeID, f engine.EdgeFilter) (count int, err error) {
		err = eachNeighbor(v, id, f, make([]engine.Edge, 256), func(e engine.Edge) error {
			n, err := v.Node(e.Other(id))
			if err == nil && n.Prop("name").AsString() != "" {
				count++
			}
			return err
		})
		return count, err
	},
	"twoHopCount": func(v *engine.View, id engine.NodeID, f engine.EdgeFilter) (count int, err error) {
		err = twoHops(v, id, f, func(engine.NodeID) { count++ })
		return count, err
	},
	"twoHopDistinct": func(v *engine.View, id engine.NodeID, f engine.EdgeFilter) (int, error) {
		seen := map[engine.NodeID]bool{}
		err := twoHops(v, id, f, func(id engine.NodeID) { seen[id] = true })
		return len(seen), err
	},
}

// BenchmarkGoPlan measures plans in Go that statements of BenchmarkStatements
// stand for, the snapshot and the lookup included: what the language adds is
// the difference.
func BenchmarkGoPlan(b *testing.B) {
	s, err := benchGraph()
	if err != nil {
		b.Fatal(err)
	}
	for name, plan := range goPlans {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := rand.New(rand.NewPCG(3, 4))
			cpu := cpuTime()
			for b.Loop() {
				if _, err := runGoPlan(s, drawnKey(r, benchNodes), plan); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

func runGoPlan(s *cypher.Session, key string, plan func(*engine.View, engine.NodeID, engine.EdgeFilter) (int, error)) (n int, err error) {
	ctx := context.Background()
	g, err := s.Namespace().Graph(ctx, "bench")
	if err != nil {
		return 0, err
	}
	err = g.DB().View(ctx, func(snap *engine.Snapshot) error {
		v := snap.Graph(g)
		person, _ := v.NodeType("Person")
		knows, _ := v.EdgeType("KNOWS")
		id, err := v.Lookup(person, key)
		if err != nil {
			return err
		}
		n, err = plan(v, id, engine.EdgeFilter{Types: []engine.EdgeType{knows}, Direction: engine.Both})
		return err
	})
	return n, err
}

// TestGoPlans: the plans in Go and the statements say the same.
func TestGoPlans(t *testing.T) {
	t.Parallel()
	const nodes = 3000
	s, err := drawnGraph(nodes, 20_000)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, st := range statements {
		plan := goPlans[st.name]
		if plan == nil {
			continue
		}
		for range 20 {
			key := drawnKey(r, nodes)
			want, err := runGoPlan(s, key, plan)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := outcome(s, st.text, map[string]cypher.Value{"key": cypher.String(key)})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(got) - 1; st.name == "hop" && n != want || st.name != "hop" && got[1] != fmt.Sprint(want) {
				t.Errorf("%s of %s: %v, not %d", st.name, key, got, want)
			}
		}
	}
}
