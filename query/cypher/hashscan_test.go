package cypher_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// TestHashScan compares joins by equal properties with comparing all pairs.
func TestHashScan(t *testing.T) {
	hashed := 0
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 14))
		s := newSession(t, stores["memkv"], cypher.Options{})
		valuesGraph(t, s, r, 60)
		for _, q := range []struct{ pattern, cond, rest string }{
			{"MATCH (a:A), (b:B)", "a.p = b.p", "RETURN a.i, b.i"},
			{"MATCH (a:A), (b)", "b.n = a.n + 1", "RETURN a.i, b.i"},
			{"MATCH (a:A)-->(c), (b:B)-->(d)", "c.q = b.p", "RETURN a.i, b.i, c.i, d.i"},
			{"MATCH (a:A), (b:B), (c)", "a.n = b.n AND c.p = b.p", "RETURN count(*)"},
			{"MATCH (a:A) WITH a, [a.p, 1] AS l MATCH (b)", "b.p = l[0] AND b.n > 1", "RETURN a.i, b.i"},
			{"UNWIND [1, 2, 1.0, null, 'x', [1, 2], ['x'], date('2020-01-02'), 0.0 / 0.0] AS x MATCH (b)", "x = b.p", "RETURN x, b.i"},
			{"MATCH (a:A) OPTIONAL MATCH (b:B)", "a.p = b.q", "RETURN a.i, count(b)"},
			{"MATCH (a:A)", "EXISTS { MATCH (b:B) WHERE b.p = a.q }", "RETURN a.i"},
		} {
			got, _, err := outcome(s, q.pattern+" WHERE "+q.cond+" "+q.rest, nil)
			if err != nil {
				t.Fatalf("%v: %v", q, err)
			}
			// The planner does not look into NOT NOT.
			cond := "NOT (NOT (" + q.cond + "))"
			if strings.HasPrefix(q.cond, "EXISTS") {
				cond = "EXISTS { MATCH (b:B) WHERE NOT (NOT (b.p = a.q)) }"
			}
			want, _, err := outcome(s, q.pattern+" WHERE "+cond+" "+q.rest, nil)
			if err != nil {
				t.Fatalf("%v: %v", q, err)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || len(got) < 2 {
				t.Fatalf("seed %d: %v: %v\nwant %v", seed, q, got, want)
			}
			plan, err := explain(s, q.pattern+" WHERE "+q.cond+" "+q.rest)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(plan, "HashScan") {
				hashed++
			}
		}
	}
	if hashed < 18 {
		t.Errorf("%d queries use a table", hashed)
	}
}

// TestHashScanWrites joins while nodes are written, and with less memory than a table takes.
func TestHashScanWrites(t *testing.T) {
	s := newSession(t, stores["memkv"], cypher.Options{})
	give(t, s, "UNWIND range(1, 1000) AS i CREATE (:A {n: i % 40});")
	small, err := cypher.NewSession(cypher.Options{
		DB: database(s), Namespace: s.Namespace(), Graph: s.Graph(), Limits: cypher.Limits{Bytes: 10_000},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*cypher.Session{s, small} {
		got, err := runBrute(s, "UNWIND range(7, 9) AS i MATCH (a:A {n: i}) RETURN i, count(*)")
		if err != nil || len(got) != 3 || got[0] != "7 | 25" {
			t.Fatalf("%v %v", got, err)
		}
	}
	if got, err := runBrute(s, "UNWIND range(7, 9) AS i MATCH (a:A {n: i}) SET a.seen = true RETURN i, count(*)"); err != nil || len(got) != 3 || got[0] != "7 | 25" {
		t.Fatalf("%v %v", got, err)
	}
	got, err := runBrute(s, "UNWIND [[1, 3], [3, 5], [5, 6]] AS p CALL (p) { MATCH (a:A {n: p[0]}) SET a.n = p[1] } RETURN p[0]")
	if err != nil || len(got) != 3 {
		t.Fatalf("%v %v", got, err)
	}
	if got, err = runBrute(s, "MATCH (a:A) WHERE a.n IN [1, 3, 5, 6] RETURN a.n, count(*)"); err != nil || fmt.Sprint(got) != "[6 | 100]" {
		t.Errorf("%v %v", got, err)
	}
}
