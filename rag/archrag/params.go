package archrag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// Name is the method's name.
const Name = "archrag"

// Params are the method's parameters. Those up to Seed shape the index, the
// others may differ from one question to the next.
type Params struct {
	// Chunks is the chunk set, and Profile says how the chunks are read.
	Chunks text.ChunkSet
	knowledge.Profile
	// Describe says when several descriptions of an entity or relation are made
	// one by a model: over (the default), if they exceed 500 tokens; always,
	// as in the paper; never.
	Describe knowledge.When
	// Augment says how a level's graph is enriched before it is clustered: knn
	// (the default), codicil, or off, which clusters the relations alone,
	// unweighted.
	Augment string
	// Percentile of the similarities of existing edges that a new one must
	// exceed; the default is 0.8. Scale multiplies the mean degree, which
	// bounds the edges a node adds; the default is 1. Search times that bound
	// is how many neighbours are looked at; the default is 1.5.
	Percentile, Scale, Search float64
	// Weight is what an edge weighs: cos, the cosine of its ends (the default),
	// or distance, 1 less that, as the paper's algorithm 1 has it.
	Weight string
	// Next is what joins the communities of a level, which are the nodes of the next:
	// relations of their entities (the default), as in the code; or augmented, the edges
	// of the graph that they were found in, the added ones too, as in algorithm 1.
	Next string
	// Cluster is the clustering: leiden (the default), spectral, scan or
	// node2vec.
	Cluster string
	// Cap is the number of members from which on a community is divided. The
	// default is 15.
	Cap int
	// Resolution and Theta are Leiden's; the defaults are 1 and 0. The
	// reference's theta is 0.001, with which results differ between processors.
	Resolution, Theta float64
	// Levels bounds the levels of communities; the default is 6. MinClusters
	// is how many communities a level must have to be made; the default is 10.
	Levels, MinClusters int
	// Index is the index of the vectors of all layers: c-hnsw (the default), or lists,
	// which is for hierarchies that memory does not hold. M is the number of links of a node
	// in the former. The default is 32.
	Index string
	M     int
	Seed  int

	// K is the number of hits on each layer, Ef the width of their search. The
	// defaults are 5 and 40.
	K, Ef int
	// KFinal bounds the hits if the answer is direct. The default is 15.
	KFinal int
	// MaxLayer is the highest layer that is searched; the default is Levels. 0
	// is the paper's ablation of entities alone, 1 what the published script
	// does.
	MaxLayer int
	// Descent is reuse (the default), which searches all layers in one descent,
	// or restart, which searches each from the top.
	Descent string
	// Relations is which relations of the hits are candidates: ranked (the
	// default), those between two hits before the others; within, those alone,
	// as in the paper; any, without preference, as in the code. RelationK is how
	// many of them are taken. The default is 10.
	Relations string
	RelationK int
	// Text is which chunks stand beside the hits: hybrid (the default), those
	// that the hits rest on and those found by words and vector, ranked together; hits, the former alone; none, as in the paper. TextShare is
	// their part of the budget. The default is 0.5.
	Text      string
	TextShare float64
	// CommunityShare is the part of the budget of the chunks that the communities
	// rest on; 0 leaves them out. CommunityCut is the part of the best community's
	// score that a community must have for its chunks to count. The defaults are 0.3
	// and 0.7.
	CommunityShare, CommunityCut float64
	// Answer is mapreduce (the default): a model picks points from the
	// evidence, part by part, and answers from the best of them; or direct. CoT
	// puts the model's own answer among the evidence, as the code does.
	Answer string
	CoT    bool
	// Map is how evidence is divided for that: parts (the default), communities apart
	// from the rest; or layer, the set of each layer on its own, as in the paper.
	Map string
	// FilterTokens is how much evidence a model reads at once to pick points,
	// and how many tokens of points the answer is made of. The default is 4000.
	FilterTokens int
}

// profiles are the paper's own reading, and what the published code does.
func profiles() method.Profiles {
	window := text.ChunkSet{Size: 600, Overlap: 100, Rule: text.Window}.String()
	return method.Profiles{
		"paper": {"chunks": window, knowledge.ParamTokens: "600", knowledge.ParamGlean: "1", "describe": "always", "relations": "within", "text": "none", "map": "layer", "next": "augmented"},
		"code": {
			"chunks": window, knowledge.ParamTokens: "600", knowledge.ParamGlean: "1", "max_layer": "1", "descent": "restart", "relations": "any", "text": "none", "cot": "true",
			"ef": "16",
		},
	}
}

// parse reads parameters.
func parse(given map[string]string) (Params, *method.ParamReader) {
	r := method.ReadParams(Name, given, profiles())
	p := Params{Chunks: r.ChunkSet()}
	p.Profile = knowledge.ReadProfile(r)
	p.Describe = knowledge.When(r.OneOf("describe", string(knowledge.Over), string(knowledge.Always), string(knowledge.Never)))
	p.Augment = r.OneOf("augment", "knn", "codicil", "off")
	p.Percentile = r.Float("percentile", 0.8, 1e-9, 1)
	p.Scale = r.Float("scale", 1, 1e-9, 100)
	p.Search = r.Float("search", 1.5, 0, 100)
	p.Weight = r.OneOf("weight", "cos", "distance")
	p.Next = r.OneOf("next", "relations", "augmented")
	p.Cluster = r.OneOf("cluster", "leiden", "spectral", "scan", "node2vec")
	p.Cap = r.Int("cap", 15, 2, 100_000)
	p.Resolution = r.Float("resolution", 1, 1e-9, 1000)
	p.Theta = r.Float("theta", 0, 0, 1)
	p.Levels = r.Int("levels", 6, 1, maxLevels)
	p.MinClusters = r.Int("min_clusters", 10, 1, 1_000_000)
	p.Index = r.OneOf("index", "c-hnsw", "lists")
	p.M = r.Int("m", 32, 2, 128)
	p.Seed = r.Int("seed", 0, 0, 1<<31)
	r.Indexed()
	p.K = r.Int("k", 5, 1, 1000)
	p.KFinal = r.Int("k_final", 15, 1, 10_000)
	p.Ef = r.Int("ef", 40, 1, 1<<14)
	p.MaxLayer = r.Int("max_layer", p.Levels, 0, maxLevels)
	p.Descent = r.OneOf("descent", "reuse", "restart")
	p.Relations = r.OneOf("relations", "ranked", "within", "any")
	p.RelationK = r.Int("relation_k", 10, 0, 1000)
	p.Text = r.OneOf("text", "hybrid", "hits", "none")
	p.TextShare = r.Float("text_share", 0.5, 0, 1)
	p.CommunityShare = r.Float("community_share", 0.3, 0, 1)
	p.CommunityCut = r.Float("community_cut", 0.7, 0, 1)
	p.Answer = r.OneOf("answer", "mapreduce", "direct")
	p.CoT = r.OneOf("cot", "false", "true") == "true"
	p.Map = r.OneOf("map", "parts", "layer")
	p.FilterTokens = r.Int("filter_tokens", 4000, 100, 1_000_000)
	return p, r
}

// maxLevels bounds the levels of communities.
const maxLevels = 12

// system is ArchRAG on a corpus.
type system struct {
	method.Identity
	p     Params
	c     *method.Corpus
	g     *engine.Graph
	whole bool // all communities are to be found again
}

// Open makes the method on a corpus; its graph is made if it is new.
func Open(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	p, r := parse(params)
	id, err := method.NewIdentity(ctx, c, r, Name)
	if err != nil {
		return nil, err
	}
	return (&system{Identity: id, p: p, c: c, g: id.Graph()}).system(), nil
}

// system returns the functions of the method.
func (s *system) system() *method.System {
	return &method.System{
		Identity:       s.Identity,
		Build:          s.stages,
		Changed:        knowledge.Changed(s.g, forget),
		Recluster:      s.recluster,
		Plan:           s.plan,
		Cite:           citing().Cite,
		Condense:       s.condense,
		Advice:         s.advice,
		Stats:          s.stats,
		CommunityStats: s.communityStats,
	}
}
