package procedure_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
)

// openSession opens a session on a graph of its own: two triangles joined by an
// edge, a-b-c and d-e-f with c-d, undirected, and an arrow from f to g. Nodes
// have a vector each, on a circle in that order, and a note.
func openSession(t testing.TB) *cypher.Session { return openSessionIn(t, newEnv) }

// newEnv returns the environment of procedures.
func newEnv(s *engine.Snapshot) *query.Env {
	analyze := func(s string) []string {
		var out []string
		for _, term := range (text.Standard{}).Terms(s) {
			out = append(out, term.Text)
		}
		return out
	}
	return &query.Env{Snap: s, Analyze: analyze, Embed: func(_ context.Context, text string) ([]float32, error) {
		return circle(int(text[0]) - 'a'), nil // the text a has the vector of the node a
	}}
}

// openSessionIn is openSession with an environment.
func openSessionIn(t testing.TB, env func(s *engine.Snapshot) *query.Env) *cypher.Session {
	t.Helper()
	ctx := t.Context()
	db, err := engine.Open(ctx, engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(ctx, func(tx *engine.Tx) error { return fill(tx.Graph(g)) }); err != nil {
		t.Fatal(err)
	}
	words := engine.Rule{Name: "words", Kind: engine.FulltextIndex, Types: []string{"town", "port"}, Properties: []string{"note"}}
	ways := engine.Rule{Name: "ways", Kind: engine.FulltextIndex, Edges: true, Types: []string{"road"}, Properties: []string{"name"}}
	if err := errors.Join(db.MakeRule(ctx, g, words), db.MakeRule(ctx, g, ways)); err != nil {
		t.Fatal(err)
	}
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		t.Fatal(err)
	}
	s, err := cypher.NewSession(cypher.Options{DB: db, Namespace: ns, Graph: "g", Procedures: r, Query: env})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func circle(i int) []float32 {
	return [][]float32{{1, 0}, {0.9, 0.44}, {0.62, 0.78}, {0.22, 0.97}, {-0.22, 0.97}, {-0.62, 0.78}, {-0.9, 0.44}}[i]
}

func fill(v *engine.TxView) error {
	town, err := v.MakeNodeType("town")
	if err != nil {
		return err
	}
	port, err := v.MakeNodeType("port")
	if err != nil {
		return err
	}
	road, err := v.MakeEdgeType("road", false)
	if err != nil {
		return err
	}
	ferry, err := v.MakeEdgeType("ferry", true)
	if err != nil {
		return err
	}
	if err := v.MakeSpace("place@circle", engine.SpaceOptions{Dim: 2, Model: "circle"}); err != nil {
		return err
	}
	if err := v.MakeField("notes", engine.FieldOptions{Analyzer: (text.Standard{}).Name(), Positions: true}); err != nil {
		return err
	}
	notes := []string{"red house", "red red mill", "stone bridge", "stone mill", "blue boat", "blue harbour", "harbour master"}
	var ids []engine.NodeID
	for i, note := range notes {
		kind := town
		if i == 6 {
			kind = port
		}
		id, _, err := v.PutNode(kind, string(rune('a'+i)), engine.Props{"note": engine.String(note)})
		if err != nil {
			return err
		}
		if err := v.PutVector("place@circle", id, circle(i)); err != nil {
			return err
		}
		if err := v.PutTerms("notes", id, (text.Standard{}).Terms(note)); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	for _, e := range [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 3}} {
		if err := v.AddEdge(ids[e[0]], ids[e[1]], road, float32(1+e[0])); err != nil {
			return err
		}
		way := engine.Props{"name": engine.String(fmt.Sprint("the way to ", notes[e[1]]))}
		if err := v.SetEdgeProps(engine.Edge{From: ids[e[0]], To: ids[e[1]], Type: road}, way); err != nil {
			return err
		}
	}
	return v.AddEdge(ids[5], ids[6], ferry, 1)
}

// run returns the rows of a statement, a line each.
func run(t testing.TB, s *cypher.Session, text string) []string {
	t.Helper()
	rows, err := tryRun(t.Context(), s, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return rows
}

func tryRun(ctx context.Context, s *cypher.Session, text string) ([]string, error) {
	r, err := s.Run(ctx, text, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out []string
	for row, err := range r.Rows() {
		if err != nil {
			return out, err
		}
		cells := make([]string, len(row))
		for i, v := range row {
			if cells[i] = v.String(); v.Kind() == cypher.KindFloat {
				cells[i] = fmt.Sprintf("%.3f", v.AsFloat())
			}
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out, nil
}

// TestProcedures holds the rows of every procedure on the small graph; expected
// values were worked out by hand.
func TestProcedures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"CALL graph.degree() YIELD node, degree RETURN node.key, degree", "c 3|d 3|f 3|a 2|b 2|e 2|g 0"},
		{"CALL graph.degree({direction: 'both'}) YIELD node, degree WHERE node:port RETURN degree", "1"},
		{"CALL graph.degree({types: ['ferry']}) YIELD node, degree WHERE degree > 0 RETURN node.key", "f"},
		{"CALL graph.degree({labels: 'town', types: 'road'}) YIELD node RETURN count(node)", "6"},
		{"CALL graph.kcore() YIELD node, core RETURN node.key, core", "a 2|b 2|c 2|d 2|e 2|f 2|g 1"},
		{"CALL graph.kcore.stats() YIELD nodes, edges, max RETURN nodes, edges, max", "7 8 2"},
		{"CALL graph.betweenness({types: 'road'}) YIELD node, score RETURN node.key, score LIMIT 3", "c 6.000|d 6.000|a 0.000"},
		{"CALL graph.betweenness.stats({types: 'road', k: 3, seed: 1}) YIELD sources RETURN sources", "3"},
		{"CALL graph.pagerank({types: 'road', labels: 'town', weighted: false}) YIELD score RETURN round(sum(score), 6)", "1.000"},
		{"CALL graph.leiden({types: 'road', labels: 'town', weighted: false}) YIELD node, community RETURN community, collect(node.key) ORDER BY community", "0 ['a', 'b', 'c']|1 ['d', 'e', 'f']"},
		{"CALL graph.leiden.stats({seed: 7, types: 'road', labels: 'town', weighted: false}) YIELD communities, quality RETURN communities, round(quality, 4)", "2 0.357"},
		{"CALL graph.wcc({types: 'road'}) YIELD node, component RETURN component, count(node) ORDER BY component", "0 6|1 1"},
		{"CALL graph.triangles({types: 'road'}) YIELD node, triangles WHERE triangles = 0 RETURN node.key", "g"},
		{"CALL graph.clustering({types: 'road'}) YIELD node, coefficient WHERE node.key IN ['a', 'c'] RETURN node.key, coefficient", "a 1.000|c 0.333"},
		{"CALL graph.scan({types: 'road'}) YIELD node, community RETURN community, count(*) ORDER BY community", "0 3|1 3"},
		{"CALL graph.spectral({types: 'road', labels: 'town', weighted: false, k: 2, seed: 3}) YIELD node, community WITH community, collect(node.key) AS keys RETURN keys ORDER BY keys[0]", "['a', 'b', 'c']|['d', 'e', 'f']"},
		// Two steps of alpha 0.5 from a: 1/2 + 1/16 + 1/24, 1/8 + 1/16 and
		// 1/8 + 1/24.
		{"MATCH (a {key: 'a'}) CALL graph.ppr([a], {weighted: false, types: 'road', top: 3}) YIELD node, score RETURN node.key, score", "a 0.604|c 0.188|b 0.167"},
		{"MATCH (a) WHERE a.key IN ['a', 'f'] WITH collect(a) AS seeds CALL graph.ppr.stats(seeds) YIELD mass RETURN round(mass, 6)", "1.000"},
		{"MATCH (a {key: 'a'}), (e {key: 'e'}) CALL graph.shortest_path(a, e) YIELD path, cost RETURN [n IN nodes(path) | n.key], length(path), cost", "['a', 'c', 'd', 'e'] 3 3.000"},
		{"MATCH (a {key: 'a'}), (e {key: 'e'}) CALL graph.shortest_path(a, e, {max: 2}) YIELD path RETURN path", ""},
		{"MATCH (a {key: 'g'}), (e {key: 'f'}) CALL graph.shortest_path(a, e) YIELD path RETURN path", ""},
		{"MATCH (a {key: 'g'}), (e {key: 'f'}) CALL graph.shortest_path(a, e, {direction: 'in'}) YIELD cost RETURN cost", "1.000"},
		{"MATCH (a {key: 'a'}) CALL graph.expand(a, {hops: 2}) YIELD node, hop RETURN node.key, hop", "a 0|b 1|c 1|d 2"},
		{"MATCH (n) WHERE n.key IN ['a', 'b', 'd', 'f'] WITH collect(n) AS nodes CALL graph.subgraph(nodes) YIELD edge, source, target RETURN source.key, target.key, type(edge)", "a b road|d f road"},
		{"CALL graph.project('towns', {labels: 'town'}) YIELD nodes, edges RETURN nodes, edges", "6 7"},
		{"CALL vec.search('place', 'b', 2) YIELD node, score RETURN node.key, score", "b 1.000|c 0.903"},
		{"CALL vec.search('place@circle', [0.9, 0.44], 1, {labels: 'port'}) YIELD node RETURN node.key", "g"},
		{"MATCH (a {key: 'a'}) CALL vec.search('town', a, 2, {exact: true}) YIELD node RETURN node.key", "a|b"},
		{"CALL vec.spaces() YIELD name, kind, dimension, vectors RETURN name, kind, dimension, vectors", "place@circle flat 2 7"},
		// Which of the two middle gaps divides the circle is the seed's to say.
		{"CALL vec.cluster('place', {method: 'kmeans', k: 2, seed: 1}) YIELD item, cluster WITH cluster, collect(item.key) AS keys RETURN keys ORDER BY keys[0]", "['a', 'b', 'c', 'd']|['e', 'f', 'g']"},
		{"CALL vec.cluster.stats('place', {method: 'lsh', planes: 1, seed: 1}) YIELD items, clusters RETURN items, clusters <= 2", "7 true"},
		{"CALL text.search('mill', 5) YIELD node RETURN node.key", "d|b"},
		{"CALL text.search('red', 1) YIELD node RETURN node.key", "b"},
		{"CALL text.phrase('stone mill') YIELD node RETURN node.key", "d"},
		{"MATCH (b {key: 'b'}) CALL text.keywords(b, {top: 1}) YIELD keyword, count RETURN keyword, count", "red 2"},
		{"CALL text.fields() YIELD name, phrases, nodes RETURN name, phrases, nodes", "notes true 7"},
		{"CALL db.graphs()", "g true"},
		{"CALL db.labels()", "port 1|town 6"},
		{"CALL db.relationshipTypes() YIELD relationshipType, directed RETURN relationshipType, directed", "road false|ferry true"},
		{"SHOW INDEXES YIELD name, type, labelsOrTypes, properties", "place@circle VECTOR null null|notes FULLTEXT null null|ways FULLTEXT ['road'] ['name']|words FULLTEXT ['town', 'port'] ['note']"},
		{"SHOW CONSTRAINTS", ""},
		{"SHOW FUNCTIONS YIELD name WHERE name STARTS WITH 'toInteger' RETURN count(*) > 0 AS some", "true"},
		{"SHOW PROCEDURES YIELD name, mode ORDER BY name DESC LIMIT 1 WHERE name STARTS WITH 'graph.kcore'", "graph.kcore.write WRITE"},
		{"CALL db.index.fulltext.queryNodes('words', 'stones') YIELD node RETURN node.key ORDER BY node.key", "c|d"},
		{"CALL db.index.fulltext.queryRelationships('ways', 'stone mill') YIELD relationship AS r RETURN startNode(r).key, endNode(r).key", "c d|a b|a c|b c"},
		{"CALL db.index.vector.queryNodes('place@circle', 2, 'b') YIELD node RETURN node.key", "b|c"},
		{"CALL db.stats() YIELD graph, nodes, edges, vectors RETURN graph, nodes, edges, vectors", "g 7 8 7"},
		{"CALL db.check({full: true})", ""},
		{"CALL db.procedures('graph.kcore') YIELD name RETURN name", "graph.kcore|graph.kcore.estimate|graph.kcore.stats|graph.kcore.write"},
	} {
		s := openSession(t)
		if got := strings.Join(run(t, s, c.text), "|"); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestWrite writes core numbers, reads them back and projects by name.
func TestWrite(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	if got := run(t, s, "CALL graph.kcore.write({property: 'core'}) YIELD written RETURN written"); !slices.Equal(got, []string{"7"}) {
		t.Errorf("written %v", got)
	}
	if got := run(t, s, "MATCH (n) RETURN n.core, count(*) ORDER BY n.core"); !slices.Equal(got, []string{"1 1", "2 6"}) {
		t.Errorf("cores %v", got)
	}
	run(t, s, "CALL graph.project('towns', {labels: 'town', types: 'road'})")
	if got := run(t, s, "CALL graph.kcore.stats({projection: 'towns'}) YIELD nodes RETURN nodes"); !slices.Equal(got, []string{"6"}) {
		t.Errorf("nodes of the projection %v", got)
	}
	if got := run(t, s, "CALL graph.projections()"); !slices.Equal(got, []string{"towns g"}) {
		t.Errorf("projections %v", got)
	}
	run(t, s, "CALL graph.drop('towns')")
	if got := run(t, s, "CALL graph.betweenness.estimate() YIELD nodes, edges, bytes, ms RETURN nodes, edges, bytes > 0, ms > 0"); !slices.Equal(got, []string{"7 8 true true"}) {
		t.Errorf("estimate %v", got)
	}
}

// TestIndexNames lists indexes by the names they were given, which DROP INDEX
// takes.
func TestIndexNames(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	run(t, s, "CREATE INDEX FOR (n:town) ON (n.size)")
	run(t, s, "CREATE INDEX founded FOR (n:town) ON (n.year)")
	list := "SHOW INDEXES YIELD name, type, labelsOrTypes WHERE type = 'RANGE' RETURN name"
	run(t, s, "CREATE INDEX FOR (n) ON (n.year)")
	if got := run(t, s, list); !slices.Equal(got, []string{"founded", "town.size", "year"}) {
		t.Errorf("indexes %v", got)
	}
	run(t, s, "DROP INDEX founded")
	run(t, s, "DROP INDEX FOR (n) ON (n.year)")
	if got := run(t, s, list); !slices.Equal(got, []string{"town.size"}) {
		t.Errorf("indexes %v after two were dropped", got)
	}
}

// TestDirectionOfProjection chooses another direction than a projection has.
func TestDirectionOfProjection(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	run(t, s, "CALL graph.project('back', {types: 'ferry', direction: 'in'})")
	rank := func(options string) string {
		return strings.Join(run(t, s, "CALL graph.pagerank({"+options+"}) YIELD node RETURN node.key LIMIT 1"), "")
	}
	for options, want := range map[string]string{
		"types: 'ferry'":                        "g",
		"projection: 'back'":                    "f",
		"projection: 'back', direction: 'out'":  "g",
		"types: 'ferry', direction: 'in'":       "f",
		"projection: 'back', direction: 'both'": "f",
	} {
		if got := rank(options); got != want {
			t.Errorf("%s: %s is first, want %s", options, got, want)
		}
	}
}

// TestGraphs makes and drops a graph, and works in another graph than the
// current one if only that has the nodes or the space.
func TestGraphs(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	run(t, s, "CALL db.createGraph('mine')")
	run(t, s, "USE mine")
	if got := run(t, s, "CALL vec.search('place', 'b', 1) YIELD node CALL graph.ppr([node], {types: 'road', weighted: false}) YIELD node AS n, score RETURN n.key, score ORDER BY score DESC LIMIT 1"); !slices.Equal(got, []string{"b 0.604"}) {
		t.Errorf("ppr in the graph of its seeds: %v", got)
	}
	run(t, s, "CREATE (:Note {key: 'x'})")
	if _, err := tryRun(t.Context(), s, "CALL db.dropGraph('mine')"); err == nil || !strings.Contains(err.Error(), "USE another") {
		t.Errorf("dropping the graph in use: %v", err)
	}
	run(t, s, "USE g")
	run(t, s, "CALL db.dropGraph('mine')")
	if got := run(t, s, "CALL db.graphs() YIELD name RETURN name"); !slices.Equal(got, []string{"g"}) {
		t.Errorf("graphs %v", got)
	}
}

// TestRefused holds what is said of wrong calls.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"CALL graph.kcore({sed: 1})", `there is no option "sed": there are direction, labels, nodes, projection, top, types, weighted`},
		{"CALL graph.kcore({direction: 'out'})", `option direction is one of both, not "out"`},
		{"CALL graph.kcore({labels: ['city']})", `there is no label "city" in graph g`},
		{"CALL graph.pagerank({damping: 2})", "option damping is a number from"},
		{"CALL graph.pagerank({projection: 'x'})", `there is no projection "x"`},
		{"CALL graph.ppr([])", "seeds are a list of at least one node"},
		{"CALL graph.ppr([1])", "seeds are nodes"},
		{"CALL graph.kcore(7)", "the argument options is of the type map"},
		{"CALL graph.kcore.write()", "option property names the property"},
		{"CALL graph.kcore.write({property: '_text'})", "does not begin with an underscore"},
		{"CALL vec.search('place', 'b', 0)", "k is a whole number from 1 on"},
		{"CALL vec.search('nowhere', 'b', 1)", `graph g has no vector space "nowhere"; it has "place@circle"`},
		{"CALL vec.search('place', [1], 1)", "has vectors of 2 elements, not 1"},
		{"CALL vec.search('place', 'b', 1, {filter: 'note ='})", "filter"},
		{"CALL vec.cluster('place', {method: 'kmeans'})", "kmeans needs the number of clusters"},
		{"CALL text.search('x', 1, {field: 'body'})", `has no field "body"`},
		{"CALL db.createGraph('g')", `there is a graph "g" already`},
		{"CALL graph.nothing()", "graph.nothing"},
	} {
		_, err := tryRun(t.Context(), openSession(t), c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
}
