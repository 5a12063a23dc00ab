package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// rate reports how many of something went through a benchmark.
func rate(b *testing.B, n int, unit string) {
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), unit+"/s")
	b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N), "µs/run")
}

// BenchmarkNeighborsRanked takes the neighbours of 100 nodes, 100 each among
// 5,000, in the order of their vectors of 512 elements: KET-RAG's keywords.
func BenchmarkNeighborsRanked(b *testing.B) {
	const seeds, others, each, wide = 100, 5000, 100, 512
	ctx := context.Background()
	db := open(b)
	ns, err := db.Namespace(ctx, "main")
	check(b, err)
	g, err := ns.Graph(ctx, "g")
	check(b, err)
	r := rand.New(rand.NewPCG(1, 1))
	in := &input{}
	check(b, db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(g)
		nt, err := v.MakeNodeType("chunk")
		check(b, err)
		et, err := v.MakeEdgeType("contains", false)
		check(b, err)
		check(b, v.MakeSpace(space, engine.SpaceOptions{Dim: wide, Model: "m"}))
		var ids []engine.NodeID
		for i := range seeds + others {
			id, _, err := v.PutNode(nt, fmt.Sprint(i), nil)
			check(b, err)
			if i < seeds {
				in.items = append(in.items, query.Item{Graph: g.ID(), ID: id, Score: r.Float64()})
				continue
			}
			vec := make([]float32, wide)
			for j := range vec {
				vec[j] = float32(r.NormFloat64())
			}
			check(b, v.PutVector(space, id, vec))
			ids = append(ids, id)
		}
		for _, it := range in.items {
			for range each {
				check(b, v.AddEdge(it.ID, ids[r.IntN(len(ids))], et, 1))
			}
		}
		return nil
	}))
	q := make([]float32, wide)
	for j := range q {
		q[j] = float32(r.NormFloat64())
	}
	check(b, db.View(ctx, func(s *engine.Snapshot) error {
		e := &query.Env{Snap: s, Embed: func(context.Context, string) ([]float32, error) { return q, nil }}
		op := &query.Neighbors{In: in, Graph: g, Rank: space, Text: "q"}
		run(b, e, op) // brings the vectors to memory
		b.ReportAllocs()
		for b.Loop() {
			run(b, e, op)
		}
		rate(b, seeds*each, "neighbours")
		return nil
	}))
}

// scored returns n items in order of falling random scores, from a node on.
func scored(r *rand.Rand, from, n int) *input {
	in := &input{}
	score := 1.0
	for _, i := range r.Perm(n) {
		score *= 1 - r.Float64()/100
		in.items = append(in.items, query.Item{
			Graph: 1, ID: engine.NodeID(1 + from + i), Score: score, Why: []query.Step{{Op: "input", Score: score}},
		})
	}
	return in
}

// BenchmarkUnionZSum unites two rankings of 1,000 that share half: the naive
// method's.
func BenchmarkUnionZSum(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	op := &query.Union{In: []query.Op{scored(r, 0, 1000), scored(r, 500, 1000)}, Combine: query.ZSum}
	e := &query.Env{}
	b.ReportAllocs()
	for b.Loop() {
		run(b, e, op)
	}
	rate(b, 2000, "items")
}

// BenchmarkPack packs 100 chunks whose tokens are known, as chunks' are, and
// whose tokens are counted word by word.
func BenchmarkPack(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 3))
	chunk := strings.TrimSpace(strings.Repeat("word ", 110))
	for name, tokens := range map[string]int{"known": 110, "counted": 0} {
		b.Run(name, func(b *testing.B) {
			op := &query.Pack{
				In: scored(r, 0, 1000), Name: "text", Budget: 100 * 111,
				Render: func(context.Context, *query.Env, query.Item) (string, int, error) { return chunk, tokens, nil },
			}
			e := &query.Env{Tokens: countTokens}
			if s := run(b, e, op); len(s.Items) != 100 {
				b.Fatalf("%d chunks", len(s.Items))
			}
			b.ReportAllocs()
			for b.Loop() {
				run(b, e, op)
			}
			rate(b, 100, "chunks")
		})
	}
}
