package query_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// texts renders items by what a table says of their ids.
type texts map[engine.NodeID]string

func (x texts) render(_ context.Context, _ *query.Env, it query.Item) (string, int, error) {
	return x[it.ID], 0, nil
}

// counted is render with the tokens of the text.
func (x texts) counted(_ context.Context, _ *query.Env, it query.Item) (string, int, error) {
	return x[it.ID], countTokens(x[it.ID]), nil
}

// size returns the tokens of the text.
func (x texts) size(_ context.Context, _ *query.Env, it query.Item) (int, error) {
	return countTokens(x[it.ID]), nil
}

func cutWords(s string, n int) string {
	f := strings.Fields(s)
	return strings.Join(f[:max(0, min(n, len(f)))], " ")
}

func TestPack(t *testing.T) {
	t.Parallel()
	x := texts{1: "a a", 2: "b b b b b", 3: "c", 4: "", 5: "e e e e e e e e e"}
	ids := func(in ...engine.NodeID) *input {
		out := &input{}
		for _, id := range in {
			out.items = append(out.items, query.Item{Graph: 1, ID: id})
		}
		return out
	}
	// An item takes its words and a line break: 1 takes 3, 2 takes 6, 3 takes
	// 2, 5 takes 10.
	tests := []struct {
		name string
		pack query.Pack
		want string
		used int
	}{
		{"all fit", query.Pack{In: ids(1, 2, 3), Budget: 11}, "a a|b b b b b|c", 11},
		{"stops at the first that does not fit", query.Pack{In: ids(1, 2, 3), Budget: 8}, "a a", 3},
		{"skips it", query.Pack{In: ids(1, 2, 3), Budget: 8, Skip: true}, "a a|c", 5},
		{"first does not fit", query.Pack{In: ids(5, 1), Budget: 5}, "", 0},
		{"first does not fit, skip", query.Pack{In: ids(5, 1), Budget: 5, Skip: true}, "a a", 3},
		{"first is cut", query.Pack{In: ids(5, 1), Budget: 5, Cut: cutWords}, "e e e e", 5},
		{"cut only if nothing is packed yet", query.Pack{In: ids(1, 5), Budget: 5, Cut: cutWords}, "a a", 3},
		{"cut to nothing", query.Pack{In: ids(5, 3), Budget: 5, Cut: func(string, int) string { return "" }}, "", 0},
		{"cut to nothing, skip", query.Pack{In: ids(5, 3), Budget: 5, Cut: func(string, int) string { return "" }, Skip: true}, "c", 2},
		{"cut too long", query.Pack{In: ids(5, 3), Budget: 5, Cut: func(s string, _ int) string { return s }}, "", 0},
		{"an item without text", query.Pack{In: ids(1, 4, 3), Budget: 20}, "a a|c", 5},
		{"header counts", query.Pack{In: ids(1, 3), Budget: 6, Header: "h h"}, "a a", 6},
		{"header alone is no section", query.Pack{In: ids(1), Budget: 5, Header: "h h"}, "", 0},
		{"header beyond the budget", query.Pack{In: ids(3), Budget: 2, Header: "h h h h"}, "", 0},
		{"header and cut", query.Pack{In: ids(5), Budget: 7, Header: "h h", Cut: cutWords}, "e e e", 7},
		{"no items", query.Pack{In: ids(), Budget: 7, Header: "h"}, "", 0},
		{"no budget", query.Pack{In: ids(3)}, "", 0},
		{"negative budget", query.Pack{In: ids(3), Budget: -7, Cut: cutWords}, "", 0},
		{"share", query.Pack{In: ids(1, 3), Budget: 11, Share: 0.3}, "a a", 3},
		{"less", query.Pack{In: ids(1, 3), Budget: 8, Less: []query.Op{&query.Pack{In: ids(2), Budget: 6, Render: x.render}}}, "", 0},
		{"less and share", query.Pack{In: ids(3, 1), Budget: 10, Share: 0.5, Less: []query.Op{&query.Pack{In: ids(2), Budget: 6, Render: x.render}}}, "c", 2},
		{"less than nothing", query.Pack{In: ids(3), Budget: 1, Less: []query.Op{&query.Pack{In: ids(2), Budget: 6, Render: x.render}}}, "", 0},
	}
	kinds := map[string]query.Pack{"plain": {Render: x.render}, "counted": {Render: x.counted}, "sized": {Render: x.render, Size: x.size}}
	for _, tt := range tests {
		for kind, of := range kinds {
			t.Run(tt.name+"/"+kind, func(t *testing.T) {
				p := tt.pack
				p.Name, p.Render, p.Size = "part", of.Render, of.Size
				s := run(t, &query.Env{Tokens: countTokens}, &p)
				var got []string
				for _, it := range s.Items {
					got = append(got, it.Text)
					last := it.Why[len(it.Why)-1]
					if it.Tokens != countTokens(it.Text+"\n") || last.Op != "pack" || !strings.HasPrefix(last.Note, "part: ") {
						t.Errorf("%q has %d tokens, step %+v", it.Text, it.Tokens, last)
					}
				}
				if strings.Join(got, "|") != tt.want || s.Used != tt.used {
					t.Errorf("%q with %d tokens, want %q with %d", strings.Join(got, "|"), s.Used, tt.want, tt.used)
				}
			})
		}
	}
}

func TestPackNote(t *testing.T) {
	t.Parallel()
	in := &input{items: []query.Item{{Graph: 1, ID: 1, Score: 2}}}
	s := run(t, &query.Env{Tokens: countTokens}, &query.Pack{In: in, Name: "text", Budget: 9, Header: "h", Render: texts{1: "a b"}.render})
	if want := (query.Step{Op: "pack", Note: "text: 5 of 9 tokens", Score: 2}); len(s.Items) != 1 || s.Items[0].Why[0] != want {
		t.Errorf("%+v", s.Items)
	}
}

// TestPackSize says that what is known not to fit is not rendered, but for the
// first item if it can be cut.
func TestPackSize(t *testing.T) {
	t.Parallel()
	x := texts{1: "a a", 2: "b b b b b", 3: "c", 4: "d d d d d d"}
	for _, tt := range []struct {
		name string
		pack query.Pack
		want []engine.NodeID
	}{
		{"stop", query.Pack{}, []engine.NodeID{1}},
		{"skip", query.Pack{Skip: true}, []engine.NodeID{1, 3}},
		{"cut", query.Pack{Budget: 4, Skip: true, Cut: cutWords}, []engine.NodeID{1}},
		{"cut the first", query.Pack{Budget: 2, Skip: true, Cut: cutWords}, []engine.NodeID{1}},
		{"none", query.Pack{Budget: 1, Skip: true}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rendered []engine.NodeID
			p := tt.pack
			if p.Budget == 0 {
				p.Budget = 6
			}
			in := &input{}
			for _, id := range []engine.NodeID{1, 2, 4, 3} {
				in.items = append(in.items, query.Item{Graph: 1, ID: id})
			}
			p.In, p.Size = in, x.size
			p.Render = func(_ context.Context, _ *query.Env, it query.Item) (string, int, error) {
				rendered = append(rendered, it.ID)
				return x[it.ID], 0, nil
			}
			run(t, &query.Env{Tokens: countTokens}, &p)
			if !slices.Equal(rendered, tt.want) {
				t.Errorf("rendered %v, want %v", rendered, tt.want)
			}
		})
	}
}

// TestPackWithoutBudget: nothing can be packed, so nothing is looked for.
func TestPackWithoutBudget(t *testing.T) {
	t.Parallel()
	in := &input{items: []query.Item{{Graph: 1, ID: 1}}}
	for budget, want := range map[int]int{-1: 0, 0: 0, 1: 1} {
		in.runs = 0
		run(t, &query.Env{Tokens: countTokens}, &query.Pack{In: in, Budget: budget, Render: texts{1: "a b"}.render})
		if in.runs != want {
			t.Errorf("budget %d: the input ran %d times, want %d", budget, in.runs, want)
		}
	}
}

// TestPackKeepsItsBudget packs random items by random chains of packs: what is
// packed, rendered with its headers, never has more tokens than the budget,
// and no pack with a rest that its next item fits stops there.
func TestPackKeepsItsBudget(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 15)
	for seed := range seeds(400) {
		r := rand.New(rand.NewPCG(seed, 9))
		x := texts{}
		for _, id := range w.nodes {
			x[id] = strings.TrimSpace(strings.Repeat(fmt.Sprint("w", id, " "), r.IntN(12)))
		}
		budget := r.IntN(80) - 5
		all := &query.Sections{}
		var packs []*query.Pack
		for i := range 1 + r.IntN(3) {
			p := &query.Pack{
				In: w.randomInput(r, "in"), Name: fmt.Sprint(i), Budget: budget, Less: slices.Clone(all.In),
				Skip: r.IntN(2) == 0, Header: strings.Repeat("head ", r.IntN(3)), Render: x.render,
			}
			if r.IntN(2) == 0 {
				p.Render = x.counted
			}
			if r.IntN(2) == 0 {
				p.Size = x.size
			}
			if r.IntN(2) == 0 {
				p.Cut = cutWords
			}
			if r.IntN(2) == 0 {
				p.Share = r.Float64()
			}
			all.In = append(all.In, p)
			packs = append(packs, p)
		}
		e := &query.Env{Tokens: countTokens}
		whole := run(t, e, all)
		if whole.Used > max(0, budget) {
			t.Fatalf("seed %d: %d tokens of %d", seed, whole.Used, budget)
		}
		n := 0
		for _, p := range packs {
			s, err := e.Eval(t.Context(), p)
			check(t, err)
			limit := budget // after what the others used
			for _, other := range p.Less {
				used, err := e.Eval(t.Context(), other)
				check(t, err)
				limit -= used.Used
			}
			if p.Share > 0 {
				limit = int(float64(limit) * p.Share)
			}
			text := ""
			if p.Header != "" && len(s.Items) > 0 {
				text = p.Header + "\n"
			}
			for _, it := range s.Items {
				text += it.Text + "\n"
			}
			if countTokens(text) != s.Used || s.Used > max(0, limit) {
				t.Fatalf("seed %d: %d tokens in the text, %d used, %d allowed", seed, countTokens(text), s.Used, limit)
			}
			n += len(s.Items)
			// The items are some of the input's, in its order.
			at := 0
			items := p.In.(*input).items
			for _, it := range s.Items {
				for at < len(items) && items[at].ID != it.ID {
					at++
				}
				if at++; at > len(items) {
					t.Fatalf("seed %d: node %d is not in order", seed, it.ID)
				}
				if cut := it.Text != x[it.ID]; cut && (p.Cut == nil || len(s.Items) > 0 && s.Items[0].ID != it.ID) {
					t.Fatalf("seed %d: %q is cut", seed, it.Text)
				}
			}
		}
		if len(whole.Items) != n {
			t.Fatalf("seed %d: %d items in all, %d in the sections", seed, len(whole.Items), n)
		}
	}
}

func TestPackFails(t *testing.T) {
	t.Parallel()
	odd := errors.New("odd")
	in := &input{items: []query.Item{{Graph: 1, ID: 1}, {Graph: 1, ID: 2}, {Graph: 1, ID: 3}}}
	ctx, cancel := context.WithCancel(t.Context())
	rendered := 0
	tests := []struct {
		name string
		pack *query.Pack
		want error
	}{
		{"render", &query.Pack{In: in, Budget: 9, Render: func(context.Context, *query.Env, query.Item) (string, int, error) { return "", 0, odd }}, odd},
		{"size", &query.Pack{In: in, Budget: 9, Size: func(context.Context, *query.Env, query.Item) (int, error) { return 0, odd }, Render: texts{}.render}, odd},
		{"less", &query.Pack{In: in, Budget: 9, Less: []query.Op{&input{err: odd}}, Render: texts{}.render}, odd},
		{"input", &query.Pack{In: &input{err: odd}, Budget: 9, Render: texts{}.render}, odd},
		{"cancelled", &query.Pack{In: in, Budget: 9, Skip: true, Render: func(context.Context, *query.Env, query.Item) (string, int, error) {
			rendered++
			cancel()
			return "x", 100, nil
		}}, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := query.Run(ctx, &query.Env{Tokens: countTokens}, tt.pack); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
	if rendered != 1 {
		t.Errorf("rendered %d items after the end", rendered-1)
	}
}
