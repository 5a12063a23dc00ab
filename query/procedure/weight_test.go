package procedure_test

import (
	"fmt"
	"strings"
	"testing"
)

// weighing are calls that use weights, with what weights each takes; %s is for an option more.
var weighing = map[string]struct{ call, takes string }{
	"graph.pagerank":      {"CALL graph.pagerank({direction: 'out'%s})", "from 0 on"},
	"graph.ppr":           {"MATCH (n:N {key: 'a'}) CALL graph.ppr([n], {iters: 3%s}) YIELD node RETURN node", "from 0 on"},
	"graph.ppr of labels": {"MATCH (n:N {key: 'a'}) CALL graph.ppr([n], {labels: 'N'%s}) YIELD node RETURN node", "from 0 on"},
	"graph.leiden":        {"CALL graph.leiden({seed: 1%s})", "from 0 on"},
	"graph.spectral":      {"CALL graph.spectral({k: 1%s})", "from 0 on"},
	"graph.betweenness":   {"CALL graph.betweenness({normalised: false, weighted: true%s})", "above 0"},
	"graph.shortest_path": {"MATCH (a:N {key: 'a'}), (b:N {key: 'b'}) CALL graph.shortest_path(a, b, {direction: 'out', weighted: true%s}) YIELD cost RETURN cost", "from 0 on"},
}

// TestWeightsRefused holds that each algorithm refuses a graph with a weight that it cannot use,
// names the edge, and computes without it by the ways that it names.
func TestWeightsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, create, edge, weight string
		only                       string // the algorithm that refuses it; "" is each
	}{
		{"negative", "(a)-[:BAD {weight: -1.5}]->(b)", `BAD from "a" to "b"`, "-1.5", ""},
		{"behind a heavier one", "(a)-[:ALSO {weight: 9}]->(b), (a)-[:BAD {weight: -2}]->(b)", `BAD from "a" to "b"`, "-2", ""},
		{"a loop", "(a)-[:BAD {weight: -1}]->(a)", `BAD from "a" to "a"`, "-1", ""},
		{"behind a heavier loop", "(a)-[:ALSO {weight: 9}]->(a), (a)-[:BAD {weight: -1}]->(a)", `BAD from "a" to "a"`, "-1", ""},
		{"a length of 0", "(a)-[:BAD {weight: 0}]->(b)", `BAD from "a" to "b"`, "0", "graph.betweenness"},
	} {
		s := openSession(t)
		run(t, s, "CALL db.createGraph('w')")
		run(t, s, "USE w")
		run(t, s, "CREATE (a:N {key: 'a'}), (b:N {key: 'b'}), (a)-[:GOOD {weight: 3}]->(b), "+c.create)
		for name, w := range weighing {
			proc, _, _ := strings.Cut(name, " ")
			_, err := tryRun(t.Context(), s, fmt.Sprintf(w.call, ""))
			want := fmt.Sprintf("%s takes weights %s, and the edge %s weighs %s: change its weight, leave its type out by the option types, or say weighted: false",
				proc, w.takes, c.edge, c.weight)
			switch {
			case c.only != "" && c.only != proc:
				if err != nil {
					t.Errorf("%s, %s: %v", name, c.name, err)
				}
			case err == nil || err.Error() != want:
				t.Errorf("%s, %s: %v, want %s", name, c.name, err, want)
			}
			run(t, s, fmt.Sprintf(w.call, ", types: 'GOOD'"))
			run(t, s, fmt.Sprintf(strings.ReplaceAll(w.call, ", weighted: true", ""), ", weighted: false"))
		}
		// What has nothing to do with weights computes.
		for _, call := range []string{"degree", "kcore", "wcc", "triangles", "clustering", "scan", "betweenness"} {
			run(t, s, "CALL graph."+call+"()")
		}
	}
}

// TestNoSuchWeights holds that what is no finite number is no weight in the first place.
func TestNoSuchWeights(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	run(t, s, "CALL db.createGraph('w')")
	run(t, s, "USE w")
	run(t, s, "CREATE (:N {key: 'a'})-[:R {weight: 1}]->(:N {key: 'b'})")
	for _, w := range []string{"0.0/0", "1.0/0", "-1.0/0", "1e39", "-1e39", "'1'"} {
		for _, text := range []string{
			"CREATE (:N {key: 'c'})-[:R {weight: %s}]->(:N {key: 'd'})",
			"MATCH ()-[r:R]->() SET r.weight = %s",
			"MATCH (a {key: 'a'}), (b {key: 'b'}) MERGE (a)-[:S {weight: %s}]->(b)",
		} {
			_, err := tryRun(t.Context(), s, fmt.Sprintf(text, w))
			if err == nil || !strings.Contains(err.Error(), "the weight of an edge is a finite number up to 3.4e38") {
				t.Errorf(text+": %v", w, err)
			}
		}
	}
	if got := run(t, s, "MATCH ()-[r]->() RETURN r.weight"); len(got) != 1 || got[0] != "1.000" {
		t.Errorf("the weights are %v", got)
	}
}
