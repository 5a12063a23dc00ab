package query_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/vecindex"
)

// bigPlan uses every operator, some of them in several places, and returns
// them all.
func (w *world) bigPlan(r *rand.Rand) (plan query.Op, ops []query.Op) {
	add := func(op query.Op) query.Op {
		ops = append(ops, op)
		return op
	}
	q := fmt.Sprint(r.IntN(3), r.IntN(3), 1)
	render := func(_ context.Context, e *query.Env, it query.Item) (string, int, error) {
		if it.ID == 0 {
			return fmt.Sprintf("edge %d %d", it.Edge.From, it.Edge.To), 0, nil
		}
		n, err := e.Snap.Graph(w.g).Node(it.ID)
		return n.Key, 0, err
	}
	vectors := add(&query.VectorSearch{Graph: w.g, Space: space, Text: q, K: 1 + r.IntN(6)})
	terms := add(&query.TextSearch{Graph: w.g, Field: field, Text: "ash elm", K: 5})
	names := add(&query.Twins{Graph: w.g, Type: "thing", Of: w.g, In: add(&query.All{Graph: w.g, Types: []string{"thing", "place"}})})
	near := add(&query.Neighbors{In: vectors, Graph: w.g, Direction: engine.Both, Rank: space, Text: q})
	byID := add(&query.Neighbors{In: names, Graph: w.g, Types: []string{"link", "said"}})
	both := add(&query.Union{In: []query.Op{near, terms, byID}, Combine: query.Combine(r.IntN(7))})
	scored := add(&query.Score{In: both, Graph: w.g, Space: space, Text: q})
	sorted := add(&query.Sort{In: scored})
	relations := add(&query.Incident{In: add(&query.Limit{In: sorted, N: 4}), Graph: w.g, PerNode: 2})
	text := add(&query.Pack{In: sorted, Name: "text", Budget: 12, Render: render})
	rest := add(&query.Minus{In: both, Of: text})
	edges := add(&query.Pack{In: relations, Name: "edges", Budget: 40, Less: []query.Op{text}, Header: "edges", Render: render})
	more := add(&query.Pack{In: rest, Name: "more", Budget: 60, Less: []query.Op{text, edges}, Render: render})
	tables := add(&query.Tables{
		In: sorted, Edges: &query.Incident{In: sorted, Graph: w.g, Ranked: true}, Budget: 40, Share: 0.5,
		Render: func(ctx context.Context, e *query.Env, it query.Item, _ int) (string, error) {
			s, _, err := render(ctx, e, it)
			return s, err
		},
	})
	packed := add(&query.Sections{In: []query.Op{text, edges, more}})
	part := add(&query.Sections{In: []query.Op{text}, Header: "part"})
	return add(&query.Union{Combine: query.First, Weights: []float64{1, 1, 1, 1}, In: []query.Op{packed, tables, part, w.widePlan(r, add, vectors, relations)}}), ops
}

// widePlan uses the operators that bigPlan does not.
func (w *world) widePlan(r *rand.Rand, add func(query.Op) query.Op, hits, relations query.Op) query.Op {
	first := func(op query.Op) query.Op { return add(&query.Limit{In: op, N: 9}) }
	layers := add(&query.VectorSearch{Graph: w.g, Space: deepLayers, Text: "1 1 1", Layers: []vecindex.LayerK{{Layer: 2, K: 2}, {Layer: 0, K: 3}}})
	named := add(&query.Sources{In: relations, Graph: w.g})
	phrases := add(&query.PhraseSearch{Graph: w.g, Field: "name", Phrases: []string{"york", "of New"}})
	seeds := add(&query.Union{Combine: query.Max, In: []query.Op{hits, layers, named, phrases}, Weights: []float64{1, 1, 1, 1}})
	ppr := add(&query.PPR{In: seeds, Graph: w.g, Direction: engine.Both, Weights: graphops.EdgeWeights(r.IntN(3)), Uniform: true})
	top := add(&query.PPR{In: ppr, Graph: w.g, Quotas: []query.TypeQuota{{Types: []string{"place"}, Most: 2}, {Types: []string{"thing"}, Most: 4}}})
	groups := add(&query.Sort{
		In:   add(&query.Neighbors{In: first(seeds), Graph: w.g, Types: []string{"said"}, Combine: query.Count}),
		Then: []*query.Measure{query.Property(w.g, "rating")},
	})
	keys := add(&query.TopPerGroup{In: ppr, Of: groups, Graph: w.g, Types: []string{"said"}, Most: 2, AllIfNone: true})
	chain := add(&query.PathChain{In: keys, Graph: w.g, Direction: engine.Both})
	wide := add(&query.Neighbors{In: top, Graph: w.g, Combine: query.Mean})
	rated := add(&query.Filter{In: wide, Graph: w.g, Types: []string{"thing"}, Where: engine.Comparison{Property: "rating", Op: engine.OpGreater, Values: []engine.Value{engine.Int(0)}}})
	return add(&query.Union{Combine: query.First, Weights: []float64{1, 1, 1, 0.5}, In: []query.Op{
		add(&query.Incident{In: chain, Graph: w.g, Within: true, Ranked: true}),
		add(&query.AtLeast{In: add(&query.Rescale{In: relations}), Least: 0.5}),
		add(&query.Reweigh{In: add(&query.Bridge{In: seeds, Graph: w.g, Names: "name", Words: field, Text: "ash", Starts: 5, Lambda: 1, Floor: 1, Anchor: 1, Hop2: 1, Back: 0.5}), By: constant(2)}),
		add(&query.Intersect{In: rated, With: add(&query.AtLeast{In: chain, Least: 1e-3})}),
	}})
}

// TestAllow looks into every set of a plan for what the query may not see.
func TestAllow(t *testing.T) {
	t.Parallel()
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 10))
		w := makeWorld(t, seed, 5+r.IntN(20))
		plan, ops := w.bigPlan(r)
		allow := w.someNodes(r)
		if allow == nil {
			allow = map[engine.NodeID]bool{} // nothing may be seen
		}
		asked := 0
		e := w.env()
		e.AllowAny = r.IntN(2) == 0
		e.Allow = func(_ context.Context, v *engine.View) (*roaring.Bitmap, error) {
			asked++
			rb := roaring.New()
			for id := range allow {
				rb.Add(uint32(id))
			}
			return rb, nil
		}
		run(t, e, plan)
		for _, op := range ops {
			s, err := e.Eval(t.Context(), op)
			check(t, err)
			for _, it := range s.Items {
				if it.ID != 0 && !allow[it.ID] || it.ID == 0 && !w.mayEdge(it.Edge, allow, e.AllowAny) {
					t.Fatalf("seed %d: %s shows %d, edge %v", seed, op.Explain().Op, it.ID, it.Edge)
				}
			}
			if len(allow) == 0 && len(s.Items) > 0 {
				t.Fatalf("seed %d: %s has %d items", seed, op.Explain().Op, len(s.Items))
			}
		}
		if asked != 1 {
			t.Fatalf("seed %d: the filter was asked %d times", seed, asked)
		}
	}
}

func TestAllowFails(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 8)
	odd := errors.New("odd")
	in := &input{items: []query.Item{w.item(w.nodes[0], 1), w.item(w.nodes[1], 1), w.item(w.nodes[2], 1)}}
	for _, op := range []query.Op{
		&query.VectorSearch{Graph: w.g, Space: space, Text: "1 1 1", K: 3},
		&query.TextSearch{Graph: w.g, Field: field, Text: "ash", K: 3},
		&query.Neighbors{In: in, Graph: w.g, Direction: engine.Both},
		&query.Incident{In: in, Graph: w.g},
		&query.Sources{In: in, Graph: w.g},
		&query.All{Graph: w.g, Types: []string{"thing"}},
		&query.Twins{In: in, Graph: w.g, Type: "thing", Of: w.g},
		&query.VectorSearch{Graph: w.g, Space: flatLayers, Text: "1 1 1", Layers: []vecindex.LayerK{{K: 1}}},
		&query.PhraseSearch{Graph: w.g, Field: "name", Phrases: []string{"York"}},
		&query.PPR{In: in, Graph: w.g},
		&query.PathChain{In: in, Graph: w.g},
		&query.TopPerGroup{In: in, Of: in, Graph: w.g, Most: 1},
	} {
		e := w.env()
		e.Allow = func(context.Context, *engine.View) (*roaring.Bitmap, error) { return nil, odd }
		if _, err := query.Run(t.Context(), e, op); !errors.Is(err, odd) {
			t.Errorf("%s: %v", op.Explain().Op, err)
		}
	}
}

// TestRunsOnce holds that an operator that stands in several places, and a
// text that several operators compare with, is worked out once a run.
func TestRunsOnce(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 8)
	in := &input{items: []query.Item{w.item(w.nodes[0], 1)}}
	embedded := 0
	e := w.env()
	e.Embed = func(context.Context, string) ([]float32, error) { embedded++; return []float32{1, 1, 1}, nil }
	plan := &query.Union{In: []query.Op{
		in, &query.Sort{In: in}, &query.Minus{In: in, Of: &query.Limit{In: in}},
		&query.Score{In: in, Graph: w.g, Space: space, Text: "q"},
		&query.VectorSearch{Graph: w.g, Space: space, Text: "q", K: 3},
	}}
	for n := 1; n <= 3; n++ {
		run(t, e, plan)
		if in.runs != n || embedded != n {
			t.Fatalf("after %d runs the input ran %d times, the model %d", n, in.runs, embedded)
		}
	}
}

// TestRunsAreIndependent runs other plans, filters and questions with an Env
// that was used before.
func TestRunsAreIndependent(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 3, 20)
	plan, ops := w.bigPlan(rand.New(rand.NewPCG(1, 11)))
	used := w.env()
	used.Trace = &query.Trace{}
	fresh := func(allow map[engine.NodeID]bool) *query.Env {
		e := w.env()
		if allow != nil {
			allowing(e, allow)
		}
		return e
	}
	few := map[engine.NodeID]bool{w.nodes[1]: true, w.nodes[3]: true, w.nodes[4]: true}
	first := run(t, used, plan)
	kept := fmt.Sprint(first)
	others := map[engine.NodeID]bool{w.nodes[0]: true, w.nodes[2]: true, w.nodes[3]: true, w.nodes[5]: true}
	for _, allow := range []map[engine.NodeID]bool{few, others, nil} {
		used.Allow = fresh(allow).Allow
		got, want := run(t, used, plan), run(t, fresh(allow), plan)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("with %v: %v, want %v", allow, rows(got), rows(want))
		}
		if len(used.Trace.Ops) != len(ops) {
			t.Errorf("the trace holds %d operators", len(used.Trace.Ops))
		}
	}
	used.Embed = func(context.Context, string) ([]float32, error) { return []float32{0, 0, -1}, nil }
	other := w.env()
	other.Embed = used.Embed
	if got, want := run(t, used, plan), run(t, other, plan); !reflect.DeepEqual(got, want) {
		t.Errorf("with another model: %v, want %v", rows(got), rows(want))
	}
	// A run that failed leaves nothing behind either.
	if _, err := query.Run(t.Context(), used, &query.Sort{In: &input{err: errors.New("odd")}}); err == nil {
		t.Error("no error")
	}
	used.Embed, used.Allow = w.env().Embed, nil
	if again := run(t, used, plan); fmt.Sprint(again) != kept || fmt.Sprint(first) != kept {
		t.Errorf("%v, first %v", rows(again), rows(first))
	}
}

// TestWhyIsNotShared appends to the steps of every item of every set: none of
// it may show in another.
func TestWhyIsNotShared(t *testing.T) {
	t.Parallel()
	for seed := range seeds(20) {
		r := rand.New(rand.NewPCG(seed, 12))
		w := makeWorld(t, seed, 20)
		plan, ops := w.bigPlan(r)
		e := w.env()
		run(t, e, plan)
		var sets []query.Set
		var before []string
		for _, op := range ops {
			s, err := e.Eval(t.Context(), op)
			check(t, err)
			sets = append(sets, s)
			before = append(before, fmt.Sprint(s))
		}
		marked := make([][][]query.Step, len(sets))
		for i, s := range sets {
			for j := range s.Items {
				marked[i] = append(marked[i], append(s.Items[j].Why, query.Step{Op: fmt.Sprint("mark ", i, " ", j)}))
			}
			_ = append(s.Items, query.Item{ID: 99})
		}
		for i, s := range sets {
			if fmt.Sprint(s) != before[i] {
				t.Fatalf("seed %d: %s has changed", seed, ops[i].Explain().Op)
			}
			for j, why := range marked[i] {
				if want := fmt.Sprint("mark ", i, " ", j); why[len(why)-1].Op != want {
					t.Fatalf("seed %d: %s: item %d has the step %q, want %q", seed, ops[i].Explain().Op, j, why[len(why)-1].Op, want)
				}
			}
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 9)
	many := &input{name: "many"}
	for _, id := range w.nodes {
		many.items = append(many.items, w.item(id, 1))
	}
	plan := &query.Limit{In: &query.Sort{In: many}, N: 2}
	e := w.env()
	e.Rows = len(many.items)
	run(t, e, plan)
	e.Rows--
	_, err := query.Run(t.Context(), e, plan)
	if want := "Limit: Sort: Input: over the limit of a query: 9 items, at most 8"; !errors.Is(err, query.ErrLimit) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 12)
	plan, ops := w.bigPlan(rand.New(rand.NewPCG(1, 13)))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	in := &input{}
	for _, op := range append(ops, in) {
		if _, err := query.Run(over, w.env(), op); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", op.Explain().Op, err)
		}
	}
	if in.runs > 0 {
		t.Error("an operator was started")
	}
	// In the middle: the model is asked, and the user goes away.
	ctx, cancel := context.WithCancel(t.Context())
	e := w.env()
	e.Embed = func(context.Context, string) ([]float32, error) { cancel(); return []float32{1, 1, 1}, nil }
	if _, err := query.Run(ctx, e, plan); !errors.Is(err, context.Canceled) {
		t.Errorf("in the middle: %v", err)
	}
}

// TestDeterminism runs one shared plan many times, some at once.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 5, 25)
	plan, _ := w.bigPlan(rand.New(rand.NewPCG(2, 14)))
	want := run(t, w.env(), plan)
	if len(want.Items) == 0 {
		t.Fatal("the plan finds nothing")
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				got, err := query.Run(context.Background(), w.env(), plan)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%v %v, want %v", err, rows(got), rows(want))
				}
			}
		})
	}
	wg.Wait()
}

// TestNodeSeen: a run reads no node that the query may not see.
func TestNodeSeen(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 3)
	for allowed, want := range map[engine.NodeID][]bool{0: {true, true, true}, w.nodes[1]: {false, true, false}} {
		e := w.env()
		if allowed != 0 {
			allowing(e, map[engine.NodeID]bool{allowed: true})
		}
		run(t, e, &input{})
		var got []bool
		for _, id := range w.nodes {
			n, err := e.Node(t.Context(), w.g, id)
			_, labelled := e.Label(t.Context(), w.g, id)
			if (err == nil) != (labelled == nil) || err != nil && !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("node %d: %v, its label: %v", id, err, labelled)
			}
			got = append(got, n.ID == id)
		}
		if !slices.Equal(got, want) {
			t.Errorf("only %d: %v, want %v", allowed, got, want)
		}
	}
}

// TestEmptyWorld runs everything on a graph without nodes.
func TestEmptyWorld(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 0)
	plan, _ := w.bigPlan(rand.New(rand.NewPCG(1, 15)))
	if s := run(t, w.env(), plan); len(s.Items) != 0 || s.Used != 0 {
		t.Errorf("%v, %d tokens", rows(s), s.Used)
	}
	for _, c := range []query.Combine{query.Max, query.Sum, query.ZSum, query.First} {
		same(t, 0, run(t, w.env(), &query.Union{Combine: c}), []row{})
	}
	same(t, 0, run(t, w.env(), &query.Sections{}), []row{})
}
