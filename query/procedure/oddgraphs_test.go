package procedure_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
)

// oddGraph is a graph of graphops/testdata/oddgraphs.json.gz, with what networkx and igraph
// say of it in units of 1e-8; see oddgraphs.py there.
type oddGraph struct {
	N                    int
	Directed, Weighted   bool
	Edges                [][4]int // from, to, type, weight in quarters
	Damping              float64
	Restart              []float64
	Pagerank, Personal   []float64
	Quarters             []float64 // the distance of each pair; -1: there is no path
	Betweenness, Lengths []float64
	Core, Components     []float64 // a component is its first node
	Triangles            []float64
	Clustering           []float64
}

// TestOddGraphs compares the procedures with networkx and igraph on a tenth of the graphs,
// stored with loops, parallel edges of two types, weights of 0 and isolated nodes.
func TestOddGraphs(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../graphops/testdata/oddgraphs.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var ref struct{ Cases []oddGraph }
	if err := json.NewDecoder(z).Decode(&ref); err != nil || len(ref.Cases) != 2000 {
		t.Fatal(len(ref.Cases), err)
	}
	db, err := engine.Open(t.Context(), engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(ref.Cases); i += 10 {
		c := &ref.Cases[i]
		name := fmt.Sprint("odd", i)
		g, err := ns.Graph(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		// Without direction edges are of types without one, or it is ignored.
		typed := c.Directed || i%20 == 0
		if err := db.Update(t.Context(), func(tx *engine.Tx) error { return c.store(tx.Graph(g), typed) }); err != nil {
			t.Fatal(err)
		}
		s, err := cypher.NewSession(cypher.Options{DB: db, Namespace: ns, Graph: name, Procedures: r, Query: newEnv})
		if err != nil {
			t.Fatal(err)
		}
		c.check(t, s, typed)
	}
}

func (c *oddGraph) store(v *engine.TxView, typed bool) error {
	kind, err := v.MakeNodeType("N")
	if err != nil {
		return err
	}
	var types [2]engine.EdgeType
	for k := range types {
		if types[k], err = v.MakeEdgeType(fmt.Sprint("R", k), typed); err != nil {
			return err
		}
	}
	ids := make([]engine.NodeID, c.N)
	for u := range ids {
		if ids[u], _, err = v.PutNode(kind, fmt.Sprint(u), engine.Props{"start": engine.Float(c.Restart[u])}); err != nil {
			return err
		}
	}
	for _, e := range c.Edges {
		if err := v.AddEdge(ids[e[0]], ids[e[1]], types[e[2]], float32(e[3])/4); err != nil {
			return err
		}
	}
	return nil
}

func (c *oddGraph) check(t *testing.T, s *cypher.Session, typed bool) {
	t.Helper()
	direction := "out"
	if typed && !c.Directed {
		direction = "both"
	}
	ways := fmt.Sprintf("direction: '%s', weighted: %t", direction, c.Weighted)
	long := fmt.Sprintf("{%s, damping: %v, tolerance: 1e-14, iters: 5000}", ways, c.Damping)
	c.figures(t, s, 1e8, "CALL graph.pagerank("+long+") YIELD node, score", c.Pagerank)
	c.figures(t, s, 1e8, fmt.Sprintf("MATCH (n) WITH collect({node: n, score: n.start}) AS seeds CALL graph.ppr(seeds, {%s, alpha: %v, iters: 600}) YIELD node, score",
		ways, 1-c.Damping), c.Personal)
	c.figures(t, s, 1e8, "CALL graph.betweenness({direction: '"+direction+"'}) YIELD node, score", c.Betweenness)
	if c.Lengths != nil {
		c.figures(t, s, 1e8, "CALL graph.betweenness({"+ways+"}) YIELD node, score", c.Lengths)
	}
	c.figures(t, s, 1, "CALL graph.kcore() YIELD node, core AS score", c.Core)
	c.figures(t, s, 1, "CALL graph.wcc() YIELD node, component WITH component, min(toInteger(node.key)) AS score, collect(node) AS nodes UNWIND nodes AS node WITH node, score", c.Components)
	c.figures(t, s, 1, "CALL graph.triangles() YIELD node, triangles AS score", c.Triangles)
	c.figures(t, s, 1e8, "CALL graph.clustering() YIELD node, coefficient AS score", c.Clustering)
	if !c.Weighted {
		return
	}
	lengths := make([]float64, c.N)
	for v := range lengths {
		lengths[v] = max(0, c.Quarters[v])
	}
	// The edges of the path, which are of two types, weigh what the path costs.
	call := "MATCH (a {key: '0'}), (node) CALL graph.shortest_path(a, node, {" + ways + "}) YIELD path, cost WITH node, "
	c.figures(t, s, 4, call+"cost AS score", lengths)
	c.figures(t, s, 4, call+"reduce(sum = 0.0, r IN relationships(path) | sum + r.weight) AS score", lengths)
}

// figures compares the score of each node with those wanted, in their units; a node without is 0.
func (c *oddGraph) figures(t *testing.T, s *cypher.Session, unit float64, text string, want []float64) {
	t.Helper()
	r, err := s.Run(t.Context(), text+" RETURN node.key, score", nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer r.Close()
	got := make([]float64, c.N)
	for row, err := range r.Rows() {
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		u, err := strconv.Atoi(row[0].AsString())
		if err != nil {
			t.Fatal(err)
		}
		got[u] = row[1].AsFloat()
	}
	for u, x := range want {
		if !(math.Abs(got[u]-x/unit) < 2e-8*max(1, x/unit)) {
			t.Fatalf("%s: %v, want %v in units of 1/%v, of %+v", text, got, want, unit, *c)
		}
	}
}
