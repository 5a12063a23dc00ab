package erarag

import (
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// ranking takes the first k nodes of a part of the tree.
type ranking interface {
	tree(k int) query.Op
	chunks(k int) query.Op
	summaries(k int) query.Op
	// layers takes the first k of each layer, all in one order.
	layers(k int) query.Op
}

// rank returns how nodes are ranked for a question.
func (s *system) rank(text string, space llm.SpaceInfo) ranking {
	near := nearest{s: s, space: spaceOf(space.Model), text: text}
	if s.p.Rank == "vector" {
		return &byVector{near}
	}
	return newHybrid(near, method.ChunkSpace(s.p.Chunks, space.Model), !space.Recomputable)
}

// nearest takes nodes by their vectors.
type nearest struct {
	s           *system
	space, text string
}

// of takes the k nearest of each of some layers, layer by layer.
func (r *nearest) of(from, to, k int) *query.VectorSearch {
	op := &query.VectorSearch{Graph: r.s.g, Space: r.space, Text: r.text}
	for l := from; l <= to && k > 0; l++ {
		op.Layers = append(op.Layers, vecindex.LayerK{Layer: uint8(l), K: k})
	}
	return op
}

// byVector ranks nodes by their vectors alone, as the paper does.
type byVector struct{ nearest }

func (r *byVector) tree(k int) query.Op {
	return &query.VectorSearch{Graph: r.s.g, Space: r.space, Text: r.text, K: k, Source: "collapsed search"}
}

func (r *byVector) chunks(k int) query.Op { return r.of(0, 0, k) }

func (r *byVector) summaries(k int) query.Op {
	return &query.Limit{In: &query.Sort{In: r.of(1, r.s.p.Layers, k)}, N: k}
}

func (r *byVector) layers(k int) query.Op { return &query.Sort{In: r.of(0, r.s.p.Layers, k)} }

// candidates is the least that each search of a hybrid ranking brings, of a
// layer of summaries too.
const candidates = 1000

// hybrid ranks nodes by their vectors and their words together. Chunks are
// those of the base graph, whose words are there for all methods.
type hybrid struct {
	nearest
	most int      // nodes that each search brings
	sum  query.Op // by the sum of both scores
	all  query.Op
}

// newHybrid makes the ranking. A node that shares no word with the question loses
// in the sum to all that do, so vectors that are a model's, and not ragdb's own, of
// words, have every second place alone, as in naive.
func newHybrid(r nearest, chunkSpace string, model bool) *hybrid {
	base, set := r.s.c.Base(), r.s.p.Chunks
	most := max(candidates, r.s.p.K)
	// Chunks and summaries are of two graphs: these unions only gather them.
	vectors := &query.Union{Combine: query.First, In: []query.Op{
		&query.VectorSearch{Graph: base, Space: chunkSpace, Text: r.text, K: most},
		r.of(1, r.s.p.Layers, most),
	}}
	words := &query.Union{Combine: query.First, In: []query.Op{
		r.s.c.TextSearch(set, r.text, most),
		&query.TextSearch{Graph: r.s.g, Field: fieldSummaries, Text: r.text, K: most},
	}}
	h := &hybrid{nearest: r, most: most}
	h.sum = &query.Union{In: []query.Op{vectors, words}, Combine: query.ZSum, Source: "collapsed search"}
	if h.all = h.sum; model {
		h.all = &query.Union{
			In: []query.Op{h.sum, &query.Sort{In: vectors}}, Combine: query.Turns,
			Source: "a model of meaning has every second place",
		}
	}
	return h
}

func (r *hybrid) tree(k int) query.Op { return &query.Limit{In: r.all, N: k} }

func (r *hybrid) chunks(k int) query.Op {
	return &query.Limit{In: &query.Filter{In: r.all, Graph: r.s.c.Base()}, N: k}
}

func (r *hybrid) summaries(k int) query.Op {
	return &query.Limit{In: &query.Filter{In: r.all, Graph: r.s.g}, N: k}
}

// layers takes of the summaries those among the nearest of their layer. All layers
// stand in one order of scores, so they are ranked by the sum.
func (r *hybrid) layers(k int) query.Op {
	in := []query.Op{&query.Limit{In: &query.Filter{In: r.sum, Graph: r.s.c.Base()}, N: k}}
	for l := 1; l <= r.s.p.Layers; l++ {
		in = append(in, &query.Limit{In: &query.Intersect{In: r.sum, With: r.of(l, l, r.most)}, N: k})
	}
	return &query.Sort{In: &query.Union{In: in, Combine: query.First}}
}
