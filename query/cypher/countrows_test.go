package cypher_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// countedGraph fills a graph with nodes of some labels and edges among them: loops,
// parallel ones, and such of a type without direction.
func countedGraph(t testing.TB, s *cypher.Session, r *rand.Rand, nodes, edges int) {
	t.Helper()
	g, err := s.Namespace().Graph(t.Context(), "town")
	if err != nil {
		t.Fatal(err)
	}
	err = g.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		a, err := v.MakeNodeType("A")
		if err != nil {
			return err
		}
		b, err := v.MakeNodeType("B")
		if err != nil {
			return err
		}
		var types []engine.EdgeType
		for _, name := range []string{"R", "S", "U"} {
			et, err := v.MakeEdgeType(name, name != "U")
			if err != nil {
				return err
			}
			types = append(types, et)
		}
		for i := range nodes {
			id, _, err := v.PutNode([]engine.TypeID{a, b}[r.IntN(2)], fmt.Sprint(i), engine.Props{"n": engine.Int(int64(r.IntN(4)))})
			if err == nil && r.IntN(3) == 0 {
				err = v.SetLabels(id, []engine.TypeID{a, b})
			}
			if err != nil {
				return err
			}
		}
		for range edges {
			from, to := 1+r.IntN(nodes), 1+r.IntN(1+r.IntN(nodes))
			if _, err := v.AddParallel(engine.NodeID(from), engine.NodeID(to), types[r.IntN(3)], 1); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// countedPattern makes a chain or a star of some hops.
func countedPattern(r *rand.Rand, hops int) string {
	node := func(name string) string {
		return "(" + name + []string{"", "", ":A", ":B", ":A|B", ":!A"}[r.IntN(6)] + ")"
	}
	edge := func() string {
		types := []string{"", "", "[:R]", "[:S]", "[:U]", "[:R|U]", "[:R|S]"}[r.IntN(7)]
		return []string{"-" + types + "->", "<-" + types + "-", "-" + types + "-"}[r.IntN(3)]
	}
	text := node("a")
	for i := range hops {
		text += edge() + node(string(rune('b'+i)))
	}
	if r.IntN(4) == 0 {
		text += ", (b)" + edge() + node("z")
	}
	return text
}

// TestCounts compares counts with sums of 1, whose rows are made one by one, in graphs with
// loops, parallel edges and edges without direction, and holds that edges are counted.
func TestCounts(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	counted, turned := 0, 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 11))
		s := newSession(t, stores["memkv"], cypher.Options{})
		nodes := 1 + r.IntN(60)
		countedGraph(t, s, r, nodes, r.IntN(3*nodes))
		for range 60 {
			text := "MATCH " + countedPattern(r, 1+r.IntN(3))
			if r.IntN(3) == 0 {
				text += fmt.Sprintf(" WHERE %c.n %s %d", "ab"[r.IntN(2)], pickOne(r, "=", "<", ">"), r.IntN(4))
			}
			key := pickOne(r, "", "", "a.n, ", "b.n, ", "b, ")
			what := pickOne(r, "count(*)", "count(*)", "count(b)", "count(a)")
			want, err := runBrute(s, text+" RETURN "+key+"sum(1)")
			if err != nil {
				t.Fatal(err)
			}
			if key == "" && len(want) == 1 && want[0] == "null" {
				want[0] = "0"
			}
			got, err := runBrute(s, text+" RETURN "+key+what)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s RETURN %s%s is %v %v, want %v", seed, text, key, what, got, err, want)
			}
			plan, err := explain(s, text+" RETURN "+key+what)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(plan, "CountEdges"); n > 0 {
				counted++
				if n > 1 || !strings.Contains(strings.SplitN(plan, "\n", 2)[0], "(a") {
					turned++
				}
			}
		}
	}
	if counted < rounds*20 || turned < rounds*4 {
		t.Errorf("%d of the queries counted edges, %d began in the middle", counted, turned)
	}
}

func pickOne(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// TestCountsSeeWrites counts after each of some writes, and in a statement that writes.
func TestCountsSeeWrites(t *testing.T) {
	s := newSession(t, stores["memkv"], cypher.Options{})
	const pairs = "MATCH (a)-[:R]->(b)-[:R]->(c) RETURN count(*)"
	give(t, s, "UNWIND range(1, 9) AS i CREATE (:A {key: toString(i)});")
	want := 0
	for i := 1; i < 9; i++ {
		give(t, s, fmt.Sprintf("MATCH (a {key: '%d'}), (b {key: '%d'}) CREATE (a)-[:R]->(b);", i, i+1))
		want = i - 1
		if got, err := runBrute(s, pairs); err != nil || got[0] != fmt.Sprint(want) {
			t.Fatalf("after %d edges: %v %v, want %d", i, got, err, want)
		}
	}
	got, err := runBrute(s, "MATCH (x {key: '9'}), (y {key: '1'}) CREATE (x)-[:R]->(y) WITH count(*) AS n "+pairs)
	if err != nil || got[0] != "9" {
		t.Errorf("within the statement that makes a circle of 9: %v %v", got, err)
	}
}
