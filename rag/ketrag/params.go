package ketrag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// Name is the method's name.
const Name = "ketrag"

// Params are the method's parameters.
type Params struct {
	// Chunks is the chunk set.
	Chunks text.ChunkSet
	// K is the number of near chunks of each chunk: half by shared words, half
	// by vector. The default is 2.
	K int
	// Similarity is that of keywords and questions: product (the default), the inner product
	// with the mean of a keyword's sentences, as in the code, so that a word of many unlike
	// sentences is a weak one; or cosine, as in the paper.
	Similarity string
	// DF is the part of the chunks that a word may be in to count for near chunks by words;
	// one of 50 chunks or fewer always counts. The default is 0.05; at 1 all count, as in
	// the code.
	DF float64
	// Beta is the part of the chunks that make the core. The default is 0.8.
	Beta float64
	// Core chooses the core: pagerank (the default) or uniform, at random with
	// a fixed seed.
	Core string
	// Profile says how chunks are read, and Read what is: texts (the default), whole
	// texts that hold core chunks, which other methods read too; or core, the core
	// chunks alone, which costs the least if no other method reads the corpus.
	knowledge.Profile
	Read string
	// Describe says when a model makes one description of the several that an entity or
	// relation has: over (the default), if they have over 500 tokens together; always, as
	// in the paper; or never.
	Describe knowledge.When
	// Slack is how many chunks, as a part of all, may come and go before all are weighed
	// again: till then a chunk stays in the core or out of it, and only new ones are
	// placed, by an estimate. It is also how far a chunk must then be beyond the core's cut to enter or
	// leave. The default is 0.1; 0 makes the core that of the chunks alone, whatever came
	// before.
	Slack float64
	// Compat takes the side of the reference code where it differs from the
	// paper or the defaults: keywords with their case, int(beta n), near
	// chunks that may be the same in both channels, 20 seeds, sources that
	// may appear several times, describe=always, rank=vector and order=paper.
	Compat bool

	// Theta is the part of the budget that is the entity channel's. The
	// default is 0.4; 0 is Keyword-RAG and 1 Skeleton-RAG.
	Theta float64
	// Seeds is the number of entities, or with the channel near of chunks, that
	// retrieval starts from. The default is 10.
	Seeds int
	// Probe is the number of keywords looked at. The default is 1000.
	Probe int
	// Rank ranks the chunks of the keywords: hybrid (the default), all of them by cosine and
	// BM25; or vector, keyword by keyword up to twice the budget, by cosine, as the paper
	// and the code do.
	Rank string
	// Order is that of the context: fused (the default), chunks by reciprocal-rank fusion
	// of text part and sources, then the tables; or paper, the graph part before the text.
	Order string
	// Channel is the channel beside the entities': keyword (the default);
	// text, the chunks nearest to the question; or near, the Seeds nearest
	// chunks and those that near edges join them to.
	Channel string
}

// Defaults returns the parameters by name with their defaults, as people write
// them.
func Defaults() map[string]string {
	_, r := parse(nil)
	return r.All
}

// profiles are the windows of the paper's two cost profiles, of which the core
// alone is read: of 1,200 tokens re-cut into pieces of 150 (low, also called
// paper), and of 150 (high).
func profiles() method.Profiles {
	set := func(s text.ChunkSet) map[string]string {
		return map[string]string{"chunks": s.String(), "read": "core", "describe": "always", "rank": "vector", "order": "paper"}
	}
	low := set(text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window, Sub: 150})
	return method.Profiles{"low": low, "paper": low, "high": set(text.ChunkSet{Size: 150, Overlap: 100, Rule: text.Window})}
}

// parse reads parameters.
func parse(given map[string]string) (Params, *method.ParamReader) {
	r := method.ReadParams(Name, given, profiles())
	p := Params{Chunks: r.ChunkSet()}
	p.K = r.Int("k", 2, 0, 64)
	p.Similarity = r.OneOf("similarity", "product", "cosine")
	p.DF = r.Float("df", 0.05, 0, 1)
	p.Beta = r.Float("beta", 0.8, 0, 1)
	p.Core = r.OneOf("core", "pagerank", "uniform")
	p.Profile = knowledge.ReadProfile(r)
	p.Read = r.OneOf("read", "texts", "core")
	p.Slack = r.Float("slack", 0.1, 0, 1)
	p.Compat = r.OneOf("compat", "false", "true") == "true"
	when := []string{string(knowledge.Over), string(knowledge.Always), string(knowledge.Never)}
	if p.Compat {
		when[0], when[1] = when[1], when[0]
	}
	p.Describe = knowledge.When(r.OneOf("describe", when[0], when[1:]...))
	r.Indexed()
	p.Theta = r.Float("theta", 0.4, 0, 1)
	seeds := 10
	if p.Compat {
		seeds = 20
	}
	p.Seeds = r.Int("seeds", seeds, 1, 1000)
	p.Probe = r.Int("probe", 1000, 1, 100_000)
	rank, order := [2]string{"hybrid", "vector"}, [2]string{"fused", "paper"}
	if p.Compat {
		rank, order = [2]string{"vector", "hybrid"}, [2]string{"paper", "fused"}
	}
	p.Rank = r.OneOf("rank", rank[0], rank[1])
	p.Order = r.OneOf("order", order[0], order[1])
	p.Channel = r.OneOf("channel", "keyword", "text", "near")
	return p, r
}

// system is KET-RAG on a corpus.
type system struct {
	method.Identity
	p Params
	c *method.Corpus
	g *engine.Graph
	// exact is [exactChunks].
	exact int
}

// Open makes the method on a corpus; its graph is made if it is new.
func Open(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	p, r := parse(params)
	id, err := method.NewIdentity(ctx, c, r, Name)
	if err != nil {
		return nil, err
	}
	return (&system{Identity: id, p: p, c: c, g: id.Graph(), exact: exactChunks}).system(), nil
}

// system returns the functions of the method.
func (s *system) system() *method.System {
	return &method.System{
		Identity: s.Identity,
		Build:    s.stages,
		Changed:  s.changed,
		Reread:   s.reread,
		Plan:     s.plan,
		Cite:     graph.Citing{}.Cite,
	}
}
