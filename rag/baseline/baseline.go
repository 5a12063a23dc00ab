package baseline

import (
	"context"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/rag/method"
)

// Candidates is how many chunks each ranking brings to the packing: as many as
// the KET-RAG paper's Text-RAG.
const Candidates = 1000

// opener makes a baseline on a corpus.
type opener func(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error)

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
// cl100k/300/0/paragraph, the default. An unknown parameter is refused with
// those that there are.
func Open(name string) func(context.Context, *method.Corpus, map[string]string) (*method.System, error) {
	return openers()[name]
}
