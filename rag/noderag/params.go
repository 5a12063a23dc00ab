package noderag

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// Name is the method's name.
const Name = "noderag"

// Params are the method's parameters. The first group are those that the index
// depends on; the others may differ from one question to the next.
type Params struct {
	// Chunks is the chunk set, T, and Profile says how it is read.
	Chunks text.ChunkSet
	knowledge.Profile
	// Core is the k of the k-core that makes an entity important; 0, the
	// default, is round(ln |V| sqrt(mean degree)).
	Core int
	// Pivots is the number of nodes that betweenness is computed from. The
	// default is 10; 0 is all.
	Pivots int
	// Scale is how many times the mean an important entity's betweenness
	// exceeds; 0, the default, is round(log10 |V|).
	Scale int
	// Mentions is the weight that an important entity exceeds. The default is
	// 1.
	Mentions int
	// Resolution of the modularity. The default is 1.
	Resolution float64
	// Least is the number of units and attributes from which on a community
	// has elements. The default is 2.
	Least int
	// PerElement is the number of a community's units and attributes for each
	// of its elements, of which there is at least one. The default is 4.
	PerElement int
	// Cluster is the mean size of the clusters of vectors above which elements
	// are matched by cluster, else by community alone. The default is 39.
	Cluster int
	// M and EfConstruction are those of the vectors' graph; 50 and 200.
	M, EfConstruction int
	// Vectors is how the vectors are stored: f32, the default, or f16, which
	// takes half of the room.
	Vectors vecindex.Element
	// UnitRelations joins units and relationships too.
	UnitRelations bool

	// Hits is the number of nodes found by vector. The default is 10.
	Hits int
	// Dual adds the entities and overviews that the question names; Near
	// follows the near edges; Cross adds what the walk finds.
	Dual, Near, Cross bool
	// NameWeight and VectorWeight are what a named node and a near one count
	// among the seeds; 1 and 1.
	NameWeight, VectorWeight float64
	// Match says how names are matched: phrase (the default), any name that
	// holds an element of the question; or equal, those that are equal to it,
	// and phrase only where there are none. Names bounds the matches of an
	// element, 0 does not.
	Match string
	Names int
	// Steps, Alpha and Restart are those of the walk: 2, 0.5, and off, which is
	// the lazy walk of the code.
	Steps   int
	Alpha   float64
	Restart bool
	// Adjust takes 1/max(degree of its ends) for an edge's weight, which is
	// the default, in place of the stored one.
	Adjust bool
	// Cross nodes, entities, relationships and overviews that the walk may
	// add: 10, 10, 30, 10.
	CrossNodes, Entities, Relationships, Overviews int
	// Expand adds the attributes of the entities, and the elements of the
	// overviews.
	Expand bool
	// Fill gives what the budget leaves to more texts, by their scores after
	// the walk. The default is off: the paper's quotas are all.
	Fill bool
	// Order is the order of the sections of the context: summary (the default)
	// is elements, attributes, units, relationships, texts; text begins with
	// texts and units.
	Order string
}

// defaults are the parameters by name, as people write them.
func defaults() map[string]string {
	return map[string]string{
		knowledge.ParamTokens: knowledge.DefaultTokens, knowledge.ParamGlean: knowledge.DefaultGlean,
		"core": "0", "pivots": "10", "scale": "0", "mentions": "1",
		"resolution": "1", "least": "2", "per-element": "4", "cluster": "39", "m": "50", "efc": "200", "vectors": "f32", "sr": "off",
		"k": "10", "dual": "on", "near": "on", "cross": "on", "name-weight": "1", "vector-weight": "1",
		"match": "phrase", "names": "0", "steps": "2", "alpha": "0.5", "ppr": "lazy", "adjust": "on",
		"cnode": "10", "enode": "10", "rnode": "30", "onode": "10", "expand": "on", "fill": "off", "order": "summary",
	}
}

// indexed are the parameters that the index depends on.
func indexed() []string {
	return []string{
		knowledge.ParamTokens, knowledge.ParamGlean,
		"core", "pivots", "scale", "mentions", "resolution", "least", "per-element", "cluster", "m", "efc", "vectors", "sr",
	}
}

// profile returns what a profile sets: paper are windows of 1,048 tokens
// without overlap.
func profile(name string) (map[string]string, error) {
	switch name {
	case "paper":
		return map[string]string{"chunks": text.ChunkSet{Size: 1048, Rule: text.Window}.String()}, nil
	case "default":
		return nil, nil
	}
	return nil, fmt.Errorf("profile %q: there are default and paper", name)
}

// parse reads parameters.
func parse(given map[string]string) (Params, *method.ParamReader) {
	r := method.ReadParams(Name, given, defaults(), profile)
	p := Params{Chunks: r.ChunkSet()}
	p.Profile = knowledge.ReadProfile(r)
	p.Core = r.Int("core", 0, 1_000_000)
	p.Pivots = r.Int("pivots", 0, 1_000_000)
	p.Scale = r.Int("scale", 0, 1_000_000)
	p.Mentions = r.Int("mentions", 0, 1_000_000)
	p.Resolution = r.Float("resolution", 0, 1000)
	p.Least = r.Int("least", 1, 1_000_000)
	p.PerElement = r.Int("per-element", 1, 1_000_000)
	p.Cluster = r.Int("cluster", 0, 1_000_000)
	p.M = r.Int("m", 2, 256)
	p.EfConstruction = r.Int("efc", 1, 10_000)
	if r.OneOf("vectors", vecindex.F32.String(), vecindex.F16.String()) == vecindex.F16.String() {
		p.Vectors = vecindex.F16
	}
	p.UnitRelations = r.Flag("sr")
	p.Hits = r.Int("k", 1, 1000)
	p.Dual = r.Flag("dual")
	p.Near = r.Flag("near")
	p.Cross = r.Flag("cross")
	p.NameWeight = r.Float("name-weight", 0, 1000)
	p.VectorWeight = r.Float("vector-weight", 0, 1000)
	p.Match = r.OneOf("match", "phrase", "equal")
	p.Names = r.Int("names", 0, 1_000_000)
	p.Steps = r.Int("steps", 1, 20)
	p.Alpha = r.Float("alpha", 0, 1)
	if p.Alpha == 0 {
		r.Fail("alpha", "a number over 0")
	}
	p.Restart = r.OneOf("ppr", "lazy", "restart") == "restart"
	p.Adjust = r.Flag("adjust")
	p.CrossNodes = r.Int("cnode", 0, 10_000)
	p.Entities = r.Int("enode", 0, 10_000)
	p.Relationships = r.Int("rnode", 0, 10_000)
	p.Overviews = r.Int("onode", 0, 10_000)
	p.Expand = r.Flag("expand")
	p.Fill = r.Flag("fill")
	p.Order = r.OneOf("order", "text", "summary")
	return p, r
}

// system is NodeRAG on a corpus.
type system struct {
	method.Identity
	p Params
	c *method.Corpus
	g *engine.Graph
	// anew says that the next communities are made from nothing.
	anew bool
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
	id, err := method.NewIdentity(ctx, c, r, r.Instance(Name, indexed()...))
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
		Cite:      s.cite,
		Advice:    s.advice,
		Stats:     s.stats,
	}
}

// stages is [method.System.Build].
func (s *system) stages(m *method.Models) []method.Step {
	model := m.DocumentSpace()
	return method.Steps(
		s.extract(),
		&vectorStage{s: s, model: model},
		&importanceStage{s: s},
		&attributeStage{s: s},
		&communityStage{s: s},
		&elementStage{s: s},
		&summaryVectorStage{s: s, model: model},
		&matchStage{s: s, model: model},
		&nearStage{s: s, model: model},
	)
}
