package noderag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
)

// recluster is [method.System.Recluster]: the stages make the communities from
// nothing. One of the same nodes as before keeps its elements.
func (s *system) recluster() *method.System {
	anew := *s
	anew.anew = true
	return anew.system()
}

// advice is [method.System.Advice]: to recluster where more than a tenth of the
// nodes came or moved since the last whole clustering, or modularity fell by
// more than a fiftieth.
func (s *system) advice(_ context.Context, v *engine.View) ([]method.Advice, error) {
	state, ok, err := readState(v)
	if err != nil || !ok {
		return nil, err
	}
	return advice(state), nil
}

func advice(state communityState) []method.Advice {
	var out []method.Advice
	if share := float64(state.Moved) / float64(max(1, state.Nodes)); share > method.MaxMoved {
		out = append(out, method.AdviseRecluster("%d of %d nodes (%.1f %%) came or changed their community since all were clustered",
			state.Moved, state.Nodes, 100*share))
	}
	if lost := state.Whole - state.Now; state.Whole > 0 && lost > method.MaxFall*state.Whole {
		out = append(out, method.AdviseRecluster("modularity fell from %.4f to %.4f since all were clustered", state.Whole, state.Now))
	}
	return out
}
