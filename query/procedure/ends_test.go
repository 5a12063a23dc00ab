package procedure_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
)

var long = flag.Bool("long", false, "cancel every procedure at many moments, and want it to end at once")

// calls are statements that call each procedure with what makes it work long.
var calls = []string{
	"CALL db.check({full: true})", "CALL db.check()", "CALL db.createGraph('x')", "CALL db.dropGraph('x')", "CALL db.graphs()",
	"CALL db.indexes()", "CALL db.labels()", "CALL db.procedures()", "CALL db.propertyKeys()", "CALL db.relationshipTypes()",
	"CALL db.stats()", "CALL db.constraints()", "CALL db.functions()", "CALL db.index.fulltext.queryNodes('words', 'w1 w2 w3')", "CALL db.index.fulltext.queryRelationships('ways', 'w1 w2 w3')",
	"CALL db.index.vector.queryNodes('points', 3000, 'x')",
	"CALL graph.betweenness()", "CALL graph.betweenness({k: 1000, direction: 'both'})", "CALL graph.betweenness({epsilon: 0.001})",
	"CALL graph.clustering()", "CALL graph.degree()", "CALL graph.kcore()", "CALL graph.leiden()",
	"CALL graph.leiden({levels: true, objective: 'cpm', resolution: 0.5, iters: 1000})", "CALL graph.pagerank({tolerance: 1e-15, iters: 100000})",
	"CALL graph.scan()", "CALL graph.spectral({k: 2999})", "CALL graph.spectral({k: 200, restarts: 1000})", "CALL graph.triangles()", "CALL graph.wcc()",
	"MATCH (n) WITH collect(n) AS seeds CALL graph.ppr(seeds, {alpha: 0.01, iters: 100000}) YIELD node RETURN node",
	"MATCH (n) WITH collect(n) AS seeds CALL graph.ppr.stats(seeds, {iters: 1000}) YIELD mass RETURN mass",
	"MATCH (n) WITH collect(n) AS seeds CALL graph.ppr.estimate(seeds, {iters: 1000}) YIELD ms RETURN ms",
	"MATCH (n) WITH collect(n) AS seeds CALL graph.ppr.write(seeds, {property: 'p'}) YIELD written RETURN written",
	"MATCH (n) WITH collect(n) AS nodes CALL graph.expand(nodes, {hops: 100}) YIELD node RETURN node",
	"MATCH (n) WITH collect(n) AS nodes CALL graph.subgraph(nodes) YIELD edge RETURN edge",
	"MATCH (a {key: 'n0'}), (b {key: 'n2999'}) CALL graph.shortest_path(a, b, {direction: 'both', weighted: true}) YIELD path RETURN path",
	"CALL graph.project('p')", "CALL graph.projections()", "CALL graph.drop('p')",
	"CALL text.fields()", "CALL text.phrase('w1 w2')", "CALL text.search('w1 w2 w3 w4', 3000)",
	"MATCH (n) CALL text.keywords(n, {top: 100}) YIELD keyword RETURN keyword",
	"CALL vec.spaces()", "CALL vec.search('points', 'x', 3000, {exact: true})",
	"MATCH (n) CALL vec.search('points', n, 3000) YIELD score RETURN score", "CALL vec.chsearch('points', 'x', 10)",
	"CALL vec.cluster('points', {method: 'kmeans', k: 2000})", "CALL vec.cluster('points', {method: 'gmm', k: 300})",
	"CALL vec.cluster('points', {method: 'gmm'})", "CALL vec.cluster('points', {method: 'lsh', planes: 8})",
	"CALL vec.cluster.stats('points', {method: 'kmeans', k: 1000})",
}

// largeSession opens a session on a drawn graph of 3000 nodes and 30,000 edges,
// with vectors and texts.
func largeSession(t testing.TB) *cypher.Session {
	t.Helper()
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, &engine.Options{NoBackground: true})
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
	if err := db.Update(ctx, func(tx *engine.Tx) error { return fillLarge(tx.Graph(g)) }); err != nil {
		t.Fatal(err)
	}
	words := engine.Rule{Name: "words", Kind: engine.FulltextIndex, Types: []string{"N"}, Properties: []string{"note"}}
	ways := engine.Rule{Name: "ways", Kind: engine.FulltextIndex, Edges: true, Types: []string{"road"}, Properties: []string{"name"}}
	if err := errors.Join(db.MakeRule(ctx, g, words), db.MakeRule(ctx, g, ways)); err != nil {
		t.Fatal(err)
	}
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		t.Fatal(err)
	}
	analyze := func(s string) []string { return strings.Fields(s) }
	s, err := cypher.NewSession(cypher.Options{
		DB: db, Namespace: ns, Graph: "g", Procedures: r,
		Query: func(s *engine.Snapshot) *query.Env {
			return &query.Env{Snap: s, Analyze: analyze, Embed: func(context.Context, string) ([]float32, error) {
				return drawnPoint(rand.New(rand.NewPCG(9, 9))), nil
			}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func drawnPoint(r *rand.Rand) []float32 {
	p := make([]float32, 48)
	for i := range p {
		p[i] = float32(r.NormFloat64())
	}
	return p
}

func fillLarge(v *engine.TxView) error {
	const nodes, edges = 3000, 30_000
	kind, err := v.MakeNodeType("N")
	if err != nil {
		return err
	}
	road, err := v.MakeEdgeType("road", false)
	if err != nil {
		return err
	}
	if err := v.MakeSpace("points", engine.SpaceOptions{Dim: 48, Model: "drawn"}); err != nil {
		return err
	}
	if err := v.MakeField("notes", engine.FieldOptions{Analyzer: (text.Standard{}).Name(), Positions: true}); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	ids := make([]engine.NodeID, nodes)
	for i := range ids {
		if ids[i], _, err = v.PutNode(kind, fmt.Sprint("n", i), nil); err != nil {
			return err
		}
		if err := v.PutVector("points", ids[i], drawnPoint(r)); err != nil {
			return err
		}
		words := make([]string, 20)
		for j := range words {
			words[j] = fmt.Sprint("w", r.IntN(200))
		}
		if err := v.PutTerms("notes", ids[i], (text.Standard{}).Terms(strings.Join(words, " "))); err != nil {
			return err
		}
	}
	for range edges {
		a, b := r.IntN(nodes), r.IntN(nodes)
		if a == b {
			continue
		}
		if err := v.AddEdge(ids[a], ids[b], road, 1); err != nil {
			return err
		}
	}
	return nil
}

// TestProceduresEnd: each procedure ends soon after its context, whenever that
// ends: within 50 ms with -long, which measures many moments.
func TestProceduresEnd(t *testing.T) {
	s := largeSession(t)
	soon, moments := 250*time.Millisecond, []time.Duration{30 * time.Millisecond}
	if *long {
		soon, moments = 50*time.Millisecond, nil
		for d := time.Millisecond; d < 3*time.Second; d = d * 3 / 2 {
			moments = append(moments, d)
		}
	}
	for _, call := range calls {
		t.Run(strings.TrimPrefix(call, "CALL "), func(t *testing.T) {
			worst := time.Duration(0)
			for _, moment := range moments {
				late, ended := lateness(s, call, moment)
				for try := 0; late > soon && try < 10; try++ { // the machine may be busy
					again, _ := lateness(s, call, moment)
					late = min(late, again)
				}
				if late > soon {
					t.Errorf("cancelled after %v it ended %v later", moment, late)
				}
				if worst = max(worst, late); ended {
					break // it is done before the next moment
				}
			}
			if *long {
				t.Logf("%6.1f ms late", float64(worst.Microseconds())/1000)
			}
		})
	}
}

// lateness returns how long after its context a statement ended, and whether it
// ended before. It is the lesser of the time that passed and the processor time
// that this process used: a busy machine makes the one longer, the collector
// beside the statement the other.
func lateness(s *cypher.Session, call string, after time.Duration) (late time.Duration, before bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var end time.Time
	var used time.Duration
	ended := make(chan struct{})
	timer := time.AfterFunc(after, func() {
		end, used = time.Now(), cpuTime()
		cancel()
		close(ended)
	})
	_, err := tryRun(ctx, s, call)
	now, cpu := time.Now(), cpuTime()
	if timer.Stop() {
		return 0, true
	}
	<-ended
	if late = now.Sub(end); cpu > 0 {
		late = min(late, cpu-used)
	}
	return max(late, 0), err == nil
}

// TestAllProceduresAreCalled: the calls of the test above are of every
// procedure, in one of its forms.
func TestAllProceduresAreCalled(t *testing.T) {
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		t.Fatal(err)
	}
	for _, name := range r.Names() {
		base := name
		for _, form := range []string{".stats", ".write", ".estimate"} {
			if !strings.HasPrefix(name, "db.") {
				base = strings.TrimSuffix(base, form)
			}
		}
		if !slices.ContainsFunc(calls, func(c string) bool { return strings.Contains(c, "CALL "+base+"(") }) {
			t.Errorf("%s is not called", name)
		}
	}
}
