package procedure_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/vecindex"
)

// TestProceduresAreOperators holds procedures against the operators that they
// are: they give the same rows, and under an access check leave out the same
// nodes.
func TestProceduresAreOperators(t *testing.T) {
	t.Parallel()
	hidden := engine.NodeID(3) // the node c, which joins the triangles
	envs := map[string]func(s *engine.Snapshot) *query.Env{
		"all": newEnv,
		"but one": func(s *engine.Snapshot) *query.Env {
			e := newEnv(s)
			e.Allow = func(_ context.Context, v *engine.View) (*roaring.Bitmap, error) {
				may := roaring.BitmapOf(1, 2, 3, 4, 5, 6, 7)
				may.Remove(uint32(hidden))
				return may, nil
			}
			return e
		},
	}
	for name, env := range envs {
		t.Run(name, func(t *testing.T) {
			s := openSessionIn(t, env)
			g, err := s.Namespace().Graph(t.Context(), "g")
			if err != nil {
				t.Fatal(err)
			}
			given := &query.Given{Graph: g, Nodes: []query.Item{{Graph: g.ID(), ID: 1, Score: 1}, {Graph: g.ID(), ID: 5, Score: 2}, {Graph: g.ID(), ID: 1, Score: 1}}}
			seeds := "MATCH (a {key: 'a'}), (e {key: 'e'}) CALL graph.ppr([a, {node: e, score: 2}, a], {"
			for _, c := range []struct {
				statement string
				op        query.Op
				rows      int // with all nodes
			}{
				{"CALL vec.search('place', 'b', 4) YIELD node, score RETURN node.key, score", &query.VectorSearch{Graph: g, Space: "place@circle", Text: "b", K: 4}, 4},
				{"CALL vec.search('place', [1, 0], 9, {exact: true}) YIELD node, score RETURN node.key, score", &query.VectorSearch{Graph: g, Space: "place@circle", Vector: []float32{1, 0}, K: 9, Exact: true}, 7},
				{"CALL vec.chsearch('place', 'c', [3]) YIELD node, score RETURN node.key, score", &query.VectorSearch{Graph: g, Space: "place@circle", Text: "c", Layers: []vecindex.LayerK{{Layer: 0, K: 3}}}, 3},
				{"CALL text.search('red stone', 9) YIELD node, score RETURN node.key, score", &query.TextSearch{Graph: g, Field: "notes", Text: "red stone", K: 9}, 4},
				{seeds + "}) YIELD node, score RETURN node.key, score", &query.PPR{In: given, Graph: g}, 7},
				{seeds + "top: 3, iters: 3, alpha: 0.25, types: 'road', direction: 'both'}) YIELD node, score RETURN node.key, score",
					&query.PPR{In: given, Graph: g, K: 3, Steps: 3, Alpha: 0.25, Types: []string{"road"}, Direction: engine.Both}, 3},
				{seeds + "form: 'lazy', weights: 'degree'}) YIELD node, score RETURN node.key, score", &query.PPR{In: given, Graph: g, Lazy: true, Weights: graphops.DegreeWeights}, 7},
				{seeds + "weighted: false}) YIELD node, score RETURN node.key, score", &query.PPR{In: given, Graph: g, Weights: graphops.UnitWeights}, 7},
			} {
				got := run(t, s, c.statement)
				var want []string
				err := g.DB().View(t.Context(), func(snap *engine.Snapshot) error {
					set, err := query.Run(t.Context(), env(snap), c.op)
					if err != nil {
						return err
					}
					for _, it := range set.Items {
						if it.ID == hidden && name != "all" {
							t.Errorf("%s: the operator finds the hidden node", c.statement)
						}
						n, err := snap.Graph(g).Node(it.ID)
						if err != nil {
							return err
						}
						want = append(want, fmt.Sprintf("%s %.3f", n.Key, it.Score))
					}
					return nil
				})
				if err != nil {
					t.Fatalf("%s: %v", c.statement, err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s gives %q, the operator %q", c.statement, got, want)
				}
				if name == "all" && len(got) != c.rows {
					t.Errorf("%s gives %d rows, want %d", c.statement, len(got), c.rows)
				}
			}
		})
	}
}
