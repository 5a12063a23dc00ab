package query_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/vecindex"
)

func TestVectorSearch(t *testing.T) {
	t.Parallel()
	for seed := range seeds(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		w := makeWorld(t, seed, r.IntN(40))
		allow := w.someNodes(r)
		q := fmt.Sprint(r.IntN(3), r.IntN(3), 1+r.IntN(2))
		k := r.IntN(25) - 2
		want := []row{}
		for _, id := range w.nodes {
			if s, ok := w.dot(vectorOf(q), id); ok && (allow == nil || allow[id]) {
				want = append(want, row{graph: w.g.ID(), id: id, score: s})
			}
		}
		slices.SortFunc(want, byScore)
		want = want[:max(0, min(k, len(want)))]
		e := w.env()
		if allow != nil {
			allowing(e, allow)
		}
		same(t, seed, run(t, e, &query.VectorSearch{Graph: w.g, Space: space, Text: q, K: k}), want)
	}
}

// bm25 scores the nodes by the formula that the engine documents.
func (w *world) bm25(q []string, k1, b float64) map[engine.NodeID]float64 {
	n, total := 0.0, 0.0
	df := map[string]float64{}
	for _, id := range w.nodes {
		if len(w.terms[id]) == 0 {
			continue
		}
		n++
		total += float64(len(w.terms[id]))
		for _, word := range words {
			if slices.Contains(w.terms[id], word) {
				df[word]++
			}
		}
	}
	out := map[engine.NodeID]float64{}
	for _, id := range w.nodes {
		for _, term := range q {
			f := 0.0
			for _, have := range w.terms[id] {
				if have == term {
					f++
				}
			}
			if f > 0 {
				idf := math.Log(1 + (n-df[term]+0.5)/(df[term]+0.5))
				out[id] += idf * f * (k1 + 1) / (f + k1*(1-b+b*float64(len(w.terms[id]))/(total/n)))
			}
		}
	}
	return out
}

func TestTextSearch(t *testing.T) {
	t.Parallel()
	for seed := range seeds(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		w := makeWorld(t, seed, r.IntN(40))
		allow := w.someNodes(r)
		q := []string{"nowhere"}
		for range r.IntN(4) {
			q = append(q, words[r.IntN(len(words))])
		}
		op := &query.TextSearch{Graph: w.g, Field: field, Text: strings.Join(q, " "), K: r.IntN(20)}
		k1, b := 0.9, 0.4
		if r.IntN(2) == 0 {
			k1, b = 1.5, 0.75
			op.K1, op.B = k1, b
		}
		scores := w.bm25(q, k1, b)
		if r.IntN(2) == 0 {
			f := engine.FieldWeight{Field: field, Weight: 0.5 + r.Float64(), B: 1}
			op.Beside = []engine.FieldWeight{{Field: "none", Weight: 3}, f}
			for id, s := range w.bm25(q, k1, f.B) {
				scores[id] += f.Weight * s
			}
		}
		found := 0
		for id := range scores {
			if allow == nil || allow[id] {
				found++
			} else {
				delete(scores, id)
			}
		}
		e := w.env()
		if allow != nil {
			allowing(e, allow)
		}
		got := rows(run(t, e, op))
		if op.K > 0 {
			found = min(found, op.K)
		}
		if len(got) != found || !slices.IsSortedFunc(got, byScore) {
			t.Fatalf("seed %d: %d rows in the order %v, want %d", seed, len(got), got, found)
		}
		worst := math.Inf(1)
		for _, g := range got {
			if want, ok := scores[g.id]; !ok || math.Abs(want-g.score) > 1e-9 {
				t.Fatalf("seed %d: node %d scores %v, want %v", seed, g.id, g.score, want)
			}
			worst = min(worst, g.score)
			delete(scores, g.id)
		}
		for id, s := range scores {
			if s > worst+1e-9 {
				t.Fatalf("seed %d: node %d with %v is left out, %v is in", seed, id, s, worst)
			}
		}
	}
}

func TestLayerSearch(t *testing.T) {
	t.Parallel()
	for seed := range seeds(40) {
		r := rand.New(rand.NewPCG(seed, 43))
		w := makeWorld(t, seed, r.IntN(40))
		allow := w.someNodes(r)
		e := w.env()
		if allow != nil {
			allowing(e, allow)
		}
		q := "1 2 1"
		var layers []vecindex.LayerK
		for _, l := range r.Perm(4)[:1+r.IntN(4)] {
			layers = append(layers, vecindex.LayerK{Layer: uint8(l), K: r.IntN(6)})
		}
		want := []row{}
		for _, l := range layers {
			var found []row
			for id, layer := range w.layers {
				if s, _ := w.dot(vectorOf(q), id); layer == l.Layer && (allow == nil || allow[id]) {
					found = append(found, row{graph: w.g.ID(), id: id, score: s})
				}
			}
			slices.SortFunc(found, byScore)
			want = append(want, found[:min(l.K, len(found))]...)
		}
		for _, space := range []string{flatLayers, deepLayers} {
			got := run(t, e, &query.VectorSearch{Graph: w.g, Space: space, Text: q, Layers: layers})
			same(t, seed, got, want)
			for _, it := range got.Items {
				if it.Layer != w.layers[it.ID] || !strings.HasPrefix(it.Why[0].Note, space+", layer ") {
					t.Fatalf("seed %d: node %d of layer %d: %+v", seed, it.ID, w.layers[it.ID], it)
				}
			}
		}
	}
}

// TestNoVector asks with a text that has no vector, such as one without words.
func TestNoVector(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 10)
	in := &input{}
	for _, id := range w.nodes {
		in.items = append(in.items, w.item(id, 1))
	}
	asked := 0
	e := w.env()
	e.Embed = func(context.Context, string) ([]float32, error) { asked++; return nil, nil }
	plan := &query.Sections{In: []query.Op{
		&query.VectorSearch{Graph: w.g, Space: space, Text: "?", K: 5},
		&query.Score{In: in, Graph: w.g, Space: space, Text: "?"},
		&query.Neighbors{In: in, Graph: w.g, Rank: space, Text: "?"},
	}}
	same(t, 1, run(t, e, plan), []row{})
	if asked != 1 {
		t.Errorf("the model was asked %d times", asked)
	}
}

// TestNoSpace searches what the graph has none of yet.
func TestNoSpace(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 10)
	in := &input{items: []query.Item{w.item(w.nodes[0], 1), w.item(w.nodes[1], 1)}}
	same(t, 1, run(t, w.env(), &query.Sections{In: []query.Op{
		&query.VectorSearch{Graph: w.g, Space: "other", Text: "1 1 1", K: 5},
		&query.TextSearch{Graph: w.g, Field: "other", Text: "ash"},
		&query.Score{In: in, Graph: w.g, Space: "other", Text: "1 1 1"},
		&query.Neighbors{In: in, Graph: w.g, Rank: "other", Text: "1 1 1"},
	}}), []row{})
}

// TestSearchRefuses holds what the searches cannot do to an error that names
// the operator.
func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 2, 5)
	noModel := w.env()
	noModel.Embed = nil
	other := w.env()
	other.Embed = func(context.Context, string) ([]float32, error) { return make([]float32, dim+1), nil }
	var wrong *vecindex.DimensionError
	tests := []struct {
		name string
		env  *query.Env
		op   query.Op
		is   func(error) bool
	}{
		{"no model", noModel, &query.VectorSearch{Graph: w.g, Space: space, K: 1}, func(err error) bool { return strings.Contains(err.Error(), "no embedding model") }},
		{"negative K", w.env(), &query.TextSearch{Graph: w.g, Field: field, K: -1}, func(err error) bool { return errors.Is(err, engine.ErrInvalid) }},
		{"no weight", w.env(), &query.TextSearch{Graph: w.g, Field: field, Beside: []engine.FieldWeight{{Field: field}}}, func(err error) bool { return errors.Is(err, engine.ErrInvalid) }},
		{"dimension", other, &query.VectorSearch{Graph: w.g, Space: space, K: 1}, func(err error) bool { return errors.As(err, &wrong) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := query.Run(t.Context(), tt.env, tt.op)
			if err == nil || !tt.is(err) || !strings.HasPrefix(err.Error(), tt.op.Explain().Op+": ") {
				t.Fatalf("%v", err)
			}
		})
	}
}
