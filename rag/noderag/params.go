package noderag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
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
	// and phrase only if there are none. Names bounds the matches of an
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

// profiles are the paper's windows.
func profiles() method.Profiles {
	return method.Profiles{"paper": {"chunks": text.ChunkSet{Size: 1048, Rule: text.Window}.String(), "style": "paragraphs"}}
}

// parse reads parameters.
func parse(given map[string]string) (Params, *method.ParamReader) {
	const many = 1_000_000
	r := method.ReadParams(Name, given, profiles())
	p := Params{Chunks: r.ChunkSet()}
	p.Profile = knowledge.ReadProfile(r)
	p.Core = r.Int("core", 0, 0, many)
	p.Pivots = r.Int("pivots", 10, 0, many)
	p.Scale = r.Int("scale", 0, 0, many)
	p.Mentions = r.Int("mentions", 1, 0, many)
	p.Resolution = r.Float("resolution", 1, 0, 1000)
	p.Least = r.Int("least", 2, 1, many)
	p.PerElement = r.Int("per-element", 4, 1, many)
	p.Cluster = r.Int("cluster", 39, 0, many)
	p.M = r.Int("m", 50, 2, 256)
	p.EfConstruction = r.Int("efc", 200, 1, 10_000)
	if r.OneOf("vectors", vecindex.F32.String(), vecindex.F16.String()) == vecindex.F16.String() {
		p.Vectors = vecindex.F16
	}
	p.UnitRelations = r.Flag("sr", false)
	r.Indexed()
	p.Hits = r.Int("k", 10, 1, 1000)
	p.Dual = r.Flag("dual", true)
	p.Near = r.Flag("near", true)
	p.Cross = r.Flag("cross", true)
	p.NameWeight = r.Float("name-weight", 1, 0, 1000)
	p.VectorWeight = r.Float("vector-weight", 1, 0, 1000)
	p.Match = r.OneOf("match", "phrase", "equal")
	p.Names = r.Int("names", 0, 0, many)
	p.Steps = r.Int("steps", 2, 1, 20)
	p.Alpha = r.Float("alpha", 0.5, 0, 1)
	if p.Alpha == 0 {
		r.Fail("alpha", "a number over 0")
	}
	p.Restart = r.OneOf("ppr", "lazy", "restart") == "restart"
	p.Adjust = r.Flag("adjust", true)
	p.CrossNodes = r.Int("cnode", 10, 0, 10_000)
	p.Entities = r.Int("enode", 10, 0, 10_000)
	p.Relationships = r.Int("rnode", 30, 0, 10_000)
	p.Overviews = r.Int("onode", 10, 0, 10_000)
	p.Expand = r.Flag("expand", true)
	p.Fill = r.Flag("fill", false)
	p.Order = r.OneOf("order", "summary", "text")
	return p, r
}

// system is NodeRAG on a corpus.
type system struct {
	method.Identity
	p Params
	c *method.Corpus
	g *engine.Graph
	// whole says that the next communities are made from nothing.
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
		Changed:   knowledge.Changed(s.g, s.forget),
		Recluster: s.recluster,
		Plan:      s.plan,
		Cite:      graph.Citing{Else: maxCited}.Cite,
		Advice:    s.advice,
		Stats:     s.stats,
	}
}

// stages is [method.System.Build].
func (s *system) stages(m *method.Models) []method.Step {
	model := m.DocumentSpace()
	named := func(name string) graph.Stage { return graph.NewStage(name, s.g) }
	return method.Steps(
		s.extract(),
		&vectorStage{Stage: named("vectors"), s: s, model: model},
		&importanceStage{Stage: named("importance"), s: s},
		&attributeStage{Stage: named("attributes"), s: s},
		&communityStage{Stage: named("communities"), s: s},
		&elementStage{Stage: named("elements"), s: s},
		&summaryVectorStage{Stage: named("summary vectors"), s: s, model: model},
		&matchStage{Stage: named("match"), s: s, model: model},
		&nearStage{Stage: named("near"), s: s, model: model},
	)
}
