package cypher_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// TestExpecting: the place is marked by ^ in the text.
func TestExpecting(t *testing.T) {
	for text, want := range map[string]string{
		"^":                                     "MATCH CALL RETURN...",
		"MA^":                                   "'MA' MATCH CALL RETURN...",
		"EXPLAIN ^":                             "MATCH CALL RETURN...",
		"RETURN 1; MAT^":                        "'MAT' MATCH CALL RETURN...",
		"USE ^":                                 "graphs",
		"USE 'ket^":                             "'ket' graphs",
		"USE base ^":                            "MATCH CALL RETURN...",
		"CALL ^":                                "procedures",
		"CALL gra^":                             "'gra' procedures",
		"CALL graph.^":                          "'graph.' procedures",
		"CALL graph.p^":                         "'graph.p' procedures",
		"CALL graph.ppr(^":                      "functions NOT CASE EXISTS {...",
		"CALL graph.ppr($s^":                    "'s' parameters",
		"CALL graph.ppr($^":                     "parameters",
		"CALL graph.ppr() ^":                    "YIELD RETURN WITH...",
		"CALL graph.ppr() YIELD ^":              "columns of graph.ppr",
		"CALL graph.ppr() YIELD node, sc^":      "'sc' columns of graph.ppr",
		"CALL graph.ppr() YIELD node ^":         "AS WHERE RETURN...",
		"CALL a.b() YIELD node WHERE ^":         "vars node functions NOT CASE EXISTS {...",
		"CALL a.b() YIELD node AS n RETURN n.^": "properties",
		"MATCH (^":                              "nothing",
		"MATCH (n)-->(^":                        "vars n",
		"MATCH (n:^":                            "labels",
		"MATCH (n:A|^":                          "labels",
		"MATCH (:Pe^":                           "'Pe' labels",
		"MATCH (n)-[:^":                         "types",
		"MATCH (n)-[r:A|B^":                     "'B' types",
		"MATCH (n:Person {^":                    "properties of Person",
		"MATCH (n:Person {name: 1, a^":          "'a' properties of Person",
		"MATCH (n)-[r:KNOWS {^":                 "properties of KNOWS",
		"MATCH (n) ^":                           "WHERE RETURN WITH...",
		"MATCH (n:A)-->(m) WHERE n.^":           "properties of A",
		"MATCH (n:A)-->(m) WHERE n.na^":         "'na' properties of A",
		"MATCH (n) WHERE ^":                     "vars n functions NOT CASE EXISTS {...",
		"MATCH (n) WHERE n:^":                   "labels",
		"MATCH (n) WHERE n.x ^":                 "AND OR IN...",
		"MATCH (n) WHERE n.x IS ^":              "NULL NOT NULL",
		"MATCH (n) WHERE n.x STARTS ^":          "WITH",
		"MATCH (n) WHERE n.x STARTS WITH ^":     "vars n functions NOT CASE EXISTS {...",
		"MATCH (n) WHERE EXISTS { ^":            "MATCH WITH UNWIND...",
		"RETURN COLLECT { ^":                    "MATCH WITH UNWIND...",
		"CALL { ^":                              "MATCH WITH UNWIND...",
		"MATCH (n) CALL (n) { ^":                "MATCH WITH UNWIND...",
		"MATCH (n) CALL (n) { MATCH (m:^":       "labels",
		"MATCH (n) WHERE EXISTS { (n)-->(m:^":   "labels",
		"MATCH (n) RETURN ^":                    "vars n functions DISTINCT NOT CASE...",
		"MATCH (n) RETURN n.x ^":                "AS ORDER BY SKIP...",
		"MATCH (n) RETURN n.x ORDER ^":          "BY",
		"MATCH (n) RETURN n.x AS x ORDER BY ^":  "vars n x functions NOT CASE EXISTS {...",
		"MATCH (n) RETURN n.x ORDER BY n.x ^":   "DESC ASC SKIP...",
		"MATCH (a) WITH a.x AS x, count(*) AS c MATCH (b) WHERE ^": "vars x c b functions NOT CASE EXISTS {...",
		"MATCH (a) WITH *, 1 AS x MATCH (b) WHERE ^":               "vars a x b functions NOT CASE EXISTS {...",
		"MATCH (a)-[r]->(b) WITH DISTINCT a, b RETURN ^":           "vars a b functions DISTINCT NOT CASE...",
		"MATCH p = (a)-->() RETURN nodes(^":                        "vars p a functions NOT CASE EXISTS {...",
		"UNWIND [1] AS x RETURN [y IN x | ^":                       "vars x y functions NOT CASE EXISTS {...",
		"UNWIND [1] ^":                                             "AS RETURN WITH...",
		"RETURN 1 AS a UNION ^":                                    "ALL RETURN WITH...",
		"MATCH (n) RETURN 1 UNION MATCH (m) RETURN ^":              "vars m functions DISTINCT NOT CASE...",
		"MERGE (n) ^":                        "ON CREATE SET ON MATCH SET RETURN...",
		"CREATE ^":                           "INDEX VECTOR INDEX",
		"CREATE INDEX ^":                     "IF NOT EXISTS FOR OPTIONS",
		"CREATE INDEX FOR (n:^":              "labels",
		"CREATE INDEX FOR (n:Chunk) ON (n.^": "properties of Chunk",
		"DROP ^":                             "INDEX VECTOR INDEX",
		"DROP INDEX ^":                       "indexes IF EXISTS FOR",
		"COPY ^":                             "labels types",
		"COPY Person ^":                      "FROM TO OPTIONS",
		"COPY Person FROM 'da^":              "'da' files",
		"COPY (MATCH (n:^":                   "labels",
		"RETURN 'abc^":                       "'abc' nothing",
		"RETURN 1 // MAT^":                   "nothing",
		"RETURN 1 /* MAT^":                   "nothing",
		"RETURN 12^":                         "nothing",
		"RETURN apoc.^":                      "'apoc.' functions",
		"MATCH (n) RETURN n {^":              "nothing",
		"MATCH (`a b`:X) RETURN `a b`.^":     "properties of X",
	} {
		at := strings.Index(text, "^")
		e := cypher.Expecting(strings.Replace(text, "^", "", 1), at)
		if got := expectation(e); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if e.Typed != text[e.Start:at] {
			t.Errorf("%s: %q is not what is typed from %d on", text, e.Typed, e.Start)
		}
	}
}

func expectation(e cypher.Expectation) string {
	var out []string
	if e.Typed != "" {
		out = append(out, "'"+e.Typed+"'")
	}
	n := len(out)
	for _, f := range []struct {
		set  bool
		name string
	}{
		{len(e.Variables) > 0, "vars " + strings.Join(e.Variables, " ")},
		{e.Functions, "functions"},
		{e.Procedures, "procedures"},
		{e.Graphs, "graphs"},
		{e.Labels, "labels"},
		{e.EdgeTypes, "types"},
		{e.Properties && e.Of == nil, "properties"},
		{e.Of != nil, "properties of " + strings.Join(e.Of, " ")},
		{e.Parameters, "parameters"},
		{e.Indexes, "indexes"},
		{e.Files, "files"},
		{e.ColumnsOf != "", "columns of " + e.ColumnsOf},
	} {
		if f.set {
			out = append(out, f.name)
		}
	}
	words := strings.Join(e.Keywords[:min(3, len(e.Keywords))], " ")
	if len(e.Keywords) > 3 {
		words += "..."
	}
	if words != "" {
		out = append(out, words)
	}
	if len(out) == n {
		out = append(out, "nothing")
	}
	return strings.Join(out, " ")
}

// FuzzExpecting: completion takes any text at any place.
func FuzzExpecting(f *testing.F) {
	f.Add("MATCH (n:A {x: 1})-[r:B|C]->() WHERE n.x IN [1] RETURN n.", 20)
	f.Add("COPY (MATCH (n) RETURN n) TO 'x", 30)
	f.Fuzz(func(t *testing.T, text string, at int) {
		e := cypher.Expecting(text, at)
		at = min(max(at, 0), len(text))
		if e.Start < 0 || e.Start > at || e.Typed != text[e.Start:at] {
			t.Errorf("%q at %d: start %d, typed %q", text, at, e.Start, e.Typed)
		}
	})
}

func ExampleExpecting() {
	text := "MATCH (n:Entity)-[:"
	e := cypher.Expecting(text, len(text))
	fmt.Println(e.EdgeTypes)
	text = "MATCH (n:Entity) RETURN n.na"
	e = cypher.Expecting(text, len(text))
	fmt.Println(e.Properties, e.Of, e.Typed)
	// Output:
	// true
	// true [Entity] na
}

// TestExpectingOwnsKeywords: what a caller does to the words is not seen by the
// next.
func TestExpectingOwnsKeywords(t *testing.T) {
	e := cypher.Expecting("", 0)
	first := slices.Clone(e.Keywords)
	_ = append(e.Keywords[:0], "X")
	if again := cypher.Expecting("", 0); !slices.Equal(again.Keywords, first) {
		t.Errorf("got %v, want %v", again.Keywords, first)
	}
}
