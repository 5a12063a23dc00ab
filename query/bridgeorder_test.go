package query_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/query"
)

// The places behind the first go to nodes that add words of the text, one after the
// other; the first node of In stays first.
func TestBridgeChoice(t *testing.T) {
	t.Parallel()
	w := makeTold(t, []told{{"red", nil}, {"red", nil}, {"blue", nil}, {"blue", nil}})
	in := &input{}
	for i, score := range []float64{1, 0.9, 0.8, 0.85} {
		in.items = append(in.items, w.item(w.nodes[i], score))
	}
	want := map[int]float64{0: 1, 1: 0.9, 2: 0.8, 3: 0.85}
	op := w.bridge(in, "red blue")
	w.ranked(t, op, want, 0, 1, 3, 2)
	// Red and blue are half of the text each. Once one blue node is chosen the other
	// adds nothing.
	op.Cover = 1
	got := w.ranked(t, op, want, 0, 3, 1, 2)
	if why := fmt.Sprint(got.Items[1].Why); why != "[{input {0 0 {0 0 0 0 0}}  0.85 0} {bridge {0 0 {0 0 0 0 0}} has 0.5 of the text that none before it has 0.85 0}]" {
		t.Errorf("why is %s", why)
	}
	op.Cover = 0.05 // 0.85 + 0.025 is less than 0.9
	w.ranked(t, op, want, 0, 1, 3, 2)
	in.items[0], in.items[2] = in.items[2], in.items[0] // the node of 0.8 comes first
	op.Cover = 1
	w.ranked(t, op, want, 2, 0, 1, 3)
}

// A choice as a set fills ten places from the best sixty, and no more.
func TestBridgeChoiceBounds(t *testing.T) {
	t.Parallel()
	nodes := make([]told, 70)
	for i := range nodes {
		nodes[i].words = "elm"
	}
	nodes[59].words, nodes[60].words = "ash", "oak"
	w := makeTold(t, nodes)
	in := &input{}
	for i := range nodes {
		in.items = append(in.items, w.item(w.nodes[i], 1-float64(i)/1000))
	}
	op := w.bridge(in, "ash oak")
	op.Cover = 1
	got := run(t, w.env(), op)
	if got.Items[1].ID != w.nodes[59] || got.Items[60].ID != w.nodes[60] {
		t.Errorf("got %v", rows(got))
	}
}

// With Beside its nodes have every second place, unless names of the text lead on.
func TestBridgeBeside(t *testing.T) {
	t.Parallel()
	w := films(t)
	at := func(node int, score float64) query.Item { return w.item(w.nodes[node], score) }
	in, beside := &input{items: []query.Item{at(film, 1)}}, &input{name: "beside", items: []query.Item{at(cedar, 0.3), at(film, 0.2)}}
	ordered := func(text string, gate float64, want ...int) {
		t.Helper()
		op := w.bridge(in, text)
		op.Beside, op.Gate = beside, gate
		var got []int
		for _, it := range run(t, w.env(), op).Items {
			got = append(got, slices.Index(w.nodes, it.ID))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	ordered(whereBorn, 1.5, film, director, other)
	ordered("where was the director born", 1.5, film, cedar, director, other)
	ordered("where was the director born", 0, film, director, other)
	ordered("was beta gamma of alpha born", 1.5, film, cedar)
}
