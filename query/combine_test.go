package query_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// union is what Union does, said plainly.
func union(o *query.Union, sets [][]query.Item) []row {
	weight := func(i int) float64 {
		if o.Weights == nil {
			return 1
		}
		return o.Weights[i]
	}
	// norm returns the scores of a set as they enter the combination, and what
	// an item that it lacks scores.
	norm := func(i int) (scores map[query.Ref]float64, lacking float64) {
		scores = map[query.Ref]float64{}
		items := sets[i]
		n, sum, least, most := float64(len(items)), 0.0, math.Inf(1), math.Inf(-1)
		for _, it := range items {
			sum += it.Score
			least, most = min(least, it.Score), max(most, it.Score)
		}
		squares := 0.0
		for _, it := range items {
			squares += (it.Score - sum/n) * (it.Score - sum/n)
		}
		for _, it := range items {
			s := it.Score
			if o.Combine == query.ZSum {
				if s = 0; least < most {
					s = (it.Score - sum/n) / math.Sqrt(squares/n)
				}
			}
			scores[it.Ref()] = s * weight(i)
		}
		if o.Combine == query.ZSum && least < most {
			lacking = (least - sum/n) / math.Sqrt(squares/n) * weight(i)
		}
		return scores, lacking
	}
	out := []row{}
	done := map[query.Ref]bool{}
	for _, set := range sets {
		for _, it := range set {
			if done[it.Ref()] {
				continue
			}
			done[it.Ref()] = true
			score, first, times := 0.0, true, 0.0
			for i := range sets {
				scores, lacking := norm(i)
				s, ok := scores[it.Ref()]
				if ok {
					times++
				}
				switch {
				case o.Combine == query.ZSum && !ok:
					score += lacking
				case !ok:
				case o.Combine == query.Max && !first:
					score = max(score, s)
				case (o.Combine == query.First || o.Combine == query.Turns) && !first:
				default:
					score += s
				}
				first = first && !ok
			}
			switch o.Combine {
			case query.Mean:
				score /= times
			case query.Count:
				score = times
			}
			out = append(out, row{it.Graph, it.ID, it.Edge, score})
		}
	}
	return out
}

func TestUnion(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 12)
	for seed := range seeds(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		o := &query.Union{Combine: query.Combine(r.IntN(6))}
		var sets [][]query.Item
		for range r.IntN(4) {
			in := w.randomInput(r, "in")
			for i := range in.items {
				switch r.IntN(9) {
				case 0: // the same id in another graph is another item
					in.items[i].Graph = w.far.ID()
				case 1:
					in.items[i].ID = 0
					in.items[i].Edge = engine.Edge{From: 1, To: engine.NodeID(i), Type: 3, Weight: float32(r.IntN(9))}
				}
			}
			if r.IntN(4) == 0 { // all scores equal
				for i := range in.items {
					in.items[i].Score = 1e7 / 3
				}
			}
			o.In = append(o.In, in)
			sets = append(sets, in.items)
		}
		if r.IntN(2) == 0 {
			o.Weights = []float64{}
			for range sets {
				o.Weights = append(o.Weights, float64(r.IntN(5)-1)/2)
			}
		}
		got := rows(run(t, w.env(), o))
		want := union(o, sets)
		if o.Combine == query.First {
			for i := range min(len(got), len(want)) {
				if got[i].id != want[i].id || got[i].graph != want[i].graph {
					t.Fatalf("seed %d: place %d is %v, want %v", seed, i, got[i], want[i])
				}
			}
		} else if !slices.IsSortedFunc(got, byScore) {
			t.Fatalf("seed %d: %s is not in order: %v", seed, o.Combine, got)
		}
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d items, want %d", seed, len(got), len(want))
		}
		for _, g := range got {
			g.edge.Weight = 0
			i := slices.IndexFunc(want, func(x row) bool {
				x.edge.Weight = 0
				return g.graph == x.graph && g.id == x.id && g.edge == x.edge
			})
			if i < 0 || math.Abs(want[i].score-g.score) > 1e-6*(1+math.Abs(g.score)) {
				t.Fatalf("seed %d: %s of %v gives %v, want %v of %v", seed, o.Combine, sets, g, i, want)
			}
		}
	}
}

// TestUnionTurns takes items in turn, each once.
func TestUnionTurns(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 9)
	set := func(ids ...int) *input {
		in := &input{}
		for i, n := range ids {
			in.items = append(in.items, w.item(w.nodes[n], float64(10-i)))
		}
		return in
	}
	at := func(n int, score float64) row { return row{graph: w.g.ID(), id: w.nodes[n], score: score} }
	o := &query.Union{In: []query.Op{set(1, 2, 3), set(), set(4, 1, 5, 6, 2)}, Combine: query.Turns}
	same(t, 0, run(t, w.env(), o), []row{at(1, 10), at(4, 10), at(2, 9), at(3, 8), at(5, 8), at(6, 7)})
	o.Weights = []float64{2, 1, 0.5}
	same(t, 0, run(t, w.env(), o), []row{at(1, 20), at(4, 5), at(2, 18), at(3, 16), at(5, 4), at(6, 3.5)})
	o.Combine++
	if _, err := query.Run(t.Context(), w.env(), o); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a combination that there is not: %v", err)
	}
}

// TestUnionWhy tells how an item came into each of the sets that hold it.
func TestUnionWhy(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 2)
	a := &input{items: []query.Item{{Graph: 1, ID: 1, Why: []query.Step{{Op: "a"}}}}}
	b := &input{items: []query.Item{{Graph: 1, ID: 2, Why: []query.Step{{Op: "b"}}}, {Graph: 1, ID: 1, Why: []query.Step{{Op: "c"}, {Op: "d"}}}}}
	s := run(t, w.env(), &query.Union{In: []query.Op{a, b}, Combine: query.First})
	var got strings.Builder
	for _, it := range s.Items {
		for _, step := range it.Why {
			got.WriteString(step.Op)
		}
		got.WriteByte(' ')
	}
	if got.String() != "acd b " {
		t.Errorf("steps %q", got.String())
	}
	_, err := query.Run(t.Context(), w.env(), &query.Union{In: []query.Op{a, b}, Weights: []float64{1}})
	if err == nil || err.Error() != "Union: 1 weights for 2 inputs" {
		t.Errorf("one weight for two inputs: %v", err)
	}
}

func TestSortLimitMinus(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 15)
	for seed := range seeds(50) {
		r := rand.New(rand.NewPCG(seed, 8))
		in, of := w.randomInput(r, "in"), w.randomInput(r, "of")
		given := rows(query.Set{Items: in.items})

		want := slices.Clone(given)
		slices.SortFunc(want, byScore)
		same(t, seed, run(t, w.env(), &query.Sort{In: in}), want)
		odd := &query.Measure{Name: "odd", Of: func(_ context.Context, _ *query.Env, it query.Item) (float64, bool, error) {
			return float64(it.ID % 2), it.ID%5 > 0, nil
		}}
		then := func(id engine.NodeID) float64 {
			if id%5 == 0 {
				return -1
			}
			return float64(id % 2)
		}
		slices.SortFunc(want, func(a, b row) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(then(b.id), then(a.id)), byScore(a, b))
		})
		same(t, seed, run(t, w.env(), &query.Sort{In: in, Then: []*query.Measure{constant(1), odd}}), want)

		for _, n := range []int{-3, 0, 1, len(given), len(given) + 5, math.MaxInt} {
			same(t, seed, run(t, w.env(), &query.Limit{In: in, N: n}), given[:max(0, min(n, len(given)))])
		}

		want = slices.DeleteFunc(slices.Clone(given), func(x row) bool {
			return slices.ContainsFunc(of.items, func(it query.Item) bool { return it.ID == x.id })
		})
		same(t, seed, run(t, w.env(), &query.Minus{In: in, Of: of}), want)
		same(t, seed, run(t, w.env(), &query.Minus{In: in, Of: in}), []row{})
	}
}

func TestNamesOfKinds(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range []query.Combine{query.First, query.Max, query.Sum, query.ZSum, query.Mean, query.Count, query.Turns} {
		got = append(got, c.String())
	}
	if want := []string{"first", "max", "sum", "z-sum", "mean", "count", "turns"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
