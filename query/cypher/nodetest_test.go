package cypher_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
)

// oneByOne returns a session on the same graph that reads nodes one by one: its filter
// lets all of them pass.
func oneByOne(t testing.TB, s *cypher.Session) *cypher.Session {
	t.Helper()
	out, err := cypher.NewSession(cypher.Options{
		DB: database(s), Namespace: s.Namespace(), Graph: s.Graph(),
		Query: func(snap *engine.Snapshot) *query.Env {
			return &query.Env{Snap: snap, Allow: func(ctx context.Context, v *engine.View) (*roaring.Bitmap, error) {
				return v.Nodes(engine.AnyType)
			}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// valuesGraph makes nodes whose properties are of many kinds or missing.
func valuesGraph(t testing.TB, s *cypher.Session, r *rand.Rand, nodes int) {
	t.Helper()
	values := func() string {
		return pickOne(r, "null", "1", "2", "3", "-1", "1.0", "2.5", "'x'", "'xy'", "''", "true", "[1, 2]", "['x']", "date('2020-01-02')",
			"'"+strings.Repeat("long ", 500)+"'", "'"+strings.Repeat("long ", 500)+"x'")
	}
	var parts []string
	for i := range nodes {
		parts = append(parts, fmt.Sprintf("(%s {i: %d, p: %s, q: %s, n: %s})", pickOne(r, "", ":A", ":B", ":A:B"), i, values(), values(),
			pickOne(r, "null", "1", "2", "3", "4")))
	}
	give(t, s, "CREATE "+strings.Join(parts, ", ")+";")
	give(t, s, fmt.Sprintf("UNWIND range(1, %d) AS k MATCH (a {i: (k * 7) %% %d}), (b {i: (k * k) %% %d}) CREATE (a)-[:R]->(b);", 3*nodes, nodes, nodes))
}

// TestConditionsOnManyNodes compares conditions on properties of so many nodes that
// they are read by columns with those of a session that reads each node by itself.
func TestConditionsOnManyNodes(t *testing.T) {
	conditions := []string{
		"%s.p = 1", "%s.p <> 1", "%s.p > 1", "%s.p <= 'x'", "%s.p IN [1, 'x', null]", "%s.p IS NULL", "%s.p IS NOT NULL",
		"%s.p STARTS WITH 'x'", "%s.p ENDS WITH 'x'", "NOT (%s.p = 2)", "%s.p = 1 OR %[1]s.p = 'x'", "%s.p = 1 OR %[1]s.q = 1",
		"%s.p = [1, 2]", "%s.p = date('2020-01-02')", "%s.p = $v", "size(toString(%s.n)) = 1", "any(y IN [1, 2] WHERE y = %s.n)",
		"1 < %s.n < 4", "%s.missing = 1", "%s.missing IS NULL", "%s:A AND %[1]s.n = 2", "%s.i %% 3 = 0", "%s.key IS NULL",
	}
	params := map[string]cypher.Value{"v": cypher.String("xy")}
	rows := func(s *cypher.Session, text string) []string {
		t.Helper()
		got, _, err := outcome(s, text, params)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		slices.Sort(got)
		return got
	}
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 12))
		s := newSession(t, stores["memkv"], cypher.Options{})
		valuesGraph(t, s, r, 200)
		plain := oneByOne(t, s)
		compare := func(text string) {
			t.Helper()
			if got, want := rows(s, text), rows(plain, text); !slices.Equal(got, want) {
				t.Fatalf("%s: %d rows, want %d\n%v\n%v", text, len(got), len(want), got, want)
			}
		}
		for round := range 2 {
			for _, c := range conditions {
				on := func(name string) string { return fmt.Sprintf(c, name) }
				other := fmt.Sprintf(pickOne(r, conditions...), "b")
				compare("MATCH (a) WHERE " + on("a") + " RETURN a.i, a.p, a.q")
				compare("MATCH (a:A) WHERE " + on("a") + " RETURN count(*)")
				compare("MATCH (a)-->(b) WHERE " + on("a") + " AND " + other + " RETURN a.i, b.i, b.q")
				compare("MATCH (a)-->(b) WHERE " + on("b") + " RETURN count(*)")
				compare("MATCH (a)-->(b)-->(c) WHERE " + on("c") + " RETURN a.n, count(c)")
				compare("MATCH (a)-->(b:B)--(c) WHERE " + on("a") + " AND " + other + " RETURN count(*)")
				compare("MATCH (a) WHERE a.n = 2 OPTIONAL MATCH (a)-->(b) WHERE " + on("b") + " RETURN a.i, count(b)")
				compare("MATCH (a) WHERE EXISTS { MATCH (a)-->(b) WHERE " + on("b") + " } RETURN a.p, count(*), min(a.q)")
			}
			give(t, s, "MATCH (n {i: 3}) SET n.p = 1, n.q = 'new'; MATCH (n {i: 4}) REMOVE n.p; MATCH (n {i: 5}) DETACH DELETE n;")
			if round == 0 {
				give(t, s, "MATCH (n) WHERE n.p = 1 SET n.p = 2, n.n = n.i; CREATE (:A {i: 1000, p: 1});")
			}
		}
	}
}

// TestConditionThatFails: a condition that fails for a node which no pattern reaches is
// no error.
func TestConditionThatFails(t *testing.T) {
	s := newSession(t, stores["memkv"], cypher.Options{})
	give(t, s, `UNWIND range(1, 300) AS i CREATE (:A {i: i, d: 1})-[:R]->(:B {d: 1}); CREATE (:B {d: 0});`)
	got, err := runBrute(s, "MATCH (a:A)-[:R]->(b) WHERE 1 / b.d = 1 RETURN a.i % 2, count(*)")
	if err != nil || !slices.Equal(got, []string{"0 | 150", "1 | 150"}) {
		t.Errorf("%v %v", got, err)
	}
	if _, err := runBrute(s, "MATCH (b:B) WHERE 1 / b.d = 1 RETURN count(*)"); err == nil {
		t.Error("a division by zero passes")
	}
}
