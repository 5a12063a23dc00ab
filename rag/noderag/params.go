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
	// Own has a model take each chunk apart by the method's own task, in place of what
	// all methods read.
	Own bool
	// Attribute is how many tokens an attribute may have: the default, 0, leaves it to
	// the prompt, which allows 800; 2,700 are some 2,000 words.
	Attribute int
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

	// Neighbours bounds the near edges of a node: two nodes are near if each is
	// among the other's Neighbours nearest, and the edge weighs by their cosine. The
	// default is 8; 0 takes all links of the vectors' graph, with weight 1.
	Neighbours int
	// NearWeight is what all near edges of a node weigh together at most, where an edge
	// of another type weighs 1. The default is 0.2.
	NearWeight float64

	// Hits is the number of nodes found by vector. The default is 10.
	Hits int
	// Related lets a model add terms that are surely close to those that the question
	// names.
	Related bool
	// Dual adds the entities and overviews that the question names; Near
	// follows the near edges; Cross adds what the walk finds.
	Dual, Near, Cross bool
	// NameWeight and VectorWeight are what a named node and a near one count
	// among the seeds; 1 and 1.
	NameWeight, VectorWeight float64
	// Match says how names are matched: equal (the default), those that are equal
	// to an element of the question, and phrase only if there are none; or phrase,
	// any name that holds it. Names bounds the matches of an element, those of the
	// fewest words first; the default is 5, and 0 does not bound them.
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
	// add: 10, 10, 30, 10. With Order text they are for each 1,000 tokens of the
	// budget.
	CrossNodes, Entities, Relationships, Overviews int
	// Each gives each of T, S, A and H a quota of CrossNodes, which is the default;
	// else they share one.
	Each bool
	// Expand adds the attributes of the entities, and the elements of the
	// overviews.
	Expand bool
	// Order is the order of the context, and of what fills it: text (the default)
	// or paper. See [system.plan].
	Order string
	// Texts is the part of the budget that texts have before all else with Order
	// text. The default is 0.7.
	Texts float64
	// WalkWeight is what the walk counts when texts are ranked with Order text, beside
	// their vectors and their words, which count 1 each. The default is 0.25.
	WalkWeight float64
	// Fill gives what the budget leaves with Order paper to more texts, by their
	// scores after the walk. The default is off: the paper's quotas are all.
	Fill bool
}

// profiles are the paper's windows, and what its code retrieves.
func profiles() method.Profiles {
	return method.Profiles{"paper": {
		"chunks": text.ChunkSet{Size: 1048, Rule: text.Window}.String(), "style": "paragraphs",
		"units": "own", "attribute": "2700", "related": "on", "neighbours": "0", "match": "phrase", "names": "0", "quotas": "shared", "order": "paper",
	}}
}

// parse reads parameters.
func parse(given map[string]string) (Params, *method.ParamReader) {
	const many = 1_000_000
	r := method.ReadParams(Name, given, profiles())
	p := Params{Chunks: r.ChunkSet()}
	p.Profile = knowledge.ReadProfile(r)
	p.Own = r.OneOf("units", "shared", "own") == "own"
	p.Attribute = r.Int("attribute", 0, 0, 100_000)
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
	p.Neighbours = r.Int("neighbours", 8, 0, 1000)
	p.NearWeight = r.Float("near-weight", 0.2, 0.001, 1)
	r.Indexed()
	p.Hits = r.Int("k", 10, 1, 1000)
	p.Dual = r.Flag("dual", true)
	p.Related = r.Flag("related", false)
	p.Near = r.Flag("near", true)
	p.Cross = r.Flag("cross", true)
	p.NameWeight = r.Float("name-weight", 1, 0, 1000)
	p.VectorWeight = r.Float("vector-weight", 1, 0, 1000)
	p.Match = r.OneOf("match", "equal", "phrase")
	p.Names = r.Int("names", 5, 0, many)
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
	p.Each = r.OneOf("quotas", "each", "shared") == "each"
	p.Order = r.OneOf("order", "text", "paper")
	p.Texts = r.Float("texts", 0.7, 0, 1)
	p.WalkWeight = r.Float("walk", 0.25, 0, 1000)
	p.Fill = r.Flag("fill", false)
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
	extract := s.extract()
	vectors := &vectorStage{Stage: named("vectors"), s: s, model: model}
	summaries := &summaryVectorStage{Stage: named("summary vectors"), s: s, model: model}
	whole := func(name string) graph.Stage { return graph.NewWholeStage(name, s.g) }
	importance, communities := &importanceStage{Stage: whole("importance"), s: s}, &communityStage{Stage: whole("communities"), s: s}
	elements, match := &elementStage{Stage: whole("elements"), s: s}, &matchStage{Stage: whole("match"), s: s, model: model}
	near := &nearStage{Stage: whole("near"), s: s, model: model}
	steps := method.Steps(
		extract,
		vectors,
		importance,
		&attributeStage{Stage: named("attributes"), s: s},
		communities,
		elements,
		summaries,
		match,
		near,
	)
	for i := range steps {
		switch steps[i].Stage {
		case extract:
			steps[i].Growth = extract.Growth()
		case vectors:
			steps[i].Local = vectors.local()
		case summaries:
			steps[i].Local = summaries.local()
		case importance:
			steps[i].Whole = importance.Whole()
		case communities:
			steps[i].Whole = communities.Whole()
		case elements:
			steps[i].Whole = elements.Whole()
		case match:
			steps[i].Whole = match.Whole()
		case near:
			steps[i].Whole = near.Whole()
		}
	}
	return steps
}
