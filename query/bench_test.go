package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/graphops"
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

// inBatches calls fn with numbers below n in transactions that are not too
// large.
func inBatches(b *testing.B, db *engine.DB, g *engine.Graph, n int, fn func(v *engine.TxView, i int)) {
	const batch = 20_000
	for from := 0; from < n; from += batch {
		check(b, db.Update(context.Background(), func(tx *engine.Tx) error {
			v := tx.Graph(g)
			for i := from; i < min(n, from+batch); i++ {
				fn(v, i)
			}
			return nil
		}))
	}
}

// BenchmarkPPR ranks from 20 of 50,000 nodes, joined by 220,000 edges of which
// hubs have many, and takes the best of each of 5 types: NodeRAG's search.
func BenchmarkPPR(b *testing.B) {
	const nodes, edges, seeds = 50_000, 220_000, 20
	ctx := context.Background()
	db := open(b)
	ns, err := db.Namespace(ctx, "main")
	check(b, err)
	g, err := ns.Graph(ctx, "g")
	check(b, err)
	types := strings.Fields("entity unit relation text overview")
	inBatches(b, db, g, nodes, func(v *engine.TxView, i int) {
		t, err := v.MakeNodeType(types[i%len(types)])
		check(b, err)
		_, _, err = v.PutNode(t, fmt.Sprint(i), nil)
		check(b, err)
	})
	r := rand.New(rand.NewPCG(1, 4))
	ends := make([]engine.NodeID, 0, 2*edges) // a node as often as it has edges
	inBatches(b, db, g, edges, func(v *engine.TxView, i int) {
		t, err := v.MakeEdgeType("link", false)
		check(b, err)
		from, to := engine.NodeID(1+i%nodes), engine.NodeID(1+r.IntN(nodes))
		if len(ends) > 0 && r.IntN(2) == 0 {
			to = ends[r.IntN(len(ends))]
		}
		check(b, v.AddEdge(from, to, t, 1))
		ends = append(ends, from, to)
	})
	check(b, db.View(ctx, func(s *engine.Snapshot) error {
		e := &query.Env{Snap: s, Graphs: graphops.NewCache(64 << 20), Trace: &query.Trace{}}
		for _, bench := range []struct {
			name string
			o    query.PPR
		}{
			{"store", query.PPR{}},
			{"memory", query.PPR{InMemory: true}},
			{"degree-weights/store", query.PPR{Weights: graphops.DegreeWeights}},
			{"degree-weights/memory", query.PPR{Weights: graphops.DegreeWeights, InMemory: true}},
		} {
			b.Run(bench.name, func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 5))
				ranked := 0
				ask := func() {
					o := bench.o
					in := &input{}
					for range seeds {
						in.items = append(in.items, query.Item{Graph: g.ID(), ID: engine.NodeID(1 + r.IntN(nodes)), Score: 1})
					}
					o.In, o.Graph, o.Lazy = in, g, true
					for _, t := range types {
						o.Quotas = append(o.Quotas, query.TypeQuota{Types: []string{t}, Most: 10})
					}
					s := run(b, e, &o)
					if len(s.Items) != 10*len(types) {
						b.Fatalf("%d nodes", len(s.Items))
					}
					ranked += len(s.Items)
				}
				ask()
				ranked = 0
				b.ReportAllocs()
				for b.Loop() {
					ask()
				}
				rate(b, ranked/b.N, "nodes")
			})
		}
		return nil
	}))
}

// BenchmarkPhraseSearch looks for three phrases among the names of 100,000 nodes,
// which have 1 to 4 words of which some are in many.
func BenchmarkPhraseSearch(b *testing.B) {
	const names = 100_000
	ctx := context.Background()
	db := open(b)
	ns, err := db.Namespace(ctx, "main")
	check(b, err)
	g, err := ns.Graph(ctx, "g")
	check(b, err)
	r := rand.New(rand.NewPCG(1, 6))
	word := rand.NewZipf(r, 1.1, 8, 20_000)
	name := func() string {
		var words []string
		for range 1 + r.IntN(4) {
			words = append(words, fmt.Sprint("w", word.Uint64()))
		}
		return strings.Join(words, " ")
	}
	var known []string
	inBatches(b, db, g, names, func(v *engine.TxView, _ int) {
		check(b, v.MakeField("name", engine.FieldOptions{Analyzer: text.Exact{}.Name(), Positions: true}))
		t, err := v.MakeNodeType("entity")
		check(b, err)
		s := name()
		id, made, err := v.PutNode(t, s, nil)
		check(b, err)
		if made {
			check(b, v.PutTerms("name", id, text.Exact{}.Terms(s)))
			known = append(known, s)
		}
	})
	question := func() string {
		s := name() + " " + known[r.IntN(len(known))] + " " + name() + " " + known[r.IntN(len(known))]
		for range 15 {
			s += " " + name()
		}
		return strings.Join(strings.Fields(s)[:15], " ")
	}
	check(b, db.View(ctx, func(s *engine.Snapshot) error {
		e := &query.Env{Snap: s}
		found, asked := 0, 0
		b.ReportAllocs()
		for b.Loop() {
			f := strings.Fields(question())
			op := &query.PhraseSearch{Graph: g, Field: "name", Phrases: []string{f[0], strings.Join(f[1:3], " "), strings.Join(f[4:7], " ")}}
			found += len(run(b, e, op).Items)
			asked++
		}
		b.ReportMetric(float64(found)/float64(asked), "found/run")
		rate(b, 1, "questions")
		return nil
	}))
}
