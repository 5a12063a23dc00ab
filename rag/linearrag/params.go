package linearrag

import (
	"context"
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// settings are the method's parameters. The defaults of the paper's code are in brackets
// where they differ: those of its command, else of its configuration.
type settings struct {
	// Rounds is how often active entities activate others. The default is 2: what the
	// code calls 3 iterations.
	Rounds int
	// Threshold is the least activation that counts, delta. The default is 0.4.
	Threshold float64
	// Sentences is how many sentences an active entity chooses in a round. The default
	// is 1 (3).
	Sentences int
	// Hub is the number of sentences beyond which an entity chooses none. The default is
	// 1,000 (no bound).
	Hub int
	// Lambda is what likeness to the question weighs in the seed of a chunk. The default
	// is 2.
	Lambda float64
	// Passages is what chunks weigh among the seeds, W_p. The default is 0.05.
	Passages float64
	// Damping is the probability that the walk goes on. The default is 0.5.
	Damping float64
	// Rank is how chunks are like the question: hybrid (the default), by words and
	// vectors as naive has it, or vector.
	Rank string
}

// profiles are the settings of the paper's code for 2WikiMultiHopQA and HotpotQA.
func profiles() method.Profiles {
	return method.Profiles{"paper": {
		"chunks": text.ChunkSet{Size: 1000, Overlap: 100, Rule: text.Window}.String(),
		"rounds": "2", "threshold": "0.4", "sentences": "1", "hub": strconv.Itoa(maxHub),
		"lambda": "0.05", "passages": "0.05", "damping": "0.5", "rank": "vector",
	}}
}

// maxHub is the greatest bound of an entity's sentences.
const maxHub = 1_000_000_000

// parse reads parameters.
func parse(given map[string]string) (settings, *method.ParamReader) {
	r := method.ReadParams(Name, given, profiles())
	r.Indexed() // the chunk set is all that the index depends on
	var p settings
	p.Rounds = r.Int("rounds", 2, 0, 10)
	p.Threshold = r.Float("threshold", 0.4, 0, 1)
	p.Sentences = r.Int("sentences", 1, 1, 1000)
	p.Hub = r.Int("hub", 1000, 1, maxHub)
	p.Lambda = r.Float("lambda", 2, 0, 100)
	p.Passages = r.Float("passages", 0.05, 0, 1)
	p.Damping = r.Float("damping", 0.5, 0, 0.99)
	p.Rank = r.OneOf("rank", "hybrid", "vector")
	return p, r
}

// system is the method on a corpus.
type system struct {
	method.Identity
	p settings
	c *method.Corpus
	g *engine.Graph
}

// Open makes the method on a corpus; its graph is made if it is new.
func Open(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	p, r := parse(params)
	id, err := method.NewIdentity(ctx, c, r, Name)
	if err != nil {
		return nil, err
	}
	s := &system{Identity: id, p: p, c: c, g: id.Graph()}
	return &method.System{
		Identity: id,
		Build:    s.stages,
		Changed:  knowledge.Changed(s.g, graph.ForgetLast),
		Plan:     s.plan,
		Cite:     graph.Citing{}.Cite,
	}, nil
}

// stages is [method.System.Build].
func (s *system) stages(m *method.Models) []method.Step {
	model := m.DocumentSpace()
	names := &nameStage{Stage: graph.NewStage("names", s.g), s: s}
	sentences := &sentenceStage{Stage: graph.NewStage("embed sentences", s.g), s: s, model: model}
	return []method.Step{names.step(), sentences.step(), s.embedNames(model).Step()}
}
