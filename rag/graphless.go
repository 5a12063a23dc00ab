package rag

import (
	"context"
	"fmt"

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
	if r == nil {
		return Graphless{}, fmt.Errorf("rag: %w: no parameters", ErrArgument)
	}
	id, err := identify(r, r.Instance(r.method))
	return Graphless{id}, err
}

// Stages implements [System]: there are none.
func (s *Graphless) Stages(*Models) []Stage { return nil }

// Changed implements [System]: there is nothing to take back.
func (s *Graphless) Changed(context.Context, *Models, []Chunk) (func(context.Context, *engine.Tx) error, error) {
	return nil, nil
}

// Cite implements [System]: there is no graph to cite from.
func (s *Graphless) Cite(*engine.View, query.Item) ([]string, error) { return nil, nil }
