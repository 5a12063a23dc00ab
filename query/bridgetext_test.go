package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query"
)

// The best node about a name of the text is lifted, and ways start from it.
func TestBridgeTitle(t *testing.T) {
	t.Parallel()
	w := films(t)
	in := &input{items: []query.Item{w.item(w.nodes[cedar], 0.9), w.item(w.nodes[film], 0.4)}}
	op := w.bridge(in, whereBorn)
	op.Lambda, op.Title = 0, 0.5
	got := w.ranked(t, op, map[int]float64{cedar: 0.9, film: 0.7})
	if why := fmt.Sprint(got.Items[1].Why); why != `[{input {0 0 {0 0 0 0 0}}  0.4 0} {bridge {0 0 {0 0 0 0 0}} about "alpha", which the text names 0.7 0}]` {
		t.Errorf("why is %s", why)
	}
	op.Title = 1
	w.ranked(t, op, map[int]float64{cedar: 0.9, film: 1})
	op.Lambda, op.Starts = 1, 1 // the first after the lift
	w.ranked(t, op, map[int]float64{cedar: 0.9, film: 1, director: 1, other: 0.25})
	op.Title = 0
	w.ranked(t, op, map[int]float64{cedar: 0.9, film: 0.4})
	// The director is wholly about beta gamma, the better other a fourth.
	op = w.bridge(&input{items: []query.Item{w.item(w.nodes[other], 0.9), w.item(w.nodes[director], 0.2)}}, "where was beta gamma born")
	op.Lambda, op.Title = 0, 1
	e := w.env()
	e.Names = func(_ string, has func(string) bool) (out []string) {
		if has("beta gamma") {
			out = append(out, "beta gamma")
		}
		return out
	}
	if got := run(t, e, op); got.Items[1].ID != w.nodes[director] || got.Items[1].Score != 1 || got.Items[0].Score != 0.9 {
		t.Errorf("got %v, want the director lifted", rows(got))
	}
}

// A word with a capital is a name of the text if a node is wholly about it, though
// more have it as a word; the first word of a text always has a capital.
func TestBridgeCapitals(t *testing.T) {
	t.Parallel()
	nodes := []told{{"bath city", map[string]int{"bath": 4}}, {"rugby match", map[string]int{"rugby": 2}}}
	for range 5 {
		nodes = append(nodes, told{"bath rugby match", nil})
	}
	w := makeTold(t, nodes)
	in := &input{items: []query.Item{w.item(w.nodes[2], 0.9), w.item(w.nodes[0], 0.5), w.item(w.nodes[1], 0.4)}}
	for text, want := range map[string]float64{"where is Bath": 1, "where is bath": 0.5, "Bath where": 0.5, "where is Rugby": 0.5} {
		e := w.env()
		e.Analyze = func(s string) []string { return strings.Fields(strings.ToLower(s)) }
		names := e.Names
		e.Names = func(q string, has func(string) bool) []string { return names(strings.ToLower(q), has) }
		op := w.bridge(in, text)
		op.Lambda, op.Title = 0, 1
		for _, it := range run(t, e, op).Items {
			if it.ID == w.nodes[0] && it.Score != want || it.ID == w.nodes[1] && it.Score != 0.4 {
				t.Errorf("%s: node %d scores %v", text, it.ID, it.Score)
			}
		}
	}
}

// The gate opens if no node holds much of the text, and if the text has names.
func TestBridgeGate(t *testing.T) {
	t.Parallel()
	w := films(t)
	in := &input{items: []query.Item{w.item(w.nodes[film], 1)}}
	gated := func(text string, gate float64, want float64) {
		t.Helper()
		op := w.bridge(in, text)
		op.Gate = gate
		w.ranked(t, op, map[int]float64{film: 1, director: want, other: want / 4})
	}
	// The film has 2.408/3.101 = 0.77650 of the text, alpha is 0.38825 of it.
	gated(whereBorn, 0.5, 0.41763)
	gated(whereBorn, 1.5, 0.80588)
	gated(whereBorn, 3, 1)
	gated(whereBorn, 0, 1)
	// Without a name: the film has the director, 1.204 of 1.897.
	gated("where was the director born", 1.5, 0.36538)
	e := w.env()
	e.Trace = &query.Trace{}
	op := w.bridge(in, whereBorn)
	op.Gate = 0.5
	run(t, e, op)
	if notes := fmt.Sprint(e.Trace.Ops[0].Notes); notes != `[the text names "alpha"; names are 0.388 of it, one node has 0.776; gate 0.418]` {
		t.Errorf("notes are %s", notes)
	}
	if x := op.Explain().String(); x != "Bridge(graph=g, names=names, starts=10, lambda=1, floor=0.3, own=0, anchor=0.5, title=0, hop2=0, back=0, gate=0.5, terse=0, cover=0)" {
		t.Errorf("explained as %s", x)
	}
}

// A text that says little leads nowhere, unless a node is about what it names.
func TestBridgeTerse(t *testing.T) {
	t.Parallel()
	w := films(t)
	in := &input{items: []query.Item{w.item(w.nodes[cedar], 0.9), w.item(w.nodes[film], 0.4)}}
	terse := func(text string, least float64, want map[int]float64) {
		t.Helper()
		op := w.bridge(in, text)
		op.Terse, op.Title = least, 1
		w.ranked(t, op, want)
	}
	open := map[int]float64{film: 0.4, cedar: 0.9, director: 1, other: 0.25}
	closed := map[int]float64{film: 0.4, cedar: 0.9}
	// The director and born: 1.204 + 0.693 = 1.897, and ln 5 = 1.609.
	terse("where was the director born", 1.15, open)
	terse("where was the director born", 1.2, closed)
	terse("where was the director born", 0, open)
	// The film is about alpha, no node is wholly about town x.
	terse("where was alpha director born", 100, map[int]float64{film: 1, cedar: 0.9, director: 1, other: 0.25})
	terse("where is town x", 100, closed)
	op := w.bridge(in, "where is town x")
	op.Terse, op.Cover = 100, 1
	e := w.env()
	e.Trace = &query.Trace{}
	got := run(t, e, op)
	if notes := fmt.Sprint(e.Trace.Ops[0].Notes); len(got.Items) != 2 || notes != "[the text is short and no node is about a name of it: no bridge]" {
		t.Errorf("got %v, notes are %s", rows(got), notes)
	}
}
