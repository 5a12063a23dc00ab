package archrag

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
)

// describe returns what an entity or relation is called, a relation by its ends,
// and how it is described.
func (s *system) describe(v engine.Reader, id engine.NodeID) (name, description string, err error) {
	t := engine.NodeTarget(id)
	if name, description, err = knowledge.Describe(v, t); err == nil && name == "" {
		name, err = s.describer().Ends(v, t)
	}
	return name, description, err
}
