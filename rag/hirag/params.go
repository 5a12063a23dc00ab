package hirag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// Name is the method's name.
const Name = "hirag"

// Params are the method's parameters.
type Params struct {
	// Chunks is the chunk set.
	Chunks text.ChunkSet
	// Profile says how the chunks are read.
	knowledge.Profile
	// HiIndex builds the hierarchy; without it there are entities and
	// communities alone. The default is on.
	HiIndex bool
	// Cluster says how a layer is clustered: split (the default) divides its
	// vectors, in their own space, until no cluster has more than Members; mixture
	// is the reference's, a mixture of Gaussians of few dimensions.
	Cluster string
	// Members is how many members a cluster of a split has at most. The default
	// is 50.
	Members int
	// Lag is the part of what a summary or report was made of that may change
	// before it is made again. The default is 0.25.
	Lag float64
	// Dim is the dimension that vectors are reduced to before a mixture is
	// fitted to them. The default is 10.
	Dim int
	// Fit says how mixtures are fitted: warm (the default), each number of
	// components from the one before, or cold, five times from k-means.
	Fit string
	// Depth bounds the layers above the entities. The default is 8.
	Depth int
	// Size is how many nodes a community must have to be divided. The default
	// is 10.
	Size int

	// Mode says what a context is made of: hi (the default), nobridge, local,
	// global or bridge.
	Mode string
	// N is the number of entities that retrieval starts from. The default is
	// 20.
	N int
	// M is the number of key entities of a community. The default is 10.
	M int
	// Keys says of which members of a community the key entities are chosen:
	// pool (the default), those among the 10 N nearest to the question, or all.
	Keys string
	// Level is the deepest level of communities that is used. The default is 2.
	Level int
	// Order is the order of a context's parts: sources (the default) has the
	// source texts first, paper last.
	Order string
	// Sources says how the source texts are ranked: votes of the entities that are
	// near to the question, or entities, those of the nearest first, as in the
	// reference. The default, both, takes the hits of plain search and the votes in
	// turns.
	Sources string
	// Bridge says how the relations of the bridge are ordered: path (the default),
	// those on the path first and each by likeness to the question, or degree, by
	// the degrees of their ends, as in the reference.
	Bridge string
	// Legs is the number of paths from key entity to key entity. The default is
	// 20.
	Legs int
	// Fill goes on with the texts of the entities after the first N if there
	// are tokens left. The default is on.
	Fill bool
}

// profiles are the paper's windows, each read twice, its clusters, what it makes of
// a question, and its answers of several paragraphs.
func profiles() method.Profiles {
	return method.Profiles{"paper": {
		"chunks": text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window}.String(), knowledge.ParamGlean: "1",
		"cluster": "mixture", "dim": "2", "lag": "0",
		"order": "paper", "sources": "entities", "bridge": "degree", "legs": "10000", "fill": "off",
		"style": "paragraphs",
	}}
}

// parse reads parameters.
func parse(given map[string]string) (Params, *method.ParamReader) {
	r := method.ReadParams(Name, given, profiles())
	p := Params{Chunks: r.ChunkSet()}
	p.Profile = knowledge.ReadProfile(r)
	p.HiIndex = r.Flag("hiindex", true)
	p.Cluster = r.OneOf("cluster", "split", "mixture")
	p.Members = r.Int("members", 50, 4, 1000)
	p.Lag = r.Float("lag", 0.25, 0, 1)
	p.Dim = r.Int("dim", 10, 1, 64)
	p.Fit = r.OneOf("fit", "warm", "cold")
	p.Depth = r.Int("depth", 8, 0, maxDepth)
	p.Size = r.Int("size", 10, 2, 100_000)
	r.Indexed()
	p.Mode = r.OneOf("mode", "hi", "nobridge", "local", "global", "bridge")
	p.N = r.Int("n", 20, 1, 1000)
	p.M = r.Int("m", 10, 1, 1000)
	p.Keys = r.OneOf("keys", "pool", "all")
	p.Level = r.Int("level", 2, 0, 50)
	p.Order = r.OneOf("order", "sources", "paper")
	p.Sources = r.OneOf("sources", "both", "votes", "entities")
	p.Bridge = r.OneOf("bridge", "path", "degree")
	p.Legs = r.Int("legs", 20, 0, 10_000)
	p.Fill = r.Flag("fill", true)
	return p, r
}

// maxDepth is the paper's code's bound of layers.
const maxDepth = 50

// system is HiRAG on a corpus.
type system struct {
	method.Identity
	p Params
	c *method.Corpus
	g *engine.Graph
	// whole says that the stages cluster all again.
	whole bool
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
		Changed:   knowledge.Changed(s.g, forget),
		Recluster: s.recluster,
		Plan:      s.plan,
		Cite:      citing().Cite,
		Advice:    s.advice,
		Stats:     s.stats,
	}
}
