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
	// K is the number of first hits that bridges start from, and of their ends that
	// second ones start from. The default is 10.
	K int
	// Lambda is what the best bridge weighs against the best hit, at most 1. The default
	// is 1.
	Lambda float64
	// Delta is what a bridge weighs that leads to nothing more of the
	// question's words, against 1 for all of them. The default is 0.3.
	Delta float64
	// Own is what a chunk's own score adds to the bridges to it, so that of ends that
	// tie the one that is more like the question goes before. The default is 0.1.
	Own float64
	// Anchor is what a hit weighs that has none of the question's names. The
	// default is 0.3.
	Anchor float64
	// Title is how far the best hit about a name of the question is lifted: 1, the
	// default, to the score of the first hit.
	Title float64
	// Hop2 is what the best bridge from the end of a bridge weighs against the best
	// first one, at most 1; 0 takes none. The default is 0.5.
	Hop2 float64
	// Back is what the start of a bridge has of its end's score. The default is 0.5.
	Back float64
	// Gate is how fast names in the question open the bridge. It opens too as far as no
	// single hit has the question's words. 0 leaves it open. The default is 1.5.
	Gate float64
	// Terse is how much a question says, in words that one chunk alone has, to have
	// bridges without a name that a chunk is wholly about. The default is 3.
	Terse float64
	// Cover is what words of the question weigh that no hit before has, in the choice
	// of the first ten. The default is 0.5.
	Cover float64
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
		Lambda: r.Float("lambda", 1, 0, 1),
		Delta:  r.Float("delta", 0.3, 0, 1),
		Own:    r.Float("own", 0.1, 0, 1),
		Anchor: r.Float("anchor", 0.3, 0, 1),
		Title:  r.Float("title", 1, 0, 1),
		Hop2:   r.Float("hop2", 0.5, 0, 1),
		Back:   r.Float("back", 0.5, 0, 1),
		Gate:   r.Float("gate", 1.5, 0, 100),
		Terse:  r.Float("terse", 3, 0, 100),
		Cover:  r.Float("cover", 0.5, 0, 10),
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
// bridge: then the question's own words lead to its answer.
func (s *system) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	base, set, n := s.c.Base(), s.p.Chunks, candidates(q)
	dense := &query.VectorSearch{Graph: base, Space: method.ChunkSpace(set, m.QuestionSpace().Model), Text: q.Text, K: n}
	hits := &query.Rescale{In: &query.Union{Combine: query.ZSum, Weights: m.VectorWeights(), In: []query.Op{
		dense,
		s.c.TextSearch(set, q.Text, n),
	}}, Source: "first hits, as naive's"}
	bridge := &query.Bridge{
		In: hits, Graph: base, Names: method.NamesField(set), Words: method.TextField(set), Text: q.Text,
		Starts: s.p.K, Lambda: s.p.Lambda, Floor: s.p.Delta, Own: s.p.Own, Anchor: s.p.Anchor, Title: s.p.Title, Hop2: s.p.Hop2, Back: s.p.Back,
		Gate: s.p.Gate, Terse: s.p.Terse, Cover: s.p.Cover, Source: "names that the question lacks",
	}
	if !m.QuestionSpace().Recomputable {
		bridge.Beside = dense
	}
	var ranked query.Op = bridge
	if s.p.PPR {
		walk := &query.PPR{
			In: &query.Limit{In: bridge, N: walkSeeds}, Graph: base, Names: method.NamesField(set), Words: method.TextField(set), Alpha: 0.5, Steps: 2,
		}
		in := []query.Op{&query.Limit{In: hits, N: 1}, walk, bridge}
		ranked = &query.Union{In: in, Combine: query.First, Source: "the walk orders, behind the first hit"}
	}
	pack := &query.Pack{In: ranked, Name: "text", Budget: q.Tokens(), Render: s.c.RenderChunk, Cut: s.c.CutText}
	return &method.Plan{Sections: []method.Section{{Name: "text", Pack: pack}}}, nil
}
