package erarag

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// Name is the method's name.
const Name = "erarag"

// Params are the method's parameters.
type Params struct {
	// Chunks is the chunk set.
	Chunks text.ChunkSet
	// Planes is the number of hyperplanes, a bit of the codes each. The default
	// is 20.
	Planes int
	// Seed decides the hyperplanes. The default is 1.
	Seed uint64
	// Center hashes vectors less the mean of those that the corpus had when the
	// planes were drawn.
	Center bool
	// Gray orders codes by their place in the Gray code.
	Gray bool
	// Min, Max and Split are the sizes of segments: the least of one that is
	// not alone, the greatest that packing makes, and that at which a segment
	// is split, at least twice Min. The defaults are 8, 12 and 16.
	Min, Max, Split int
	// Bucket is the least size of a bucket: the nodes of a layer whose codes begin
	// alike, of which those that are in no segment wait until there are Min of
	// them. It is at least Min; the default is 128. 0, with profile=paper too, puts a node
	// into the segment of its predecessor at once.
	Bucket int
	// Lag is the part of what a summary was made of that may leave before a model
	// makes it again. Until then one by rules, of what is left, has its place. The
	// default is 0.25. Without buckets it is 0.
	Lag float64
	// Tokens is the length asked of a summary. The default is 100.
	Tokens int
	// Layers bounds the layers of summaries. The default is 5.
	Layers int
	// Stop is the number of nodes of a layer up to which there is none above.
	// The default is 11.
	Stop int

	// K is the number of nodes that a search takes. The default is 100, with
	// profile=paper 5.
	K int
	// Search is collapsed (the default): the first K of all layers; detailed: a
	// part P of K from the chunks, before the rest from the summaries;
	// summarised: a part P from the summaries, before the rest from the chunks;
	// or layers: the first K of each layer.
	Search string
	// P is the part for detailed and summarised searches. The default is 0.75.
	P float64
	// Rank is what nodes are ranked by: hybrid (the default), their vectors and
	// their words together, where the vectors of a model have every second place;
	// or vector, as in the paper and with profile=paper.
	Rank string
}

// profiles are the paper's windows, segments and search.
func profiles() method.Profiles {
	window := text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window}
	return method.Profiles{"paper": {"chunks": window.String(), "bucket": "0", "k": "5", "rank": "vector"}}
}

// parse reads parameters.
func parse(given map[string]string) (Params, *method.ParamReader) {
	r := method.ReadParams(Name, given, profiles())
	p := Params{Chunks: r.ChunkSet()}
	p.Planes = r.Int("planes", 20, 1, 64)
	p.Seed = uint64(r.Int("seed", 1, 0, 1<<31-1))
	p.Center = r.OneOf("center", "false", "true") == "true"
	p.Gray = r.OneOf("gray", "false", "true") == "true"
	p.Min = r.Int("min", 8, 1, 1000)
	p.Max = r.Int("max", 12, p.Min, 1000)
	p.Split = r.Int("split", 16, max(p.Max+1, 2*p.Min), 2001)
	p.Bucket = r.Int("bucket", 128, 0, 1<<20)
	if p.Bucket > 0 {
		p.Lag = r.Float("lag", 0.25, 0, 1)
	} else {
		p.Lag = r.Float("lag", 0, 0, 0)
	}
	p.Tokens = r.Int("tokens", 100, 10, 2000)
	p.Layers = r.Int("layers", 5, 0, 20)
	p.Stop = r.Int("stop", 11, 1, 10_000)
	r.Indexed()
	p.K = r.Int("k", 100, 1, 10_000)
	p.Search = r.OneOf("search", "collapsed", "detailed", "summarised", "layers")
	p.P = r.Float("p", 0.75, 0, 1)
	p.Rank = r.OneOf("rank", "hybrid", "vector")
	return p, r
}

// sizes returns the sizes of segments.
func (p *Params) sizes() runs.Options {
	return runs.Options{MinSize: p.Min, MaxSize: p.Max, SplitSize: p.Split, Gray: p.Gray}
}

// system is EraRAG on a corpus.
type system struct {
	method.Identity
	p Params
	c *method.Corpus
	g *engine.Graph
	// again says that a model makes the summaries again that rules have made.
	again bool
}

// Open makes the method on a corpus; its graph is made if it is new.
func Open(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	s, err := open(ctx, c, params)
	if err != nil {
		return nil, err
	}
	return s.system(), nil
}

func open(ctx context.Context, c *method.Corpus, params map[string]string) (*system, error) {
	p, r := parse(params)
	id, err := method.NewIdentity(ctx, c, r, Name)
	if err != nil {
		return nil, err
	}
	return &system{Identity: id, p: p, c: c, g: id.Graph()}, nil
}

// system returns the functions of the method.
func (s *system) system() *method.System {
	return &method.System{
		Identity:  s.Identity,
		Build:     s.stages,
		Changed:   s.changed,
		Recluster: s.recluster,
		Plan:      s.plan,
		Cite:      citing().Cite,
		Stats:     s.stats,
	}
}

// stages is [method.System.Build]: planes and leaves, then for each layer its
// segments and their summaries.
func (s *system) stages(m *method.Models) []method.Step {
	model := m.DocumentSpace()
	tree := treeName(model)
	planes := &planes{s: s, tree: tree}
	named := func(name string) graph.Stage { return graph.NewStage(name, s.g) }
	out := []method.Stage{&planeStage{named("planes"), s, model}, &leafStage{Stage: named("leaves"), s: s, model: model, planes: planes},
		&vectorStage{named("vectors"), s, model}, &embeddedStage{named("embedded"), s, model}}
	for layer := range uint8(s.p.Layers) {
		out = append(out,
			&segmentStage{named(fmt.Sprintf("segments %d", layer+1)), s, tree, layer + 1},
			&summaryStage{named(fmt.Sprintf("summaries %d", layer+1)), s, model, layer + 1, planes})
	}
	return s.steps(tree, append(out, &sweepStage{named("sweep"), s, tree}))
}
