package rag_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestLimits indexes with limits of what may be spent, each higher than the one
// before, until all is done: no run spends more than its limit, as the server
// counts it, few leave much of it, and the end is that of a run without limits.
func TestLimits(t *testing.T) {
	t.Parallel()
	specs := []string{methods.Default, "naive"}
	docs := ragtest.Docs(95, 40)
	all := methods.All()
	s := newModelServer(t, llmtest.Options{})
	free := endpoint{URL: s.URL}.corpus(ragtest.OpenIn(t, newReference(t).db))
	indexRemote(t, free, all, specs, docs...)
	want := ragtest.Export(t, free.DB(), rag.CanonicalExport())
	whole := s.usage(t)
	usd := func(n used) float64 {
		return (float64(n.chatIn)*chatPrice.In + float64(n.chatOut)*chatPrice.Out + float64(n.embedded)*embedPrice.In) / 1e6
	}
	for _, x := range []struct {
		name  string
		limit func(part float64) cost.Limits
	}{
		{"tokens", func(part float64) cost.Limits { return cost.Limits{Tokens: int(part * float64(whole.tokens()))} }},
		{"dollars", func(part float64) cost.Limits { return cost.Limits{USD: part * usd(whole)} }},
	} {
		t.Run(x.name, func(t *testing.T) {
			db, err := engine.Open(t.Context(), engine.Memory, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			c := ragtest.OpenIn(t, db)
			far := endpoint{URL: s.URL}
			systems, err := openSystems(t.Context(), c, all, specs...)
			if err != nil {
				t.Fatal(err)
			}
			in := []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}
			stops := 0
			for part := .2; ; part += .2 {
				l := x.limit(part)
				c := c.With(rag.Options{NoWords: true, Models: func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
					m, err := far.open(ctx, c)
					if err != nil {
						return nil, err
					}
					return m.Metered(cost.NewMeter(cost.Prices{chatName: chatPrice, embedName: embedPrice}, l)), nil
				}})
				s.clear()
				ix := rag.Indexer{Corpus: c, Methods: all, Systems: systems}
				r, err := ix.Run(t.Context(), in)
				n := s.usage(t)
				t.Logf("limit %+v: %d tokens, $%.4f: %v", l, n.tokens(), usd(n), err)
				if l.Tokens > 0 && n.tokens() > l.Tokens || l.USD > 0 && usd(n) > l.USD {
					t.Errorf("%+v was spent of %+v", n, l)
				}
				if r.Usage.InTokens+r.Usage.OutTokens != n.tokens() || math.Abs(*r.USD-usd(n)) > 1e-9 {
					t.Errorf("by the result %+v and %v, by the server %+v and %v", r.Usage, *r.USD, n, usd(n))
				}
				if err == nil {
					break
				}
				var b *cost.BudgetError
				if !errors.As(err, &b) || !errors.Is(err, cost.ErrBudget) || b.Limits != l {
					t.Fatalf("%v", err)
				}
				if stops++; stops > 8 {
					t.Fatal("it does not come to its end")
				}
			}
			if stops < 2 {
				t.Errorf("stopped %d times", stops)
			}
			ragtest.Same(t, x.name, ragtest.Export(t, db, rag.CanonicalExport()), want)
		})
	}
}

// used is what the server says that requests used, in tokens.
type used struct{ chatIn, chatOut, embedded int }

func (u used) tokens() int { return u.chatIn + u.chatOut + u.embedded }
