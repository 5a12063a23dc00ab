package rag

import (
	"github.com/ragdb/ragdb/engine"
)

// readable refuses a reader that is nil or of no graph.
func readable(v engine.Reader) error {
	missing := false
	switch v := v.(type) {
	case nil:
		missing = true
	case *engine.View:
		missing = v == nil || v.Graph() == nil
	case *engine.TxView:
		missing = v == nil || v.Graph() == nil
	}
	if missing {
		return phase.Errorf("%w: no view of a graph to read", ErrArgument)
	}
	return nil
}

// stageAt refuses a stage or a snapshot that is nil.
func stageAt(s *engine.Snapshot, st Stage) error {
	if s == nil || st == nil {
		return phase.Errorf("%w: a nil snapshot or stage", ErrArgument)
	}
	return nil
}
