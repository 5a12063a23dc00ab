package baseline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/text"
)

// Candidates is how many chunks each ranking brings to the packing: as many as
// the KET-RAG paper's Text-RAG.
const Candidates = 1000

// opener makes a baseline on a corpus.
type opener func(ctx context.Context, c *rag.Corpus, params map[string]string) (rag.System, error)

// openers are the baselines by name.
func openers() map[string]opener {
	out := map[string]opener{}
	for _, name := range []string{"bm25", "dense", "naive", "hyde"} {
		out[name] = openChunks(name)
	}
	for name, v := range ketragVariants() {
		out[name] = v.open(name)
	}
	for _, name := range []string{"zeroshot", "cot"} {
		out[name] = openUnaided(name)
	}
	for name, open := range map[string]opener{
		"hipporag": openHippoRAG, "hipporag2": openHippoRAG2, "fastgraphrag": openFastGraphRAG,
		"lightrag-low": openLightRAG("lightrag-low"), "lightrag-high": openLightRAG("lightrag-high"),
		"lightrag-hybrid": openLightRAG("lightrag-hybrid"), "graphrag-global": openGraphRAGGlobal, "raptor": openRAPTOR,
	} {
		out[name] = open
	}
	return out
}

// Names lists the baselines, in order.
func Names() []string { return slices.Sorted(maps.Keys(openers())) }

// Open returns what makes the baseline of a name, which must be one of Names.
// Every baseline has the parameter chunks, the name of a chunk set such as
// cl100k/150/0/paragraph, the default. An unknown parameter is refused with
// those that there are.
func Open(name string) func(context.Context, *rag.Corpus, map[string]string) (rag.System, error) {
	return openers()[name]
}

// settings are a baseline's parameters with the defaults filled in.
type settings struct {
	*rag.ParamReader
	all      map[string]string
	defaults map[string]string
	set      text.ChunkSet
}

// read reads the parameters of a baseline that has chunks and those of
// defaults.
func read(defaults, given map[string]string) (*settings, error) {
	all := map[string]string{"chunks": text.ChunkSet{}.String()}
	maps.Copy(all, defaults)
	p := &settings{defaults: maps.Clone(all), all: all}
	for k, v := range given {
		if _, ok := all[k]; !ok {
			return nil, noParameter(k, slices.Collect(maps.Keys(all)))
		}
		all[k] = v
	}
	p.ParamReader = rag.NewParamReader(all)
	var err error
	if p.set, err = text.ParseChunkSet(all["chunks"]); err != nil {
		p.Fail("chunks", err.Error())
	}
	all["chunks"] = p.set.String()
	return p, nil
}

// instance names the graph that a baseline builds with its index-time
// parameters.
func (p *settings) instance(name string, indexed ...string) string {
	part := map[string]string{}
	for _, k := range append(indexed, "chunks") {
		part[k] = p.all[k]
	}
	return rag.Instance(name, part, p.defaults)
}

func noParameter(key string, known []string) error {
	slices.Sort(known)
	return fmt.Errorf("no parameter %q; there are %s", key, strings.Join(known, ", "))
}

// refuse says what is wrong with a baseline's parameters.
func refuse(name string, err error) error {
	return fmt.Errorf("rag: %s: %w: %w", name, rag.ErrMethod, err)
}

// graphless is what baselines that build no graph have in common.
type graphless struct {
	c    *rag.Corpus
	name string
	*settings
}

// Name implements [rag.System].
func (s *graphless) Name() string { return s.name }

// Instance implements [rag.System].
func (s *graphless) Instance() string { return s.instance(s.name) }

// Params implements [rag.System].
func (s *graphless) Params() map[string]string { return maps.Clone(s.all) }

// ChunkSet implements [rag.System].
func (s *graphless) ChunkSet() text.ChunkSet { return s.set }

// Graph implements [rag.System].
func (s *graphless) Graph() *engine.Graph { return nil }

// Stages implements [rag.System]: chunks, postings and vectors are all.
func (s *graphless) Stages(*rag.Models) []rag.Stage { return nil }

// Changed implements [rag.System].
func (s *graphless) Changed(context.Context, *rag.Models, []rag.Chunk) (func(context.Context, *engine.Tx) error, error) {
	return nil, nil
}

// Cite implements [rag.System]: a chunk rests on itself.
func (s *graphless) Cite(v *engine.View, it query.Item) ([]string, error) {
	n, err := v.Node(it.ID)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(v.NodeTypeName(n.Type), "chunk:") {
		return nil, nil
	}
	return []string{n.Key}, nil
}
