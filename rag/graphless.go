package rag

import (
	"context"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// Graphless is what systems embed that build nothing: they retrieve chunks by
// what every index has, their words, vectors and names. Of [System] it leaves
// Plan alone.
type Graphless struct{ Identity }

// NewGraphless returns what a system embeds whose parameters were read by r.
// The chunk set is all that its instance depends on. Parameters that r has
// refused are the error.
func NewGraphless(r *ParamReader) (Graphless, error) {
	id, err := identify(r, r.Instance(r.method))
	return Graphless{id}, err
}

// Stages implements [System]: there are none.
func (s *Graphless) Stages(*Models) []Stage { return nil }

// Changed implements [System]: there is nothing to take back.
func (s *Graphless) Changed(context.Context, *Models, []Chunk) (func(context.Context, *engine.Tx) error, error) {
	return nil, nil
}

// Cite implements [System]: a chunk rests on itself, and what is no chunk on
// none.
func (s *Graphless) Cite(v *engine.View, it query.Item) ([]string, error) {
	n, err := v.Node(it.ID)
	if err != nil || !strings.HasPrefix(v.NodeTypeName(n.Type), "chunk:") {
		return nil, err
	}
	return []string{n.Key}, nil
}
