package query_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 1)
	seeds := &query.VectorSearch{Graph: w.g, Space: space, Text: "secret", K: 10, Source: "seeds, eq. 3"}
	near := &query.Neighbors{In: seeds, Graph: w.g, Types: []string{"link", "said"}, Rank: space, Tokens: 500}
	first := &query.Pack{In: &query.Sort{In: near}, Name: "text", Budget: 800, Source: "lambda"}
	plan := &query.Sections{In: []query.Op{
		first,
		&query.Pack{
			In: &query.Minus{In: &query.Union{
				In:      []query.Op{seeds, &query.TextSearch{Graph: w.g, Field: field, K: 5}, &query.NameMatch{Graph: w.g, Type: "thing"}},
				Combine: query.ZSum, Weights: []float64{1, 0.5, 2},
			}, Of: first},
			Name: "more", Budget: 800, Less: []query.Op{first}, Share: 0.25, Overflow: query.Skip,
		},
		&query.Relations{In: &query.Limit{In: &query.Score{In: near, Graph: w.g, Space: space}, N: 3}, Graph: w.g, Source: "local search"},
		&query.Sort{In: seeds, By: query.ByID},
	}}
	const want = `1 Sections
  2 Pack(section=text, budget=800, overflow=stop)   -- lambda
    3 Sort(by=score)
      4 Neighbors(graph=g, types=[link said], rank=s, tokens=500)
        5 VectorSearch(graph=g, space=s, k=10)   -- seeds, eq. 3
  6 Pack(section=more, budget=800, less=what the others used, share=0.25, overflow=skip)
    7 Minus
      8 Union(combine=z-sum, weights=[1 0.5 2])
        (5 again)
        9 TextSearch(graph=g, field=text, k=5)
        10 NameMatch(graph=g, type=thing)
      (2 again)
    (2 again)
  11 Relations(graph=g)   -- local search
    12 Limit(n=3)
      13 Score(graph=g, space=s)
        (4 again)
  14 Sort(by=id)
    (5 again)
`
	var b strings.Builder
	check(t, query.Explain(&b, plan))
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// full is a writer that takes some bytes and fails then.
type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestExplainFails(t *testing.T) {
	t.Parallel()
	in := &input{name: "in"}
	plan := &query.Union{In: []query.Op{in, &query.Sort{In: in}}}
	var b strings.Builder
	check(t, query.Explain(&b, plan))
	for n := range b.Len() {
		if err := query.Explain(&full{n}, plan); !errors.Is(err, errFull) {
			t.Fatalf("room for %d bytes of %d: %v", n, b.Len(), err)
		}
	}
}
