package corpus

import (
	"errors"

	"github.com/ragdb/ragdb/engine"
)

// Readable refuses a reader that is nil or of no graph.
func Readable(v engine.Reader) error {
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

// ErrArgument says that a call lacks what it needs, such as a corpus or a
// system, or that an argument is not valid. The error says which.
var ErrArgument = errors.New("wrong argument")
