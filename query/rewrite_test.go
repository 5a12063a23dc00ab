package query_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// TestRerankEach reranks the packs of a plan in which one set stands twice and
// the second pack takes what the first one leaves.
func TestRerankEach(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 3, 4)
	x := texts{1: "a", 2: "b b", 3: "c c c", 4: "d d d d"}
	in := &input{}
	for id := range engine.NodeID(4) {
		in.items = append(in.items, query.Item{Graph: 1, ID: id + 1, Score: -float64(id)})
	}
	first := &query.Pack{In: in, Budget: 8, Render: x.render} // an item takes its words and a line break
	second := &query.Pack{In: &query.Minus{In: in, Of: first}, Budget: 16, Less: []query.Op{first}, Render: x.render}
	plan := &query.Sections{In: []query.Op{first, second}}
	ids := func(op query.Op) (out []engine.NodeID) {
		for _, it := range run(t, w.env(), op).Items {
			out = append(out, it.ID)
		}
		return out
	}
	if got := ids(plan); !slices.Equal(got, []engine.NodeID{1, 2, 3, 4}) {
		t.Fatalf("the plan itself: %v", got)
	}
	calls := 0
	longest := &query.Rerank{Text: "q", By: func(_ context.Context, _ string, list []string) ([]float64, error) {
		calls++
		out := make([]float64, len(list))
		for i, s := range list {
			out[i] = float64(len(s))
		}
		return out, nil
	}}
	reranked := longest.Each(plan)
	// The first pack takes 5 and then has no room for 4; the second has 16-5.
	if got := ids(reranked); !slices.Equal(got, []engine.NodeID{4, 3, 2, 1}) || calls != 2 {
		t.Errorf("reranked: %v, %d calls", got, calls)
	}
	p := reranked.(*query.Sections).In
	if p[1].(*query.Pack).Less[0] != p[0] {
		t.Error("the pack that another one leaves room for is another")
	}
	if got := ids(plan); !slices.Equal(got, []engine.NodeID{1, 2, 3, 4}) || first.In != query.Op(in) {
		t.Errorf("the plan itself was changed: %v", got)
	}

	// What has an order is packed as it was; the model orders all of it at once.
	calls = 0
	if got := ids(longest.Each(&query.Sections{In: []query.Op{&query.Limit{In: plan, N: 3}}, By: in})); !slices.Equal(got, []engine.NodeID{3, 2, 1}) || calls != 1 {
		t.Errorf("ordered and reranked: %v, %d calls", got, calls)
	}

	round := &query.Limit{N: 1}
	round.In = round
	for name, op := range map[string]query.Op{"nothing": nil, "a nil operator": (*query.Limit)(nil), "goes round": round, "a value": valueOp{}} {
		if _, err := query.Run(t.Context(), w.env(), longest.Each(op)); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
