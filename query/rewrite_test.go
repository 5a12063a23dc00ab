package query_test

import (
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// TestRewrite halves the limits of a plan in which one operator stands twice.
func TestRewrite(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 3, 8)
	in := &input{}
	for i, id := range w.nodes {
		in.items = append(in.items, query.Item{Graph: w.g.ID(), ID: id, Score: float64(i)})
	}
	shared := &query.Limit{In: in, N: 6}
	plan := &query.Union{In: []query.Op{shared, &query.Sort{In: shared}, &query.Limit{In: shared, N: 4}}}
	seen := map[query.Op]bool{}
	got := query.Rewrite(plan, func(op query.Op) query.Op {
		seen[op] = true
		if l, ok := op.(*query.Limit); ok {
			l.N /= 2
			return l
		}
		return nil
	})
	if n := len(run(t, w.env(), got).Items); n != 3 {
		t.Errorf("%d items of the new plan, want 3", n)
	}
	if n := len(run(t, w.env(), plan).Items); n != 6 {
		t.Errorf("%d items of the old plan, want 6", n)
	}
	if len(seen) != 5 {
		t.Errorf("%d operators were changed, want 5", len(seen))
	}
	u := got.(*query.Union)
	if u.In[1].(*query.Sort).In != u.In[0] {
		t.Error("the operator that stands twice became two")
	}
	wrapped := query.Rewrite(plan, func(op query.Op) query.Op {
		if l, ok := op.(*query.Limit); ok {
			return &query.Limit{In: l, N: 1}
		}
		return nil
	})
	if n := len(run(t, w.env(), wrapped).Items); n != 1 {
		t.Errorf("%d items of the wrapped plan, want 1", n)
	}

	round := &query.Limit{N: 1}
	round.In = round
	same := func(query.Op) query.Op { return nil }
	for name, op := range map[string]query.Op{"nothing": nil, "a nil operator": (*query.Limit)(nil), "goes round": round, "a value": valueOp{}} {
		if _, err := query.Run(t.Context(), w.env(), query.Rewrite(op, same)); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
