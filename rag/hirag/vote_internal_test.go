package hirag

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// fixed is an operator with a set of its own.
type fixed struct{ query.Set }

func (o *fixed) Run(context.Context, *query.Env) (query.Set, error) { return o.Set, nil }
func (o *fixed) Explain() query.Explanation                         { return query.Explanation{Op: "fixed"} }
func (o *fixed) Inputs() []query.Op                                 { return nil }

// drawn is a graph of the method's that a test drew, with its nodes by key.
type drawn struct {
	c  *ragtest.Corpus
	g  *engine.Graph
	id map[string]engine.NodeID
}

// draw makes a graph of "type key" nodes and of edges "from-to" of a type.
func draw(t *testing.T, nodes []string, edges map[string][]string) *drawn {
	t.Helper()
	c := ragtest.Open(t, method.Methods{Name: Open})
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &drawn{c, s.g, map[string]engine.NodeID{}}
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		for _, n := range nodes {
			typ, key, _ := strings.Cut(n, " ")
			id, err := v.MakeNodeType(typ)
			if err == nil {
				d.id[key], _, err = v.PutNode(id, key, nil)
			}
			if err != nil {
				return err
			}
		}
		for typ, list := range edges {
			et, err := v.MakeEdgeType(typ, typ != edgeRelation)
			if err != nil {
				return err
			}
			for _, e := range list {
				from, to, _ := strings.Cut(e, "-")
				if err := v.AddEdge(d.id[from], d.id[to], et, 1); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// item is a node of the graph with a score.
func (d *drawn) item(key string, score float64) query.Item {
	return query.Item{Graph: d.g.ID(), ID: d.id[key], Score: score}
}

// run runs an operator on the graph.
func (d *drawn) run(t *testing.T, op query.Op) (out query.Set) {
	t.Helper()
	err := d.c.DB().View(t.Context(), func(s *engine.Snapshot) (err error) {
		out, err = query.Run(t.Context(), &query.Env{Snap: s}, op)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestVotes counts the votes of a small graph by hand. a and b are like the
// question, by 1 and .9; m is hardly, and h is named by too many chunks to be
// passed votes.
func TestVotes(t *testing.T) {
	const hub = 16 // chunks that may name an entity which is passed votes
	nodes := []string{"entity a", "entity b", "entity m", "entity h"}
	edges := []string{"c1-a", "c2-a", "c3-b", "c1-m", "c4-m"}
	for i := range hub + 2 {
		if nodes = append(nodes, fmt.Sprintf("chunk c%d", i+1)); i != 1 {
			edges = append(edges, fmt.Sprintf("c%d-h", i+1)) // all but c2, which are 17
		}
	}
	d := draw(t, nodes, map[string][]string{edgeMentions: edges})
	in := &fixed{query.Set{Items: []query.Item{d.item("a", 1), d.item("b", .9), d.item("m", .001), d.item("h", .001)}}}
	got := map[engine.NodeID]float64{}
	set := d.run(t, &query.Votes{In: in, Graph: d.g, Types: []string{edgeMentions}})
	for i, it := range set.Items {
		got[it.ID] = it.Score
		if i > 0 && it.Score > set.Items[i-1].Score {
			t.Error("not by votes")
		}
		if len(it.Why) == 0 || it.Why[len(it.Why)-1].From.ID == 0 {
			t.Errorf("%v does not say who voted", it.Why)
		}
	}
	// a gives .5 to c1 and c2, b gives .9^20 to c3. Then c1 passes .25 each to a and m,
	// c2 all to a, which shares .75, and c3 all to b.
	b := math.Pow(.9, 20)
	for key, want := range map[string]float64{"c1": .5 + .75/2 + .25/2, "c2": .5 + .75/2, "c3": 2 * b, "c4": .25 / 2, "c5": 0} {
		if math.Abs(got[d.id[key]]-want) > 1e-12 {
			t.Errorf("%s has %v votes, want %v", key, got[d.id[key]], want)
		}
	}
	if len(set.Items) != hub+2 {
		t.Errorf("%d chunks", len(set.Items))
	}
}

// TestBridgeRows orders relations by hand: those on the path, between its
// nodes, around it, and at most three of a summary; each part by likeness, a hub's damped.
func TestBridgeRows(t *testing.T) {
	nodes := []string{"entity a", "entity b", "entity c", "entity d", "entity hub", "summary s"}
	relations := []string{"a-b", "b-c", "b-d", "a-hub", "b-hub"}
	for i := range 5 {
		nodes = append(nodes, fmt.Sprintf("entity m%d", i), fmt.Sprintf("entity far%d", i))
		relations = append(relations, fmt.Sprintf("m%d-s", i), fmt.Sprintf("far%d-hub", i))
	}
	d := draw(t, nodes, map[string][]string{edgeRelation: relations})
	var rows []query.Item
	name := map[query.Ref]string{}
	for _, r := range relations[:len(relations)-1] {
		from, to, _ := strings.Cut(r, "-")
		if strings.HasPrefix(from, "far") {
			continue
		}
		it := query.Item{Graph: d.g.ID(), Edge: engine.Edge{From: d.id[from], To: d.id[to], Type: d.relation(t)}}
		name[it.Ref()] = r
		rows = append(rows, it)
	}
	// The path goes from a to b and on to c; to d there is none.
	path := []query.Item{d.item("a", 1), d.item("b", 1), d.item("c", 1), d.item("d", 1)}
	for i, from := range []string{"a", "a", "b", "c"} {
		from := d.item(from, 0)
		path[i].Why = []query.Step{{Op: "path", From: from.Ref()}}
	}
	// The likeness of each node; its degree: a 2, b 4, c and d 1, hub 7, s 5.
	near := []query.Item{d.item("a", .8), d.item("b", .4), d.item("c", .6), d.item("d", .05), d.item("hub", .9), d.item("s", .9)}
	for i := range 5 {
		near = append(near, d.item(fmt.Sprintf("m%d", i), float64(i)/10))
	}
	got := d.run(t, &query.PathRows{In: &fixed{query.Set{Items: rows}}, Path: &fixed{query.Set{Items: path}}, Near: &fixed{query.Set{Items: near}}, Graph: d.g, Types: []string{edgeRelation}, Group: typeSummary, Members: memberRows})
	want := []struct {
		row   string
		score float64
	}{
		{"b-c", (.4/3 + .6/1) / 2}, {"a-b", (.8/2 + .4/3) / 2}, // on the path
		{"b-d", (.4/3 + .05/1) / 2},                                // between two of its nodes, without being on it
		{"a-hub", (.8/2 + .9/3) / 2}, {"b-hub", (.4/3 + .9/3) / 2}, // around it
		{"m4-s", (.4/1 + .9/3) / 2}, {"m3-s", (.3/1 + .9/3) / 2}, {"m2-s", (.2/1 + .9/3) / 2},
	}
	if len(got.Items) != len(want) {
		t.Fatalf("%d rows, want %d", len(got.Items), len(want))
	}
	for i, it := range got.Items {
		if name[it.Ref()] != want[i].row || math.Abs(it.Score-want[i].score) > 1e-12 {
			t.Errorf("row %d: %s with %v, want %s with %v", i, name[it.Ref()], it.Score, want[i].row, want[i].score)
		}
	}
}

// relation returns the type of relations.
func (d *drawn) relation(t *testing.T) (out engine.EdgeType) {
	t.Helper()
	err := d.c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		out, _ = s.Graph(d.g).EdgeType(edgeRelation)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
