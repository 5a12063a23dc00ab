package query_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/vecindex"
)

// seenRow is how an operator is tried on a graph of which a query may see a part.
type seenRow struct {
	ops func(w *world, in query.Op) []query.Op
	// counts says that scores or orders go by counts, which count what is hidden:
	// then only which items there are is compared, and nothing if unequal says
	// that it depends on the counts, too.
	counts, unequal bool
}

// seenRows has a row for each operator.
var seenRows = map[reflect.Type]seenRow{
	of[query.All](): {ops: func(w *world, _ query.Op) []query.Op {
		return []query.Op{&query.All{Graph: w.g, Types: []string{"thing", "place"}}}
	}},
	of[query.AtLeast](): {ops: func(_ *world, in query.Op) []query.Op {
		return []query.Op{&query.AtLeast{In: in, Least: 1}, &query.AtLeast{In: first(in), Part: 0.5}}
	}},
	of[query.Bridge](): {unequal: true, ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{&query.Bridge{In: in, Graph: w.g, Names: "name", Words: field, Text: "ash elm", Starts: 5, Lambda: 1, Floor: 1, Anchor: 1, Title: 1, Hop2: 1, Back: 0.5, Gate: 1, Cover: 1, Beside: first(in)}}
	}},
	of[query.Filter](): {ops: func(w *world, in query.Op) []query.Op {
		where := engine.Comparison{Property: "rating", Op: engine.OpGreater, Values: []engine.Value{engine.Int(0)}}
		return []query.Op{&query.Filter{In: in, Graph: w.g, Types: []string{"place"}}, &query.Filter{In: in, Graph: w.g, Where: where}}
	}},
	of[query.Given](): {ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{&query.Given{Graph: w.g, Nodes: in.(*input).items}}
	}},
	of[query.Incident](): {counts: true, ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{
			&query.Incident{In: in, Graph: w.g}, &query.Incident{In: in, Graph: w.g, Within: true, Ranked: true},
			&query.Incident{In: first(in), Graph: w.g, Leaving: true, Ranked: true}, &query.Incident{In: first(in), Graph: w.g, PerNode: 100},
			&query.Incident{In: in, Graph: w.g, Most: 2},
		}
	}},
	of[query.Intersect](): {ops: func(_ *world, in query.Op) []query.Op { return []query.Op{&query.Intersect{In: in, With: first(in)}} }},
	of[query.Limit]():     {ops: func(_ *world, in query.Op) []query.Op { return []query.Op{first(in)} }},
	of[query.Minus](): {ops: func(_ *world, in query.Op) []query.Op {
		return []query.Op{&query.Minus{In: in, Of: first(in)}}
	}},
	of[query.Neighbors](): {ops: func(w *world, in query.Op) []query.Op {
		var out []query.Op
		for _, c := range []query.Combine{query.First, query.Max, query.Sum, query.Mean, query.Count} {
			out = append(out, &query.Neighbors{In: in, Graph: w.g, Combine: c})
		}
		out = append(out, &query.Neighbors{In: first(in), Graph: w.g, By: in}, &query.Neighbors{In: first(in), Graph: w.g, By: first(in), Rank: space, Text: "1 2 1", Most: 1})
		return append(out, &query.Neighbors{In: first(in), Graph: w.g, Rank: space, Text: "1 2 1", Tokens: 5, Size: one})
	}},
	of[query.PPR](): {ops: func(w *world, in query.Op) []query.Op {
		quotas := []query.TypeQuota{{Types: []string{"place"}, Most: 2}, {Types: []string{"thing"}, Most: 2}}
		return []query.Op{&query.PPR{In: first(in), Graph: w.g, Uniform: true}, &query.PPR{In: first(in), Graph: w.g, Uniform: true, Steps: 4, Quotas: quotas}}
	}},
	of[query.Pack](): {ops: func(_ *world, in query.Op) []query.Op { return []query.Op{packed(in)} }},
	of[query.PathChain](): {ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{&query.PathChain{In: first(in), Graph: w.g, Direction: engine.Both}}
	}},
	of[query.PathRows](): {counts: true, ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{&query.PathRows{In: &query.Incident{In: in, Graph: w.g}, Path: first(in), Near: in, Graph: w.g, Group: "place", Members: 100}}
	}},
	of[query.PhraseSearch](): {ops: func(w *world, _ query.Op) []query.Op {
		return []query.Op{&query.PhraseSearch{Graph: w.g, Field: "name", Phrases: []string{"new", "york of"}, Most: 1}}
	}},
	of[query.Rerank](): {ops: func(_ *world, in query.Op) []query.Op {
		return []query.Op{&query.Rerank{In: in, By: func(_ context.Context, _ string, texts []string) ([]float64, error) {
			return make([]float64, len(texts)), nil
		}, Render: func(context.Context, *query.Env, query.Item) (string, int, error) { return "text", 1, nil }}}
	}},
	of[query.Rescale](): {ops: func(_ *world, in query.Op) []query.Op { return []query.Op{&query.Rescale{In: in}} }},
	of[query.Reweigh](): {ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{&query.Reweigh{In: in, By: query.Property(w.g, "rating")}}
	}},
	of[query.Score](): {ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{
			&query.Score{In: in, Graph: w.g, Space: space, Text: "1 2 1"}, &query.Score{In: in, Graph: w.g, Space: space, Text: "1 2 1", Times: true},
		}
	}},
	of[query.Sections](): {ops: func(_ *world, in query.Op) []query.Op {
		return []query.Op{&query.Sections{In: []query.Op{packed(in)}}, &query.Sections{In: []query.Op{packed(in)}, Header: "h"},
			&query.Sections{In: []query.Op{packed(in)}, By: first(in)}}
	}},
	of[query.Sort](): {ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{&query.Sort{In: in, Then: []*query.Measure{query.Property(w.g, "rating")}}}
	}},
	of[query.Sources](): {ops: func(w *world, in query.Op) []query.Op {
		edges, types := &query.Incident{In: in, Graph: w.g, Types: []string{"said"}}, []string{"link", "cites"}
		all := func(context.Context, *query.Env, query.Item) ([]engine.NodeID, error) { return w.nodes, nil }
		return []query.Op{
			&query.Sources{In: edges, Graph: w.g}, &query.Sources{In: edges, Graph: w.g, Share: true},
			&query.Sources{In: in, Graph: w.g, Types: types, Direction: engine.Both, Near: []string{"said"}, At: types},
			&query.Sources{In: in, Graph: w.g, Types: types, Near: []string{"said"}, Tokens: 4, Size: one},
			&query.Sources{In: first(in), Graph: w.g, Types: types, Through: all}, &query.Sources{In: in, Graph: w.g, Types: types, Order: in, Turns: true},
			&query.Sources{In: in, Graph: w.g, Types: types, Near: []string{"said"}, Most: 2},
		}
	}},
	of[query.Tables](): {counts: true, ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{&query.Tables{
			In: in, Edges: &query.Incident{In: in, Graph: w.g}, Budget: 1000,
			Render: func(context.Context, *query.Env, query.Item, int) (string, error) { return "row", nil },
		}}
	}},
	of[query.TextSearch](): {counts: true, ops: func(w *world, _ query.Op) []query.Op {
		return []query.Op{&query.TextSearch{Graph: w.g, Field: field, Text: "ash elm"}}
	}},
	of[query.TopPerGroup](): {ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{&query.TopPerGroup{In: in, Of: first(in), Graph: w.g, Types: []string{"said", "link"}, Most: 2}}
	}},
	of[query.Twins](): {ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{&query.Twins{In: in, Graph: w.g, Type: "thing", Of: w.g, Key: func(_ context.Context, _ *query.Env, it query.Item) (string, error) {
			return fmt.Sprint("n", (int(it.ID)+3)%len(w.nodes)), nil
		}}}
	}},
	of[query.Union](): {ops: func(_ *world, in query.Op) []query.Op {
		return []query.Op{&query.Union{In: []query.Op{first(in), in}}, &query.Union{In: []query.Op{first(in), in}, Combine: query.Turns},
			&query.Union{In: []query.Op{first(in), in}, Combine: query.Sum, Flat: 2}}
	}},
	of[query.Votes](): {ops: func(w *world, in query.Op) []query.Op {
		return []query.Op{&query.Votes{In: in, Graph: w.g, Types: []string{"link", "cites"}}}
	}},
	of[query.VectorSearch](): {ops: func(w *world, _ query.Op) []query.Op {
		layers := []vecindex.LayerK{{Layer: 0, K: 2}, {Layer: 1, K: 3}}
		return []query.Op{
			&query.VectorSearch{Graph: w.g, Space: space, Text: "1 2 1", K: 4},
			&query.VectorSearch{Graph: w.g, Space: flatLayers, Text: "1 2 1", Layers: layers},
		}
	}},
}

func of[T any]() reflect.Type { return reflect.TypeFor[*T]() }

func first(in query.Op) query.Op { return &query.Limit{In: in, N: 3} }

func packed(in query.Op) query.Op {
	return &query.Pack{In: in, Budget: 100, Render: func(context.Context, *query.Env, query.Item) (string, int, error) { return "text", 0, nil }}
}

func one(context.Context, *query.Env, query.Item) (int, error) { return 1, nil }

// TestNothingHidden runs every operator, its input all nodes, on a graph of which
// a query may see a part, and on the same graph with more that it may not see:
// nodes with words, names and vectors, edges to them, and edges between visible
// nodes that only hidden ones contributed to. Nothing hidden is in a set, and what
// is hidden changes no set.
func TestNothingHidden(t *testing.T) {
	t.Parallel()
	for _, o := range operators {
		if seenRows[reflect.TypeOf(o)].ops == nil {
			t.Errorf("%T has no row in seenRows: say how it is tried", o)
		}
	}
	if len(seenRows) != len(operators) {
		t.Errorf("%d rows for %d operators", len(seenRows), len(operators))
	}
	for seed := range seeds(30) {
		r := rand.New(rand.NewPCG(seed, 51))
		w := makeWorld(t, seed, 8+r.IntN(15))
		allow := w.someNodes(r)
		if allow == nil {
			allow = map[engine.NodeID]bool{}
			for _, id := range w.nodes {
				allow[id] = true
			}
		}
		any := r.IntN(2) == 0
		more := w.withHidden(t, r, any)
		for _, o := range operators {
			row := seenRows[reflect.TypeOf(o)]
			in := &input{}
			for i, id := range more.nodes {
				in.items = append(in.items, w.item(id, float64(i%4)))
			}
			for _, op := range row.ops(w, in) {
				shown := func(of *world) []string {
					e := allowing(of.env(), allow)
					e.AllowAny = any
					var out []string
					for _, it := range run(t, e, op).Items {
						if it.ID != 0 && !allow[it.ID] || it.ID == 0 && !more.mayEdge(it.Edge, allow, any) {
							t.Errorf("seed %d: %s shows node %d, edge %v", seed, op.Explain(), it.ID, it.Edge)
						}
						s := fmt.Sprint(it.ID, it.Edge.From, it.Edge.To, it.Edge.Type)
						if !row.counts {
							s += fmt.Sprint(" ", it.Score, it.Text)
						}
						out = append(out, s)
					}
					if row.counts {
						slices.Sort(out)
					}
					return out
				}
				if got, want := shown(more), shown(w); !row.unequal && !slices.Equal(got, want) {
					t.Errorf("seed %d: %s gives %q, without what is hidden %q", seed, op.Explain(), got, want)
				}
			}
		}
	}
}

// withHidden returns the world with more nodes and edges, which no filter of the
// world lets a query see, and with more sources of its edges if any of them will
// do. Its operators are those of the world.
func (w *world) withHidden(t *testing.T, r *rand.Rand, any bool) *world {
	t.Helper()
	out := *w
	out.nodes, out.edges = slices.Clone(w.nodes), slices.Clone(w.edges)
	db := w.g.DB()
	check(t, db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(w.g)
		thing, err := v.MakeNodeType("thing")
		check(t, err)
		for i := range 6 {
			id, _, err := v.PutNode(thing, fmt.Sprint("hidden", i), engine.Props{"rating": engine.Int(3)})
			check(t, err)
			vec := []float32{2, 2, 1}
			check(t, v.PutVector(space, id, vec))
			check(t, v.PutLayerVector(flatLayers, id, uint8(i%3), vec))
			check(t, v.PutTerms(field, id, []text.Term{{Text: "ash"}}))
			check(t, v.PutTerms("name", id, text.Exact{}.Terms("New")))
			for _, name := range []string{"link", "cites"} {
				for range 4 {
					e := engine.Edge{From: id, To: w.nodes[r.IntN(len(w.nodes))], Type: w.types[name], Weight: 5}
					check(t, v.AddEdge(e.From, e.To, e.Type, e.Weight))
				}
			}
			for range 4 {
				e := engine.Edge{From: w.nodes[r.IntN(len(w.nodes))], To: w.nodes[r.IntN(len(w.nodes))], Type: w.types["said"]}
				if e.From > e.To {
					e.From, e.To = e.To, e.From
				}
				if w.sources[e] != nil {
					continue // of a visible edge it would be a source
				}
				check(t, v.Contribute(id, engine.EdgeTarget(e.From, e.To, e.Type), engine.Contribution{Weight: 3}))
			}
			for e := range w.sources { // one more source, by which any may see the edge as before
				if any {
					check(t, v.Contribute(id, engine.EdgeTarget(e.From, e.To, e.Type), engine.Contribution{Count: 1}))
				}
			}
			out.nodes = append(out.nodes, id)
		}
		return nil
	}))
	var err error
	out.snap, err = db.Snapshot(t.Context())
	check(t, err)
	t.Cleanup(func() { check(t, out.snap.Close()) })
	return &out
}

// TestGraphsAreReadByLenses: operators read graphs through a lens alone. Its files
// are the only ones that name a snapshot, the view in a lens, or the views of the
// Env, beside Reader and Where, which are not for operators, and reading ahead, which
// shows nothing.
func TestGraphsAreReadByLenses(t *testing.T) {
	t.Parallel()
	allowed := map[string]bool{"lens.go": true, "walk.go": true, "visible.go": true, "node.go": true, "reader.go": true, "where.go": true, "ahead.go": true}
	files, err := filepath.Glob("*.go")
	check(t, err)
	reads := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		check(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch sel.Sel.Name {
			case "raw", "Snap", "view", "View", "Reader", "Snapshot":
				if reads++; !allowed[name] && !(name == "op.go" && sel.Sel.Name != "raw") {
					t.Errorf("%s names %s: operators read graphs through a lens", name, sel.Sel.Name)
				}
			}
			return true
		})
	}
	if reads < 20 {
		t.Errorf("only %d reads were found", reads)
	}
}

// TestOperatorsAreHere: no method and no command has an operator of its own.
func TestOperatorsAreHere(t *testing.T) {
	t.Parallel()
	files := 0
	for _, dir := range []string{"../rag", "../cmd", "cypher", "procedure"} {
		check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files++
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv == nil || fn.Name.Name != "Explain" || fn.Type.Results == nil {
					continue
				}
				if sel, ok := fn.Type.Results.List[0].Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Explanation" {
					t.Errorf("%s has an operator: say it with those of package query", path)
				}
			}
			return nil
		}))
	}
	if files < 100 {
		t.Errorf("only %d files were read", files)
	}
}
