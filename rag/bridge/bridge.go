package bridge

import (
	"context"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// Name is the method's name.
const Name = "bridge"

// Params are the method's parameters.
type Params struct {
	// Chunks is the chunk set.
	Chunks text.ChunkSet
	// K is the number of first hits that bridges start from. The default is
	// 10.
	K int
	// Lambda is what the best bridge weighs against the best hit. The default
	// is 0.5.
	Lambda float64
	// Delta is what a bridge weighs that leads to nothing more of the
	// question's words, against 1 for all of them. The default is 0.3.
	Delta float64
	// Anchor is what a hit weighs that has none of the question's names. The
	// default is 0.3.
	Anchor float64
	// Gate is how fast names in the question open the bridge: wholly if
	// they are one part in Gate of its words; 0 leaves it open. The default is
	// 5.
	Gate float64
	// Pin keeps the first hit first. It is on by default.
	Pin bool
	// PPR ranks by a walk from the first chunks over the names that chunks
	// share. It is off by default.
	PPR bool
}

// system is the method on a corpus.
type system struct {
	p Params
	c *method.Corpus
}

// Open makes the method on a corpus.
func Open(_ context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	r := method.ReadParams(Name, params, nil)
	p := Params{
		Chunks: r.ChunkSet(),
		K:      r.Int("k", 10, 1, minCandidates),
		Lambda: r.Float("lambda", 0.5, 0, 10),
		Delta:  r.Float("delta", 0.3, 0, 1),
		Anchor: r.Float("anchor", 0.3, 0, 1),
		Gate:   r.Float("gate", 5, 0, 100),
		Pin:    r.Flag("pin", true),
		PPR:    r.Flag("ppr", false),
	}
	id, err := method.NewGraphless(r)
	if err != nil {
		return nil, err
	}
	s := &system{p: p, c: c}
	return &method.System{Identity: id, Plan: s.plan}, nil
}

// candidates returns how many chunks each of the two rankings brings: enough to
// fill the context with chunks of 30 tokens, and to tell what scores are usual.
func candidates(q method.Question) int { return max(minCandidates, q.Tokens()/30) }

const minCandidates = 400

// walkSeeds is how many chunks the walk starts from.
const walkSeeds = 20

// plan is [method.System.Plan]. The sum of words and vectors ranks a passage that
// shares no word with the question behind those that do. So with the vectors of a
// model these alone have every second place, as in naive, unless names open the
// bridge wholly: then the question's own words lead to its answer.
func (s *system) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	base, set, n := s.c.Base(), s.p.Chunks, candidates(q)
	dense := &query.VectorSearch{Graph: base, Space: method.ChunkSpace(set, m.QuestionSpace().Model), Text: q.Text, K: n}
	hits := &query.Rescale{In: &query.Union{Combine: query.ZSum, In: []query.Op{
		dense,
		&query.TextSearch{Graph: base, Field: method.TextField(set), Text: q.Text, K: n},
	}}, Source: "first hits, as naive's"}
	bridge := &query.Bridge{
		In: &query.Limit{In: hits, N: s.p.K}, Graph: base, Names: method.NamesField(set), Words: method.TextField(set), Text: q.Text,
		Floor: s.p.Delta, Anchor: s.p.Anchor, Gate: s.p.Gate, Source: "names that the question lacks",
	}
	var ranked query.Op = &query.Union{In: []query.Op{hits, bridge}, Combine: query.Sum, Weights: []float64{1, s.p.Lambda}}
	if s.p.PPR {
		walk := &query.PPR{
			In: &query.Limit{In: ranked, N: walkSeeds}, Graph: base, Names: method.NamesField(set), Words: method.TextField(set), Alpha: 0.5, Steps: 2,
		}
		ranked = &query.Union{In: []query.Op{walk, ranked}, Combine: query.First}
	}
	if !m.QuestionSpace().Recomputable {
		ranked = &query.Union{
			In: []query.Op{ranked, &query.Minus{In: dense, Of: &query.AtLeast{In: bridge, Least: 1}, Whole: true}}, Combine: query.Turns,
			Source: "if names do not open the bridge, a model of meaning has every second place",
		}
	}
	if s.p.Pin {
		first := &query.Limit{In: hits, N: 1}
		ranked = &query.Union{In: []query.Op{first, ranked}, Combine: query.First, Source: "the first hit stays first"}
	}
	pack := &query.Pack{In: ranked, Name: "text", Budget: q.Tokens(), Render: s.c.RenderChunk, Cut: s.c.CutText}
	return &method.Plan{Sections: []method.Section{{Name: "text", Pack: pack}}}, nil
}
