package hirag

import (
	"context"
	"encoding/json"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
)

// recluster is [method.System.Recluster]: the stages find the hierarchy and the
// communities anew. What there is serves until what takes its place is there.
func (s *system) recluster() *method.System {
	anew := *s
	anew.anew = true
	return anew.system()
}

// advice is [method.System.Advice].
func (s *system) advice(_ context.Context, v *engine.View) ([]method.Advice, error) {
	var out []method.Advice
	for layer := range s.p.Depth {
		f, err := readFit(v, layer)
		if err != nil {
			return nil, err
		}
		if f != nil && f.Moved > method.MaxMoved {
			out = append(out, method.AdviseRecluster("%.0f %% of layer %d are new since its clusters were found", 100*f.Moved, layer))
		}
	}
	state, err := readState(v)
	if err != nil {
		return nil, err
	}
	for level, moved := range state.Moved {
		if moved > method.MaxMoved {
			out = append(out, method.AdviseRecluster("%.0f %% of level %d of the communities have moved since they were found", 100*moved, level))
		}
	}
	if state.Modularity < (1-method.MaxFall)*state.Was {
		out = append(out, method.AdviseRecluster("the modularity of the communities fell from %.3f to %.3f", state.Was, state.Modularity))
	}
	return out, nil
}

// readState returns how far communities are from their last whole clustering.
func readState(v engine.Reader) (state communityState, err error) {
	b, err := v.Bucket(bucketFit).Get(keyState, nil)
	if isMissing(err) {
		return state, nil
	}
	if err != nil {
		return state, err
	}
	return state, json.Unmarshal(b, &state)
}
