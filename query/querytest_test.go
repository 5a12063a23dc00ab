package query_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/vecindex"
)

var long = flag.Bool("long", false, "run the random tests over many more seeds")

// seeds returns how many random cases a property is tried on.
func seeds(n int) uint64 {
	if *long {
		n *= 20
	}
	return uint64(n)
}

const (
	space = "s" // inner product: scores of small whole numbers are exact
	dim   = 3
	field = "text"
)

// world is a small random graph and all that a brute force wants to know of
// it. Its figures are small whole numbers, so that ties are common.
type world struct {
	snap    *engine.Snapshot
	g, far  *engine.Graph // far is a second graph with the same ids
	nodes   []engine.NodeID
	keys    map[engine.NodeID]string
	vectors map[engine.NodeID][]float32
	terms   map[engine.NodeID][]string
	edges   []engine.Edge // undirected ones from the smaller end
	sources map[engine.Edge][]engine.NodeID
	types   map[string]engine.EdgeType
	kind    map[engine.NodeID]string // node type
	rating  map[engine.NodeID]int64  // of those that have one
	names   map[engine.NodeID][]string
	layers  map[engine.NodeID]uint8 // of those in the layered spaces
}

// The layered spaces hold the same vectors in layers 0 to 2.
const (
	flatLayers = "flat-layers"
	deepLayers = "deep-layers"
)

// nameWords are few, so that names are parts of others.
var nameWords = strings.Fields("New York of Times")

var words = strings.Fields("ash birch cedar elm fir")

// undirected tells the world's edge types apart; "said" edges have sources.
var edgeTypes = []struct {
	name     string
	directed bool
}{{"link", false}, {"cites", true}, {"said", false}}

func open(t testing.TB) *engine.DB {
	t.Helper()
	db, err := engine.Open(context.Background(), engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// makeWorld makes the world of a seed with n nodes; n 0 leaves it empty but
// for its names.
func makeWorld(t testing.TB, seed uint64, n int) *world {
	t.Helper()
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seed, 1))
	db := open(t)
	ns, err := db.Namespace(ctx, "main")
	check(t, err)
	w := &world{
		keys: map[engine.NodeID]string{}, vectors: map[engine.NodeID][]float32{}, terms: map[engine.NodeID][]string{},
		sources: map[engine.Edge][]engine.NodeID{}, types: map[string]engine.EdgeType{},
		kind: map[engine.NodeID]string{}, rating: map[engine.NodeID]int64{}, names: map[engine.NodeID][]string{}, layers: map[engine.NodeID]uint8{},
	}
	w.g, err = ns.Graph(ctx, "g")
	check(t, err)
	w.far, err = ns.Graph(ctx, "far")
	check(t, err)
	check(t, db.Update(ctx, func(tx *engine.Tx) error {
		w.fill(t, r, tx.Graph(w.g), n)
		w.describe(t, rand.New(rand.NewPCG(seed, 21)), tx.Graph(w.g))
		far := tx.Graph(w.far)
		ft, err := far.MakeNodeType("thing")
		check(t, err)
		for i := range n {
			_, _, err := far.PutNode(ft, fmt.Sprint("far", i), nil)
			check(t, err)
		}
		return nil
	}))
	w.snap, err = db.Snapshot(ctx)
	check(t, err)
	t.Cleanup(func() { check(t, w.snap.Close()) })
	return w
}

func (w *world) fill(t testing.TB, r *rand.Rand, v *engine.TxView, n int) {
	nt, err := v.MakeNodeType("thing")
	check(t, err)
	check(t, v.MakeField(field, engine.FieldOptions{}))
	check(t, v.MakeSpace(space, engine.SpaceOptions{Dim: dim, Model: "m", Metric: vecindex.InnerProduct}))
	for _, et := range edgeTypes {
		w.types[et.name], err = v.MakeEdgeType(et.name, et.directed)
		check(t, err)
	}
	place, err := v.MakeNodeType("place")
	check(t, err)
	for i := range n {
		kind := nt
		if i > 5 && i%3 == 0 {
			kind = place
		}
		id, _, err := v.PutNode(kind, fmt.Sprint("n", i), nil)
		check(t, err)
		w.kind[id] = v.NodeTypeName(kind)
		w.nodes = append(w.nodes, id)
		w.keys[id] = fmt.Sprint("n", i)
		if r.IntN(5) > 0 {
			vec := []float32{float32(1 + r.IntN(2)), float32(r.IntN(3)), float32(r.IntN(3) - 1)}
			check(t, v.PutVector(space, id, vec))
			w.vectors[id] = vec
		}
		var terms []text.Term
		for p := range r.IntN(6) {
			word := words[r.IntN(len(words))]
			terms = append(terms, text.Term{Text: word, Pos: uint32(p)})
			w.terms[id] = append(w.terms[id], word)
		}
		check(t, v.PutTerms(field, id, terms))
	}
	if n == 0 {
		return
	}
	seen := map[engine.Edge]bool{}
	for range 3 * n {
		et := edgeTypes[r.IntN(len(edgeTypes))]
		e := engine.Edge{From: w.nodes[r.IntN(n)], To: w.nodes[r.IntN(n)], Type: w.types[et.name]}
		if !et.directed && e.From > e.To {
			e.From, e.To = e.To, e.From
		}
		if seen[e] {
			continue
		}
		seen[e] = true
		if et.name == "said" {
			key := e
			for range 1 + r.IntN(2) {
				src := w.nodes[r.IntN(n)]
				if slices.Contains(w.sources[key], src) {
					continue
				}
				check(t, v.Contribute(src, engine.EdgeTarget(e.From, e.To, e.Type), engine.Contribution{Weight: 1}))
				w.sources[key] = append(w.sources[key], src)
				e.Weight++
			}
		} else {
			e.Weight = float32(1 + r.IntN(3))
			check(t, v.AddEdge(e.From, e.To, e.Type, e.Weight))
		}
		w.edges = append(w.edges, e)
	}
}

// describe gives nodes ratings, names and vectors in layers.
func (w *world) describe(t testing.TB, r *rand.Rand, v *engine.TxView) {
	check(t, v.MakeIndex("rating"))
	check(t, v.MakeField("name", engine.FieldOptions{Analyzer: text.Exact{}.Name(), Positions: true}))
	for name, kind := range map[string]vecindex.Kind{flatLayers: vecindex.Flat, deepLayers: vecindex.CHNSW} {
		check(t, v.MakeSpace(name, engine.SpaceOptions{Dim: dim, Model: "m", Metric: vecindex.InnerProduct, Kind: kind}))
	}
	for _, id := range w.nodes {
		if r.IntN(4) > 0 {
			w.rating[id] = int64(r.IntN(4))
			check(t, v.SetProps(id, engine.Props{"rating": engine.Int(w.rating[id])}))
		}
		for range r.IntN(4) {
			w.names[id] = append(w.names[id], nameWords[r.IntN(len(nameWords))])
		}
		check(t, v.PutTerms("name", id, text.Exact{}.Terms(strings.Join(w.names[id], " "))))
		if vec, ok := w.vectors[id]; ok {
			w.layers[id] = uint8(r.IntN(3))
			check(t, v.PutLayerVector(flatLayers, id, w.layers[id], vec))
			check(t, v.PutLayerVector(deepLayers, id, w.layers[id], vec))
		}
	}
}

// env returns what plans run in: words are tokens, and a line break is one.
func (w *world) env() *query.Env {
	return &query.Env{
		Snap:    w.snap,
		Tokens:  countTokens,
		Analyze: strings.Fields,
		Names: func(question string, has func(string) bool) []string {
			var out []string
			for _, f := range strings.Fields(question) {
				if has(f) {
					out = append(out, f)
				}
			}
			return out
		},
		Embed: func(_ context.Context, s string) ([]float32, error) { return vectorOf(s), nil },
	}
}

func countTokens(s string) int { return len(strings.Fields(s)) + strings.Count(s, "\n") }

// vectorOf reads a question such as "1 0 2" as a vector.
func vectorOf(s string) []float32 {
	out := make([]float32, dim)
	if _, err := fmt.Sscan(s, &out[0], &out[1], &out[2]); err != nil {
		return []float32{1, 1, 1}
	}
	return out
}

// allowing makes an Env see only some nodes.
func allowing(e *query.Env, ids map[engine.NodeID]bool) *query.Env {
	e.Allow = func(context.Context, *engine.View) (*roaring.Bitmap, error) {
		rb := roaring.New()
		for id := range ids {
			rb.Add(uint32(id))
		}
		return rb, nil
	}
	return e
}

// someNodes returns a random part of the nodes as a filter, nil for all of
// them in one case of three.
func (w *world) someNodes(r *rand.Rand) map[engine.NodeID]bool {
	if r.IntN(3) == 0 {
		return nil
	}
	out := map[engine.NodeID]bool{}
	for _, id := range w.nodes {
		if r.IntN(3) > 0 {
			out[id] = true
		}
	}
	return out
}

// dot is the score of a node, and whether it has a vector.
func (w *world) dot(q []float32, id engine.NodeID) (float64, bool) {
	v, ok := w.vectors[id]
	sum := float32(0)
	for i := range v {
		sum += q[i] * v[i]
	}
	return float64(sum), ok
}

// input is a constant set that counts how often it is run.
type input struct {
	name  string
	items []query.Item
	err   error
	runs  int
}

func (o *input) Run(context.Context, *query.Env) (query.Set, error) {
	o.runs++
	return query.Set{Items: slices.Clone(o.items)}, o.err
}

func (o *input) Explain() query.Explanation {
	return query.Explanation{Op: "Input", Args: []string{"name=" + o.name}}
}

func (o *input) Inputs() []query.Op { return nil }

// item returns a node of the world as an item.
func (w *world) item(id engine.NodeID, score float64) query.Item {
	return query.Item{Graph: w.g.ID(), ID: id, Score: score, Why: []query.Step{{Op: "input", Score: score}}}
}

// constant measures every item alike.
func constant(x float64) *query.Measure {
	return &query.Measure{Name: fmt.Sprint("constant=", x), Of: func(context.Context, *query.Env, query.Item) (float64, bool, error) { return x, true, nil }}
}

// randomInput returns distinct nodes in a random order with scores of which
// many are equal.
func (w *world) randomInput(r *rand.Rand, name string) *input {
	in := &input{name: name}
	for _, i := range r.Perm(len(w.nodes))[:r.IntN(len(w.nodes)+1)] {
		in.items = append(in.items, w.item(w.nodes[i], float64(r.IntN(4))))
	}
	return in
}

// row is what the tests compare of an item.
type row struct {
	graph engine.GraphID
	id    engine.NodeID
	edge  engine.Edge
	score float64
}

func rows(s query.Set) []row {
	out := []row{}
	for _, it := range s.Items {
		out = append(out, row{it.Graph, it.ID, it.Edge, it.Score})
	}
	return out
}

// byScore orders rows in the default order of sets.
func byScore(a, b row) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.graph, b.graph), cmp.Compare(a.id, b.id),
		cmp.Compare(a.edge.From, b.edge.From), cmp.Compare(a.edge.Type, b.edge.Type), cmp.Compare(a.edge.To, b.edge.To))
}

func run(t testing.TB, e *query.Env, op query.Op) query.Set {
	t.Helper()
	s, err := query.Run(context.Background(), e, op)
	check(t, err)
	return s
}

func same(t *testing.T, seed uint64, got query.Set, want []row) {
	t.Helper()
	if g := rows(got); !slices.Equal(g, want) {
		t.Fatalf("seed %d:\n got %v\nwant %v", seed, g, want)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mayEdge is the rule for what a query may see of an edge: its ends, and all
// its sources, or one of them where any is set.
func (w *world) mayEdge(e engine.Edge, allow map[engine.NodeID]bool, any bool) bool {
	if allow == nil {
		return true
	}
	if !allow[e.From] || !allow[e.To] {
		return false
	}
	key := e
	key.Weight = 0
	passing, refused := 0, 0
	for _, src := range w.sources[key] {
		if allow[src] {
			passing++
		} else {
			refused++
		}
	}
	return refused == 0 || any && passing > 0
}
