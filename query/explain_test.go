package query_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/vecindex"
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
				In:      []query.Op{seeds, &query.TextSearch{Graph: w.g, Field: field, Beside: []engine.FieldWeight{{Field: "path", Weight: 0.5}, {Field: "tags", Weight: 2}}, K: 5}, &query.All{Graph: w.g, Types: []string{"thing"}}},
				Combine: query.ZSum, Weights: []float64{1, 0.5, 2},
			}, Of: first},
			Name: "more", Budget: 800, Less: []query.Op{first}, Share: 0.25, Skip: true,
		},
		&query.Incident{In: &query.Limit{In: &query.Score{In: near, Graph: w.g, Space: space}, N: 3}, Graph: w.g, PerNode: 10, Source: "local search"},
		&query.Sort{In: seeds, Then: []*query.Measure{query.Property(w.g, "rating")}},
	}}
	plan.In = append(plan.In, w.explained(seeds)...)
	const want = `1 Sections
  2 Pack(section=text, budget=800, overflow=stop)   -- lambda
    3 Sort(by=score)
      4 Neighbors(graph=g, types=[link said], rank=s, tokens=500)
        5 VectorSearch(graph=g, space=s, k=10)   -- seeds, eq. 3
  6 Pack(section=more, budget=800, less=what the others used, share=0.25, overflow=skip)
    7 Minus
      8 Union(combine=z-sum, weights=[1 0.5 2])
        (5 again)
        9 TextSearch(graph=g, field=text, beside=[path:0.5 tags:2], k=5)
        10 All(graph=g, types=[thing])
      (2 again)
    (2 again)
  11 Incident(graph=g, by=within,links,rank, pernode=10)   -- local search
    12 Limit(n=3)
      13 Score(graph=g, space=s)
        (4 again)
  14 Sort(by=score, then=rating)
    (5 again)
  15 Incident(graph=g, types=[link], within, by=rank,weight)   -- bridge
    16 PathChain(graph=g, types=[link], depth=4)   -- section 4.2
      17 TopPerGroup(graph=g, types=[in], most=10)   -- key entities
        18 AtLeast(score=0.2)
          (5 again)
        19 Filter(graph=g, types=[community], where=level <= 2)
          20 Neighbors(graph=g, types=[in], combine=count)   -- step 2
            (5 again)
  21 PPR(graph=g, form=lazy, alpha=0.5, steps=2, weights=degree, start=uniform, k=1000, quotas=[entity:10 unit+text:30])   -- section 2.5
    22 Intersect
      23 PhraseSearch(graph=g, types=[entity], field=name, phrases=2)   -- accurate search
      24 Reweigh(by=constant=2)
        (5 again)
  25 Minus
    26 VectorSearch(graph=g, space=s, layer0=5, layer2=3)   -- Alg. 2
    (5 again)
  27 Tables(section=rows, budget=70, less=what the others used, share=0.5, edges=of as many items as fit whole)   -- local search
    (5 again)
    28 Incident(graph=g, leaving, most=7)
      (5 again)
    29 Sections(header="head")
      30 Rescale(to=2)
        31 Twins(graph=g, type=chunk, of=far)
          32 Sources(graph=far, types=[in], near=[link], share, tokens=9)   -- chunks
            (5 again)
`
	var b strings.Builder
	check(t, query.Explain(&b, plan))
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// explained uses operators of paths, groups and walks.
func (w *world) explained(seeds query.Op) []query.Op {
	groups := &query.Filter{
		In:    &query.Neighbors{In: seeds, Graph: w.g, Types: []string{"in"}, Combine: query.Count, Source: "step 2"},
		Graph: w.g, Types: []string{"community"},
		Where: engine.Comparison{Property: "level", Op: engine.OpLessEqual, Values: []engine.Value{engine.Int(2)}},
	}
	keys := &query.TopPerGroup{
		In: &query.AtLeast{In: seeds, Least: 0.2}, Of: groups, Graph: w.g, Types: []string{"in"}, Most: 10, Source: "key entities",
	}
	chain := &query.PathChain{In: keys, Graph: w.g, Types: []string{"link"}, MaxDepth: 4, Source: "section 4.2"}
	names := &query.Intersect{
		In: &query.PhraseSearch{
			Graph: w.g, Field: "name", Phrases: []string{"a", "b"}, Types: []string{"entity"}, Source: "accurate search",
		},
		With: &query.Reweigh{In: seeds, By: constant(2)},
	}
	ppr := &query.PPR{
		In: names, Graph: w.g, Lazy: true, Weights: graphops.DegreeWeights, Uniform: true, K: 1000, Source: "section 2.5",
		Quotas: []query.TypeQuota{{Types: []string{"entity"}, Most: 10}, {Types: []string{"unit", "text"}, Most: 30}},
	}
	chunks := &query.Twins{Graph: w.g, Type: "chunk", Of: w.far, In: &query.Sources{
		In: seeds, Graph: w.far, Types: []string{"in"}, Near: []string{"link"}, Share: true, Tokens: 9, Source: "chunks",
	}}
	tables := &query.Tables{
		In: seeds, Edges: &query.Incident{In: seeds, Graph: w.g, Leaving: true, Most: 7}, Name: "rows", Budget: 70, Share: 0.5,
		Less: []query.Op{&query.Sections{In: []query.Op{&query.Rescale{In: chunks, To: 2}}, Header: "head"}}, Source: "local search",
	}
	layers := []vecindex.LayerK{{Layer: 0, K: 5}, {Layer: 2, K: 3}}
	return []query.Op{
		&query.Incident{In: chain, Graph: w.g, Types: []string{"link"}, Within: true, Ranked: true, Source: "bridge"},
		ppr,
		&query.Minus{In: &query.VectorSearch{Graph: w.g, Space: space, Layers: layers, Source: "Alg. 2"}, Of: seeds},
		tables,
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
