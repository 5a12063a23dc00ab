package noderag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
)

// recluster is [rag.System.Recluster]: the stages make the communities from
// nothing. One of the same nodes as before keeps its elements.
func (s *system) recluster() *rag.System {
	anew := *s
	anew.anew = true
	return anew.system()
}

// advice is [rag.System.Advice]: to recluster where more than a tenth of the
// nodes came or moved since the last whole clustering, or modularity fell by
// more than a fiftieth.
func (s *system) advice(_ context.Context, v *engine.View) ([]rag.Advice, error) {
	state, ok, err := readState(v)
	if err != nil || !ok {
		return nil, err
	}
	return advice(state), nil
}

func advice(state communityState) []rag.Advice {
	var out []rag.Advice
	if share := float64(state.Moved) / float64(max(1, state.Nodes)); share > rag.MaxMoved {
		out = append(out, rag.AdviseRecluster("%d of %d nodes (%.1f %%) came or changed their community since all were clustered",
			state.Moved, state.Nodes, 100*share))
	}
	if lost := state.Whole - state.Now; state.Whole > 0 && lost > rag.MaxFall*state.Whole {
		out = append(out, rag.AdviseRecluster("modularity fell from %.4f to %.4f since all were clustered", state.Whole, state.Now))
	}
	return out
}
