package cypher_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// edgesGraph makes nodes with edges among them, parallel ones and loops, whose properties
// are of many kinds or missing.
func edgesGraph(t testing.TB, s *cypher.Session, r *rand.Rand, nodes, edges int) {
	t.Helper()
	var parts []string
	for i := range nodes {
		parts = append(parts, fmt.Sprintf("(x%d:%s {i: %d})", i, pickOne(r, "A", "B"), i))
	}
	for i := range edges {
		var props []string
		for _, p := range []string{"p", "q"} {
			if v := pickOne(r, "", "", "1", "2", "3", "2.5", "'x'", "'xy'", "true", "[1, 2]", "date('2020-01-02')"); v != "" {
				props = append(props, p+": "+v)
			}
		}
		if r.IntN(3) > 0 {
			props = append(props, fmt.Sprintf("n: %d, i: %d", r.IntN(5), i))
		}
		if r.IntN(4) == 0 {
			props = append(props, fmt.Sprintf("weight: %d", r.IntN(3)))
		}
		parts = append(parts, fmt.Sprintf("(x%d)-[:%s {%s}]->(x%d)", r.IntN(nodes), pickOne(r, "R", "R", "S"), strings.Join(props, ", "), r.IntN(nodes)))
	}
	give(t, s, "CREATE "+strings.Join(parts, ", ")+";")
}

// TestEdgeScan compares scans of edges by their properties with a session that follows
// edges from nodes.
func TestEdgeScan(t *testing.T) {
	conditions := []string{
		"r.p = 1", "r.p <> 1", "r.p > 1", "r.p IN [1, 'x', null]", "r.p IS NOT NULL", "r.p STARTS WITH 'x'", "r.n > 2 AND r.p = 1",
		"r.n > 2 AND r.q IS NULL", "r.n = $v", "2 < r.n", "r.p = [1, 2]", "r.p = date('2020-01-02')", "1 <= r.n < 4", "r.n > 1 AND r.p = r.q",
		"r.missing = 1", "r.n >= 0 AND (r.p = 1 OR r.p IS NULL)", "r.n >= 0 AND r.weight > 1",
	}
	params := map[string]cypher.Value{"v": cypher.Int(2)}
	scanned := 0
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 13))
		s := newSession(t, stores["memkv"], cypher.Options{})
		edgesGraph(t, s, r, 3+r.IntN(40), 150)
		plain := oneByOne(t, s)
		for round := range 2 {
			for _, c := range conditions {
				for _, text := range []string{
					"MATCH ()-[r]->() WHERE " + c + " RETURN count(*)",
					"MATCH ()-[r:R]->() WHERE " + c + " RETURN count(r)",
					"MATCH ()-[r:R]-() WHERE " + c + " RETURN count(*)",
					"MATCH (a)<-[r:S]-(b:B) WHERE " + c + " RETURN count(a)",
					"MATCH (a)-[r]->(b:B) WHERE " + c + " RETURN a.i, b.i, r.i, r.p, r.q",
					"MATCH (a)-[r:R|S]-(b) WHERE " + c + " RETURN r.n, count(*), min(r.i), avg(r.n), max(b.i)",
					"MATCH (a)-[r:R]->(b)-[s]->(c) WHERE " + c + " RETURN count(*)",
					"MATCH (a)-[r:R]->(b)-[s]->(c) WHERE " + c + " AND a.i < 9 RETURN r.i, s.i, c.i",
					"MATCH p = (a)-[r:R]->(b) WHERE " + c + " RETURN a.i, r.weight, [x IN relationships(p) | x.weight], r.i",
					"MATCH (a)-[r:R]->(b) WHERE " + c + " RETURN r, id(r), type(r), properties(r)",
					"MATCH (a)-[r:R]->(b) WHERE " + c + " WITH r ORDER BY id(r) LIMIT 4 RETURN r.i, r.weight",
					"MATCH (a) WHERE EXISTS { (a)-[r]->() WHERE " + c + " } RETURN a.i",
				} {
					got, _, err := outcome(s, text, params)
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
					want, _, err := outcome(plain, text, params)
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
					slices.Sort(got)
					slices.Sort(want)
					if !slices.Equal(got, want) {
						t.Fatalf("seed %d: %s:\n%v\nwant\n%v", seed, text, got, want)
					}
					if plan, err := explainWith(s, text, params); err != nil {
						t.Fatal(err)
					} else if strings.Contains(plan, "EdgeScan") {
						scanned++
					}
				}
			}
			if round == 0 {
				give(t, s, "MATCH ()-[r {n: 2}]->() SET r.p = 1, r.new = 3; MATCH ()-[r {n: 3}]->() REMOVE r.p; MATCH ()-[r {n: 4}]->() DELETE r;")
			}
		}
	}
	if scanned < 300 {
		t.Errorf("%d queries scan edges", scanned)
	}
}
