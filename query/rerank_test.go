package query_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// TestRerank has a model that likes long texts put items into another order.
func TestRerank(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 6)
	x := texts{1: "a a", 2: "b b b b b", 3: "c", 4: "d d", 6: "f f f f f f f f"}
	in := &input{}
	for id := range engine.NodeID(6) {
		in.items = append(in.items, query.Item{Graph: 1, ID: id + 1, Score: 10 - float64(id)})
	}
	var asked []string
	length := func(_ context.Context, question string, list []string) ([]float64, error) {
		asked = append([]string{question}, list...)
		out := make([]float64, len(list))
		for i, s := range list {
			out[i] = float64(len(strings.Fields(s)))
		}
		return out, nil
	}
	for _, c := range []struct {
		top    int
		want   []engine.NodeID
		scores []float64
		asked  int
	}{
		{0, []engine.NodeID{6, 2, 1, 4, 3, 5}, []float64{8, 5, 2, 2, 1, 6}, 5}, // 5 has no text; 1 and 4 keep their order
		{6, []engine.NodeID{6, 2, 1, 4, 3, 5}, []float64{8, 5, 2, 2, 1, 6}, 5},
		{3, []engine.NodeID{2, 1, 3, 4, 5, 6}, []float64{5, 2, 1, 7, 6, 5}, 3},
		{1, []engine.NodeID{1, 2, 3, 4, 5, 6}, []float64{2, 9, 8, 7, 6, 5}, 1},
	} {
		e := w.env()
		got := run(t, e, &query.Rerank{In: in, Text: "q", Top: c.top, By: length, Render: x.render})
		var ids []engine.NodeID
		var scores []float64
		for _, it := range got.Items {
			ids, scores = append(ids, it.ID), append(scores, it.Score)
		}
		if !slices.Equal(ids, c.want) || !slices.Equal(scores, c.scores) || len(asked) != c.asked+1 || asked[0] != "q" {
			t.Errorf("top %d: %v %v, asked %q", c.top, ids, scores, asked)
		}
		if why := got.Items[0].Why; len(why) != 1 || why[0].Op != "rerank" {
			t.Errorf("top %d: %+v", c.top, why)
		}
	}
	if in.items[0].Score != 10 || in.items[0].Why != nil {
		t.Error("the input's items were changed")
	}
}

// asleep is an error that another time would not have.
type asleep struct{}

func (asleep) Error() string   { return "it is asleep" }
func (asleep) Temporary() bool { return true }

// TestRerankEnds looks at models that are slow, fail, or give what is no score.
func TestRerankEnds(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 2)
	x := texts{1: "a", 2: "b"}
	in := &input{items: []query.Item{{Graph: 1, ID: 1, Score: 2}, {Graph: 1, ID: 2, Score: 1}}}
	wait := func(ctx context.Context, _ string, _ []string) ([]float64, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	e := w.env()
	e.Trace = &query.Trace{}
	got := run(t, e, &query.Rerank{In: in, By: wait, Render: x.render, Within: time.Millisecond})
	if len(got.Items) != 2 || got.Items[0].ID != 1 || got.Items[0].Score != 2 || len(e.Trace.Ops[0].Notes) != 1 || len(e.Trace.Warnings) != 1 {
		t.Errorf("a slow model: %+v, %+v", got.Items, e.Trace)
	}
	sleeps := func(context.Context, string, []string) ([]float64, error) {
		return nil, fmt.Errorf("server: %w", asleep{})
	}
	got = run(t, e, &query.Rerank{In: in, Render: x.render, By: sleeps, Within: time.Hour})
	if len(got.Items) != 2 || got.Items[0].ID != 1 || len(e.Trace.Warnings) != 1 || !strings.HasSuffix(e.Trace.Warnings[0], ": it is asleep") {
		t.Errorf("a model that has no scores: %+v, %+v", got.Items, e.Trace)
	}
	if _, err := query.Run(t.Context(), e, &query.Rerank{In: in, Render: x.render, By: sleeps}); !errors.Is(err, asleep{}) {
		t.Errorf("a model without a bound: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := query.Run(ctx, w.env(), &query.Rerank{In: in, By: wait, Render: x.render, Within: time.Hour}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's own end: %v", err)
	}
	for name, by := range map[string]func(context.Context, string, []string) ([]float64, error){
		"fails":         func(context.Context, string, []string) ([]float64, error) { return nil, errEnv },
		"too few":       func(context.Context, string, []string) ([]float64, error) { return []float64{1}, nil },
		"not a number":  func(context.Context, string, []string) ([]float64, error) { return []float64{1, math.NaN()}, nil },
		"none is given": nil,
	} {
		_, err := query.Run(t.Context(), w.env(), &query.Rerank{In: in, By: by, Render: x.render, Within: time.Hour})
		if want := engine.ErrInvalid; err == nil || name != "fails" && !errors.Is(err, want) || name == "fails" && !errors.Is(err, errEnv) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
