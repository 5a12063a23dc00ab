package query_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// stay is an operator that takes its time.
type stay struct{ in query.Op }

func (o *stay) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	for start := time.Now(); time.Since(start) < time.Millisecond; {
	}
	return e.Eval(ctx, o.in)
}

func (o *stay) Explain() query.Explanation { return query.Explanation{Op: "Stay"} }
func (o *stay) Inputs() []query.Op         { return []query.Op{o.in} }

func TestTrace(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 6)
	in := &input{name: "in"}
	for i, id := range w.nodes {
		in.items = append(in.items, w.item(id, float64(i)))
	}
	first := &query.Limit{In: &stay{in}, N: 4}
	other := &input{name: "other", items: in.items[:2]}
	plan := &query.Union{In: []query.Op{&query.Minus{In: first, Of: other}, first}, Combine: query.First}
	e := w.env()
	e.Trace = &query.Trace{}
	run(t, e, plan)
	var got []string
	for _, o := range e.Trace.Ops {
		got = append(got, fmt.Sprintf("%d %s %d", o.Depth, o.Op, o.Rows))
	}
	want := []string{"0 Union 4", "1 Minus 2", "2 Limit 4", "3 Stay 6", "4 Input 6", "2 Input 2"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// The time of an operator includes its inputs'.
	for i := range 3 {
		if a, b := e.Trace.Ops[i], e.Trace.Ops[i+1]; a.Time < b.Time || a.Time < time.Millisecond {
			t.Errorf("%s took %v, %s in it %v", a.Op, a.Time, b.Op, b.Time)
		}
	}
	b, err := json.Marshal(e.Trace.Ops[4])
	check(t, err)
	var stored struct {
		Op    string
		Args  []string
		Depth int
		Rows  int
		Us    *int64
	}
	check(t, json.Unmarshal(b, &stored))
	if stored.Op != "Input" || !slices.Equal(stored.Args, []string{"name=in"}) || stored.Depth != 4 || stored.Rows != 6 || stored.Us == nil {
		t.Errorf("stored as %s", b)
	}
	// What is stored can be read and stored again.
	b, err = json.Marshal(e.Trace)
	check(t, err)
	var read query.Trace
	check(t, json.Unmarshal(b, &read))
	for i, o := range e.Trace.Ops {
		r := read.Ops[i]
		if r.Op != o.Op || !slices.Equal(r.Args, o.Args) || r.Depth != o.Depth || r.Rows != o.Rows || r.Time != o.Time.Truncate(time.Microsecond) {
			t.Errorf("%+v is read as %+v", o, r)
		}
	}
	if again, err := json.Marshal(read); err != nil || string(again) != string(b) {
		t.Errorf("read and stored again: %v\n%s\n%s", err, again, b)
	}
	if err := json.Unmarshal([]byte(`{"Ops":[{"op":1}]}`), &read); err == nil {
		t.Error("an operator's name that is a number was read")
	}

	whys := []struct {
		name string
		ref  query.Ref
		want []string
	}{
		{"present", in.items[2].Ref(), []string{
			"Union(combine=first): rank 1 of 4, score 2", "Minus: rank 1 of 2, score 2", "Limit(n=4): rank 3 of 4, score 2",
			"Stay: rank 3 of 6, score 2", "Input(name=in): rank 3 of 6, score 2", "Input(name=other): not among 2",
		}},
		{"lost on a branch", in.items[0].Ref(), []string{
			"Union(combine=first): rank 3 of 4, score 0", "Minus: lost here (2 kept)", "Limit(n=4): rank 1 of 4, score 0",
			"Stay: rank 1 of 6, score 0", "Input(name=in): rank 1 of 6, score 0", "Input(name=other): rank 1 of 2, score 0",
		}},
		{"lost", in.items[5].Ref(), []string{
			"Union(combine=first): not among 4", "Minus: not among 2", "Limit(n=4): lost here (4 kept)",
			"Stay: rank 6 of 6, score 5", "Input(name=in): rank 6 of 6, score 5", "Input(name=other): not among 2",
		}},
		{"never found", query.Ref{Graph: w.g.ID(), ID: 999}, []string{
			"Union(combine=first): not among 4", "Minus: not among 2", "Limit(n=4): not among 4",
			"Stay: not among 6", "Input(name=in): not among 6", "Input(name=other): not among 2",
		}},
	}
	for _, tt := range whys {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range e.Trace.Why(tt.ref) {
				got = append(got, f.String())
				if (f.Rank > 0) != (len(f.Why) > 0) {
					t.Errorf("%s because %v", f, f.Why)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
	if got := (*query.Trace)(nil).Why(query.Ref{}); got != nil {
		t.Errorf("no trace tells %v", got)
	}
}

// TestTraceWhyOfEdges asks by edges whose weights are others.
func TestTraceWhyOfEdges(t *testing.T) {
	t.Parallel()
	edge := engine.Edge{From: 1, To: 2, Type: 3, Weight: 7}
	e := &query.Env{Trace: &query.Trace{}}
	run(t, e, &input{items: []query.Item{{Graph: 1, Edge: edge}}})
	edge.Weight = 2
	if f := e.Trace.Why(query.Ref{Graph: 1, Edge: edge}); f[0].Rank != 1 {
		t.Errorf("%v", f)
	}
	edge.To = 3
	if f := e.Trace.Why(query.Ref{Graph: 1, Edge: edge}); f[0].Rank != 0 {
		t.Errorf("%v", f)
	}
}

// TestTraceAgreesWithSets compares what the trace of random plans tells with
// the sets.
func TestTraceAgreesWithSets(t *testing.T) {
	t.Parallel()
	for seed := range seeds(10) {
		w := makeWorld(t, seed, 20)
		plan, ops := w.bigPlan(rand.New(rand.NewPCG(seed, 16)))
		e := w.env()
		e.Trace = &query.Trace{}
		run(t, e, plan)
		if e.Trace.EmbedTime <= 0 {
			t.Fatal("no time for the model")
		}
		// Both are in some order of the same operators.
		byName := func(a, b string) int { return strings.Compare(a, b) }
		sets := map[string]query.Set{}
		var want, got []string
		for _, op := range ops {
			s, err := e.Eval(t.Context(), op)
			check(t, err)
			want = append(want, op.Explain().String())
			sets[op.Explain().String()] = s
		}
		for _, o := range e.Trace.Ops {
			got = append(got, o.Explanation.String())
		}
		slices.SortFunc(want, byName)
		slices.SortFunc(got, byName)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q, want %q", seed, got, want)
		}
		for _, id := range w.nodes {
			ref := query.Ref{Graph: w.g.ID(), ID: id}
			for _, f := range e.Trace.Why(ref) {
				rank := 1 + slices.IndexFunc(sets[f.Op].Items, func(it query.Item) bool { return it.Ref() == ref })
				if f.Rank != rank || f.Rows != len(sets[f.Op].Items) || f.Lost && rank > 0 {
					t.Fatalf("seed %d: node %d in %s: rank %d, want %d", seed, id, f, f.Rank, rank)
				}
			}
		}
	}
}

// TestTraceIsJSON writes what a run leaves: no score of it may be one that
// JSON cannot hold.
func TestTraceIsJSON(t *testing.T) {
	t.Parallel()
	for seed := range seeds(10) {
		w := makeWorld(t, seed, 20)
		plan, _ := w.bigPlan(rand.New(rand.NewPCG(seed, 17)))
		e := w.env()
		e.Trace = &query.Trace{}
		s := run(t, e, plan)
		if _, err := json.Marshal(struct {
			Trace *query.Trace
			Items []query.Item
		}{e.Trace, s.Items}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestTraceNotes keeps which nodes no path joins, with the operator that
// looked for it.
func TestTraceNotes(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 3)
	in := &input{items: []query.Item{w.item(w.nodes[0], 1), w.item(w.nodes[2], 1)}}
	chain := &query.PathChain{In: &query.Limit{In: in, N: 2}, Graph: w.g, Types: []string{"unknown"}}
	e := w.env()
	e.Trace = &query.Trace{}
	run(t, e, &query.Sort{In: chain})
	want := []string{"path 1, from node 1 to node 3: none"}
	for i, o := range e.Trace.Ops {
		if (i == 1) != slices.Equal(o.Notes, want) || i != 1 && o.Notes != nil {
			t.Errorf("%s: %q", o.Op, o.Notes)
		}
	}
	b, err := json.Marshal(e.Trace)
	check(t, err)
	var read query.Trace
	check(t, json.Unmarshal(b, &read))
	if !slices.Equal(read.Ops[1].Notes, want) || read.Ops[0].Notes != nil {
		t.Errorf("read as %q from %s", read.Ops[1].Notes, b)
	}
	e.Trace = nil
	run(t, e, chain)
}

func TestTraceOfAFailedRun(t *testing.T) {
	t.Parallel()
	e := &query.Env{Trace: &query.Trace{}}
	_, err := query.Run(t.Context(), e, &query.Sort{In: &stay{&input{err: errors.New("odd")}}})
	if err == nil || err.Error() != "Sort: Stay: Input: odd" {
		t.Errorf("%v", err)
	}
	if len(e.Trace.Ops) != 3 {
		t.Errorf("%d operators", len(e.Trace.Ops))
	}
	for _, f := range e.Trace.Why(query.Ref{ID: 1}) {
		if f.Rank != 0 || f.Lost {
			t.Errorf("%s", f)
		}
	}
}
