package procedure_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
)

// filteredStatements read in many ways. Scores that count what is hidden are left
// out.
var filteredStatements = []string{
	"MATCH (n) RETURN n.key, n.note, labels(n) ORDER BY n.key",
	"MATCH (n) RETURN count(*)",
	"MATCH (n:town) RETURN count(n), collect(n.key)",
	"MATCH (n {key: 'c'}) RETURN n",
	"MATCH (n) WHERE id(n) = 3 OR id(n) IN [1, 3] RETURN n.key",
	"MATCH (n:town) WHERE n.note = 'stone bridge' RETURN n.key",
	"MATCH (n) WHERE n.note STARTS WITH 'stone' RETURN n.key",
	"MATCH (a)-[r]-(b) RETURN a.key, type(r), r.weight, b.key ORDER BY a.key, b.key",
	"MATCH (a {key: 'd'})--(b) RETURN b.key ORDER BY b.key",
	"MATCH ()-[r]-() RETURN count(r)",
	"MATCH (a {key: 'a'})-[:road]-(b)-[:road]-(c) RETURN b.key, c.key",
	"MATCH p = (a {key: 'a'})-[*1..4]-(b) RETURN [n IN nodes(p) | n.key] AS way ORDER BY size(way), way",
	"MATCH p = shortestPath((a {key: 'a'})-[*]-(f {key: 'f'})) RETURN length(p)",
	"MATCH p = shortestPath((d {key: 'd'})-[*]-(f {key: 'f'})) RETURN length(p)",
	"MATCH (a {key: 'a'}), (b {key: 'b'}) OPTIONAL MATCH (a)-[r]-(b) RETURN count(r)",
	"MATCH (n) WHERE EXISTS { (n)--({key: 'c'}) } RETURN n.key",
	"MATCH (n) RETURN n.key, COUNT { (n)--() } AS c, [(n)--(m) | m.key] ORDER BY n.key",
	"MATCH (n) WHERE NOT (n)-[:road]-() RETURN n.key ORDER BY n.key",
	"CALL db.index.fulltext.queryNodes('words', 'stone red') YIELD node RETURN node.key ORDER BY node.key",
	"CALL db.index.fulltext.queryRelationships('ways', 'stone mill') YIELD relationship AS r RETURN r.name ORDER BY r.name",
	"CALL db.index.vector.queryNodes('place', 9, 'c') YIELD node, score RETURN node.key, score",
	"CALL vec.search('place', 'c', 9) YIELD node, score RETURN node.key, score",
	"CALL vec.search('place', 'c', 9, {filter: \"key < 'e'\"}) YIELD node RETURN node.key",
	"CALL vec.search('town', 'c', 9, {labels: 'town', exact: true}) YIELD node RETURN node.key",
	"CALL vec.chsearch('place', 'c', [9]) YIELD node RETURN node.key",
	"CALL vec.cluster('place', {method: 'lsh', planes: 1}) YIELD item RETURN item.key",
	"CALL vec.cluster.stats('place', {k: 2}) YIELD items RETURN items",
	"CALL text.search('stone', 9) YIELD node RETURN node.key",
	"CALL text.search('stone', 9, {filter: \"key STARTS WITH 'c'\"}) YIELD node RETURN node.key",
	"CALL text.phrase('stone bridge') YIELD node RETURN node.key",
	"MATCH (n) CALL text.keywords(n) YIELD keyword RETURN n.key, keyword ORDER BY n.key, keyword",
	"MATCH (a {key: 'b'}) CALL graph.ppr([a], {iters: 4}) YIELD node, score RETURN node.key, score",
	"MATCH (a {key: 'b'}) CALL graph.ppr.stats([a], {iters: 4}) YIELD mass RETURN mass",
	"CALL db.labels()",
	"CALL db.graphs()",
	"CALL db.relationshipTypes()",
	"USE g MATCH (n) RETURN n.key ORDER BY n.key",
}

// TestFilteredSession: a session whose environment hides a node gives the rows of
// one without the node, whatever the statement. It neither writes nor runs a
// procedure that reads more.
func TestFilteredSession(t *testing.T) {
	t.Parallel()
	hide := func(s *engine.Snapshot) *query.Env {
		e := newEnv(s)
		e.Allow = func(context.Context, *engine.View) (*roaring.Bitmap, error) {
			return roaring.BitmapOf(1, 2, 4, 5, 6, 7), nil
		}
		return e
	}
	s, without := openSessionIn(t, hide), openSession(t)
	run(t, without, "MATCH (n {key: 'c'}) DETACH DELETE n")
	for _, text := range filteredStatements {
		if got, want := run(t, s, text), run(t, without, text); !slices.Equal(got, want) {
			t.Errorf("%s gives %q, without the hidden node %q", text, got, want)
		}
	}
	for _, text := range []string{
		"CREATE (:town)", "MATCH (n) SET n.x = 1", "MATCH (n {key: 'a'}) DETACH DELETE n", "MERGE (:town {key: 'c'})",
		"CREATE INDEX FOR (n:town) ON (n.note)", "MATCH (a:town) CALL graph.ppr.write([a], {property: 'x'}) YIELD written RETURN written",
	} {
		if rows, err := tryRun(t.Context(), s, text); !errors.Is(err, engine.ErrReadOnly) && !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %q, %v", text, rows, err)
		}
	}
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		t.Fatal(err)
	}
	for _, name := range r.Names() {
		p := r.Get(name)
		args := make([]string, len(p.Args))
		for i := range args {
			args[i] = "null"
		}
		_, err := tryRun(t.Context(), s, "CALL "+name+"("+strings.Join(args, ", ")+")")
		if refused := err != nil && strings.Contains(err.Error(), "filter of this session"); refused == p.Filtered && !p.Writes {
			t.Errorf("%s: Filtered is %t, and the call ends with %v", name, p.Filtered, err)
		}
		if p.Filtered && !slices.ContainsFunc(filteredStatements, func(s string) bool { return strings.Contains(s, "CALL "+name+"(") }) &&
			!slices.Contains([]string{"db.constraints", "db.functions", "db.indexes", "db.procedures", "db.propertyKeys", "graph.drop", "graph.projections", "text.fields", "vec.spaces"}, name) {
			t.Errorf("%s is Filtered, and no statement of the test runs it", name)
		}
	}
	if _, err := tryRun(t.Context(), s, "MATCH (a {key: 'b'}) CALL graph.ppr([a], {labels: 'town'}) YIELD node RETURN node.key"); err == nil || !strings.Contains(err.Error(), "filter of this session") {
		t.Errorf("graph.ppr on chosen nodes: %v", err)
	}
}

// TestFilterOfProcedures: the option filter names keys, and a condition that fails
// tells nothing of a node.
func TestFilterOfProcedures(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	run(t, s, "CREATE INDEX FOR (n) ON (n.note)")
	for text, want := range map[string][]string{
		"CALL vec.search('place', 'a', 9, {filter: \"key IN ['a', 'f'] AND NOT note CONTAINS 'blue'\"}) YIELD node RETURN node.key":        {"a"},
		"CALL text.search('stone', 9, {filter: \"key = 'd'\"}) YIELD node RETURN node.key":                                                 {"d"},
		"CALL text.search('stone red', 9, {filter: \"toUpper(key) < 'C'\", labels: 'town'}) YIELD node RETURN node.key ORDER BY node.key":  {"a", "b"},
		"CALL vec.chsearch('place', 'a', [9], {filter: \"note = 'red house' OR key = 'g'\"}) YIELD node RETURN node.key ORDER BY node.key": {"a", "g"},
		"CALL text.search('stone', 9, {filter: \"format = 'md'\"}) YIELD node RETURN node.key":                                             nil,
	} {
		if got := run(t, s, text); !slices.Equal(got, want) {
			t.Errorf("%s gives %q, want %q", text, got, want)
		}
	}
	_, err := tryRun(t.Context(), s, "CALL text.search('stone', 9, {filter: \"note + 1 > 5 OR size(note) / (size(key) - 1) > 1\"})")
	if err == nil || strings.Contains(err.Error(), "stone") || !strings.Contains(err.Error(), "divided by zero") {
		t.Errorf("a condition that fails: %v", err)
	}
}
