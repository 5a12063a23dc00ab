package erarag

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/text"
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
	// their words together; or vector, as in the paper and with profile=paper.
	Rank string
}

// defaults are the parameters by name, as people write them.
func defaults() map[string]string {
	return map[string]string{
		"chunks": text.ChunkSet{}.String(), "planes": "20", "seed": "1", "center": "false", "gray": "false",
		"min": "8", "max": "12", "split": "16", "tokens": "100", "layers": "5", "stop": "11",
		"k": "100", "search": "collapsed", "p": "0.75", "rank": "hybrid",
	}
}

// indexed are the parameters that the index depends on; the others may differ
// from one question to the next.
func indexed() []string {
	return []string{"chunks", "planes", "seed", "center", "gray", "min", "max", "split", "tokens", "layers", "stop"}
}

// parse reads parameters and returns them with their canonical spellings.
func parse(given map[string]string) (Params, map[string]string, error) {
	p, all := Params{}, defaults()
	switch profile, ok := given["profile"]; {
	case profile == "paper":
		all["chunks"], all["k"], all["rank"] = text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window}.String(), "5", "vector"
	case ok && profile != "default":
		return p, nil, fmt.Errorf("profile=%s: one of default, paper", profile)
	}
	for k, v := range given {
		if k == "profile" {
			continue
		}
		if _, ok := all[k]; !ok {
			return p, nil, fmt.Errorf("no parameter %q; there are profile, %s", k, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
		}
		all[k] = v
	}
	r := rag.NewParamReader(all)
	var err error
	if p.Chunks, err = text.ParseChunkSet(all["chunks"]); err != nil {
		r.Fail("chunks", err.Error())
	}
	p.Planes = r.Int("planes", 1, 64)
	p.Seed = uint64(r.Int("seed", 0, 1<<31-1))
	p.Center = r.OneOf("center", "false", "true") == "true"
	p.Gray = r.OneOf("gray", "false", "true") == "true"
	p.Min = r.Int("min", 1, 1000)
	p.Max = r.Int("max", p.Min, 1000)
	p.Split = r.Int("split", max(p.Max+1, 2*p.Min), 2001)
	p.Tokens = r.Int("tokens", 10, 2000)
	p.Layers = r.Int("layers", 0, 20)
	p.Stop = r.Int("stop", 1, 10_000)
	p.K = r.Int("k", 1, 10_000)
	p.Search = r.OneOf("search", "collapsed", "detailed", "summarised", "layers")
	p.P = r.Float("p", 0, 1)
	p.Rank = r.OneOf("rank", "hybrid", "vector")
	return p, all, r.Err()
}

// sizes returns the sizes of segments.
func (p *Params) sizes() graphops.SegmentOptions {
	return graphops.SegmentOptions{MinSize: p.Min, MaxSize: p.Max, SplitSize: p.Split, Gray: p.Gray}
}

// System is EraRAG on a corpus.
type System struct {
	p     Params
	c     *rag.Corpus
	g     *engine.Graph
	all   map[string]string
	graph string
}

var _ rag.System = (*System)(nil)

// Open makes the method on a corpus; its graph is made where it is new.
func Open(ctx context.Context, c *rag.Corpus, params map[string]string) (rag.System, error) {
	p, all, err := parse(params)
	if err != nil {
		return nil, fmt.Errorf("rag: erarag: %w: %w", rag.ErrMethod, err)
	}
	s := &System{p: p, c: c, all: all}
	part := map[string]string{}
	for _, k := range indexed() {
		part[k] = all[k]
	}
	s.graph = rag.Instance(Name, part, defaults())
	if s.g, err = c.Graph(ctx, s.graph); err != nil {
		return nil, fmt.Errorf("rag: erarag: %w", err)
	}
	return s, nil
}

// Name implements [rag.System].
func (s *System) Name() string { return Name }

// Instance implements [rag.System].
func (s *System) Instance() string { return s.graph }

// Params implements [rag.System].
func (s *System) Params() map[string]string { return maps.Clone(s.all) }

// ChunkSet implements [rag.System].
func (s *System) ChunkSet() text.ChunkSet { return s.p.Chunks }

// Graph implements [rag.System].
func (s *System) Graph() *engine.Graph { return s.g }

// Stages implements [rag.System]: planes and leaves, then for each layer its
// segments and their summaries.
func (s *System) Stages(m *rag.Models) []rag.Stage {
	model := m.Documents.Space()
	planes := &planes{s: s, model: model.Model}
	out := []rag.Stage{&planeStage{s, model}, &leafStage{s: s, model: model, planes: planes}}
	for layer := range uint8(s.p.Layers) {
		out = append(out, &segmentStage{s, model.Model, layer + 1}, &summaryStage{s, model, layer + 1, planes})
	}
	return append(out, &sweepStage{s, model.Model})
}
