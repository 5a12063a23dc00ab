package procedure_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// TestForeignNames holds which procedure an unknown name is answered with.
func TestForeignNames(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	for name, want := range map[string]string{
		"graph.louvain": "graph.leiden", "graph.comunities": "graph.leiden", "graph.pagernk": "graph.pagerank",
		"graph.connectedComponents": "graph.wcc", "graph.shortestPath": "graph.shortest_path",
		"gds.pageRank": "graph.pagerank", "gds.pageRank.stream": "graph.pagerank", "gds.pageRank.mutate": "graph.pagerank",
		"gds.louvain.stats": "graph.leiden", "gds.labelPropagation.write": "graph.leiden", "gds.wcc.stream": "graph.wcc",
		"gds.triangleCount": "graph.triangles", "gds.localClusteringCoefficient": "graph.clustering",
		"gds.shortestPath.dijkstra.stream": "graph.shortest_path", "gds.bfs.stream": "graph.expand",
		"gds.graph.project": "graph.project", "gds.graph.drop": "graph.drop", "gds.graph.list": "graph.projections",
		"gds.kcore.stream": "graph.kcore", "gds.degree": "graph.degree", "gds.betweenness.stream": "graph.betweenness",
		"algo.unionFind": "graph.wcc", "algo.betweenness": "graph.betweenness", "apoc.algo.dijkstra": "graph.shortest_path",
		"apoc.path.subgraphNodes": "graph.expand", "apoc.path.subgraphAll": "graph.subgraph", "dbms.procedures": "db.procedures",
		"db.schema.visualization": "db.labels", "db.schema.nodeTypeProperties": "db.labels", "db.schema.relTypeProperties": "db.relationshipTypes", "apoc.meta.schema": "db.labels",
		"apoc.create.node": "", "gds.node2vec.train": "", "x.y": "", "": "",
	} {
		if name == "" {
			continue
		}
		_, err := tryRun(t.Context(), s, "CALL "+name+"()")
		says := "did you mean " + want + "?"
		if want == "" {
			says = "CALL db.procedures() lists those that there are"
		}
		if err == nil || !strings.HasSuffix(err.Error(), "there is no procedure "+name+"; "+says) {
			t.Errorf("%s: %v, want %s", name, err, says)
		}
	}
}

// TestOptionPlaces holds that an error about an option shows where it stands.
func TestOptionPlaces(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	for text, want := range map[string]string{
		"CALL graph.pagerank({tpo: 3})":                          "CALL graph.pagerank({tpo: 3})\n                     ^^^",
		"CALL graph.pagerank({damping: .5, top: 0})":             "CALL graph.pagerank({damping: .5, top: 0})\n                                  ^^^",
		"CALL graph.leiden({seed: 1, types: ['road', 'x' + 1]})": "CALL graph.leiden({seed: 1, types: ['road', 'x' + 1]})\n                            ^^^^^",
		"CALL graph.kcore({labels : 1 + 1})":                     "CALL graph.kcore({labels : 1 + 1})\n                  ^^^^^^",
		"MATCH (a {key: 'a'}), (b {key: 'b'}) CALL graph.shortest_path(a, b, {weighted: true, max: 2}) YIELD cost RETURN cost": "…",
	} {
		_, err := tryRun(t.Context(), s, text)
		var at *cypher.SyntaxError
		if !errors.As(err, &at) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := at.Caret(); want != "…" && got != want || want == "…" && at.Near != "max" {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
	// Options of a parameter stand nowhere.
	r, err := s.Run(t.Context(), "CALL graph.pagerank($o)", map[string]cypher.Value{"o": cypher.MapOf(map[string]cypher.Value{"tpo": cypher.Int(3)})})
	if err == nil {
		for _, err = range r.Rows() {
		}
		r.Close()
	}
	var option interface{ Option() string }
	if !errors.As(err, &option) || option.Option() != "tpo" {
		t.Errorf("a parameter: %v", err)
	}
}

// TestTop holds that top takes the first of what is ranked.
func TestTop(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"degree(%) YIELD node, degree AS x", "kcore(%) YIELD node, core AS x", "betweenness(%) YIELD node, score AS x", "pagerank(%) YIELD node, score AS x",
		"triangles(%) YIELD node, triangles AS x", "clustering(%) YIELD node, coefficient AS x"} {
		s := openSession(t)
		text := func(options string) string {
			return "CALL graph." + strings.Replace(call, "%", options, 1) + " RETURN node.key, x"
		}
		all := run(t, s, text(""))
		for n, options := range []string{2: "{top: 2}", 7: "{top: 100}"} {
			if options == "" {
				continue
			}
			if got := run(t, s, text(options)); !slices.Equal(got, all[:n]) {
				t.Errorf("%s: %v of %v", text(options), got, all)
			}
		}
		name, _, _ := strings.Cut(call, "(")
		run(t, s, "CALL graph."+name+".write({property: 'p', top: 2})")
		if got := run(t, s, "MATCH (n) WHERE n.p IS NOT NULL RETURN count(n)"); got[0] != "2" {
			t.Errorf("%s.write: %v nodes", name, got)
		}
	}
}
