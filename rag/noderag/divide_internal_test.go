package noderag

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// cliques are groups of nodes, each of which is joined with all of its group and, the
// last one, with the first of the next group.
func cliques(t *testing.T, sizes ...int) *clustering {
	t.Helper()
	c := &clustering{s: &system{p: Params{Resolution: 1}}, g: &content{}}
	var edges []graphops.WeightedEdge
	n := 0
	for _, size := range sizes {
		if n > 0 {
			edges = append(edges, graphops.WeightedEdge{From: uint32(n - 1), To: uint32(n), Weight: 1})
		}
		for i := range size {
			for k := range i {
				edges = append(edges, graphops.WeightedEdge{From: uint32(n + k), To: uint32(n + i), Weight: 1})
			}
		}
		n += size
	}
	var err error
	if c.p, err = graphops.FromEdges(n, edges, graphops.EdgeOptions{}); err != nil {
		t.Fatal(err)
	}
	c.g.nodes, c.of = make([]contentNode, n), make([]uint64, n)
	return c
}

// TestDivide: a community is divided if it has more than 64 nodes and more than half
// again as many as the largest had. Its largest part keeps the number, the first of
// equals; the others get new ones in order.
func TestDivide(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name    string
		sizes   []int
		largest int
		want    []uint64 // of each clique
	}{
		{"64 nodes", []int{32, 32}, 0, []uint64{3, 3}},
		{"65 nodes", []int{32, 33}, 0, []uint64{9, 3}},
		{"equal parts", []int{33, 33}, 0, []uint64{3, 9}},
		{"the second is largest", []int{20, 30, 20}, 10, []uint64{9, 3, 10}},
		{"the last is largest", []int{20, 25, 30}, 10, []uint64{9, 10, 3}},
		{"half again as many", []int{33, 33}, 44, []uint64{3, 3}},
		{"one more than half again", []int{33, 34}, 44, []uint64{9, 3}},
	} {
		c := cliques(t, x.sizes...)
		c.state.Next, c.state.Largest = 9, x.largest
		for i := range c.of {
			c.of[i] = 3
		}
		if err := c.divide(t.Context()); err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for i, size := range x.sizes {
			want = append(want, slices.Repeat(x.want[i:i+1], size)...)
		}
		if next := max(9, slices.Max(want)+1); !slices.Equal(c.of, want) || c.state.Next != next {
			t.Errorf("%s: %v, the next is %d, want %v and %d", x.name, c.of, c.state.Next, want, next)
		}
	}
}

// TestGrouped: insights are read together up to 24,000 tokens; one that is longer is read
// by itself, and no list is empty.
func TestGrouped(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	of := func(tokens int) llm.Insight {
		i := llm.Insight{Title: "t", Description: "t" + strings.Repeat(" word", tokens-2)}
		if n := c.Tokens().Count(i.Title + " " + i.Description); n != tokens {
			t.Fatalf("%d tokens, want %d", n, tokens)
		}
		return i
	}
	long, half, most, one := of(summaryTokens+5), of(summaryTokens/2), of(summaryTokens), of(2)
	for _, x := range []struct {
		name string
		all  []llm.Insight
		want []int
	}{
		{"none", nil, nil},
		{"two halves", []llm.Insight{half, half}, []int{2}},
		{"two halves and more", []llm.Insight{half, half, one, one}, []int{2, 2}},
		{"a long one first", []llm.Insight{long, one, one}, []int{1, 2}},
		{"a long one after others", []llm.Insight{one, long, one}, []int{1, 1, 1}},
		{"a whole one, and a long one", []llm.Insight{most, long, most}, []int{1, 1, 1}},
	} {
		var got []int
		for _, list := range s.grouped(x.all) {
			got = append(got, len(list))
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: lists of %v, want %v", x.name, got, x.want)
		}
		p := &pager{count: c.Tokens().Count}
		for i, in := range x.all {
			p.add(fmt.Sprint(i), []string{in.Title + " " + in.Description})
		}
		got = nil
		for _, page := range p.pages {
			got = append(got, len(page))
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: pages of %v, want %v", x.name, got, x.want)
		}
	}
}
