package cypher_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// TestStatementAgain runs statements of one text with other parameters, in other graphs and
// after writes, and more statements than a session keeps.
func TestStatementAgain(t *testing.T) {
	s := newSession(t, stores["memkv"], cypher.Options{})
	run := func(text, want string, n int64) {
		t.Helper()
		got, _, err := outcome(s, text, map[string]cypher.Value{"n": cypher.Int(n)})
		if err != nil || len(got) == 0 || strings.Join(got[1:], ",") != want {
			t.Fatalf("%s is %v %v, want %s", text, got, err, want)
		}
	}
	const count = "MATCH (a:A) WHERE a.n >= $n WITH a ORDER BY a.n SKIP $n / 4 LIMIT $n + 1 RETURN collect(a.n)"
	run(count, "[]", 0)
	for i := range int64(3) {
		run("CREATE (a:A {n: $n}) RETURN a.n", fmt.Sprint(i), i)
	}
	run(count, "[0]", 0)
	run(count, "[1, 2]", 1)
	run(count, "[2]", 2)
	give(t, s, "CREATE GRAPH other; USE other;")
	run(count, "[]", 0)
	give(t, s, "CREATE (:A {n: 9});")
	run(count, "[9]", 0)
	for i := range 600 {
		run(fmt.Sprintf("RETURN $n + %d", i), fmt.Sprint(i+1), 1)
	}
	run(count, "[9]", 0)
	for range 2 {
		if _, err := s.Run(t.Context(), "RETURN x", nil); err == nil {
			t.Error("a variable that is not defined passes")
		}
	}
}
