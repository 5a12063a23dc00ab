package linearrag

import (
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/vecindex"
)

// Name is the method's name.
const Name = "linearrag"

// The names in the graph.
const (
	typeEntity   = knowledge.TypeEntity
	typeSentence = "sentence"

	edgeContains = "contains"             // chunk - entity
	edgeMentions = knowledge.EdgeMentions // sentence - entity
)

// The kinds of vectors.
const (
	spaceName     = "name"     // entity: its name
	spaceSentence = "sentence" // sentence: what it says
)

func spaceOf(kind, model string) string { return kind + "@" + model }

// makeSpace makes the space of one kind of vectors. Sentences are compared with what is
// wanted of them, so that no index has to be kept.
func makeSpace(v *engine.TxView, kind string, model llm.SpaceInfo) error {
	o := engine.SpaceOptions{Dim: model.Dim, Model: model.Model, Metric: vecindex.Cosine, Element: vecindex.F16}
	if kind == spaceName {
		o.Kind = vecindex.Auto
	}
	return v.MakeSpace(spaceOf(kind, model.Model), o)
}

// sentenceKey is the key of the n-th sentence of a chunk, from 0.
func sentenceKey(chunk string, n int) string { return chunk + "/" + strconv.Itoa(n) }
