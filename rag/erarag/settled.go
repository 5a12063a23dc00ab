package erarag

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
)

// steps returns stages as steps. Their items are changes, which are gone when they
// are done, so what is done is counted in the tree.
func (s *system) steps(name string, stages []method.Stage) []method.Step {
	out := method.Steps(stages...)
	for i, st := range stages {
		var count func(t *tree) (int, error)
		switch st := st.(type) {
		case *planeStage:
			count = func(t *tree) (int, error) {
				ok, err := t.Has([]byte{'h'})
				return one(ok), err
			}
		case *leafStage:
			count = func(t *tree) (int, error) {
				entered, err := t.entered()
				if err != nil {
					return 0, err
				}
				return int(entered.GetCardinality()), nil
			}
		case *segmentStage:
			count = func(t *tree) (int, error) {
				ok, err := t.segmented(st.layer)
				if ok && err == nil {
					_, changed, err := t.first(layerKey('c', st.layer-1))
					return one(!changed), err
				}
				return 0, err
			}
		case *summaryStage:
			count = func(t *tree) (int, error) {
				layer, err := t.layer(st.layer)
				n := int(layer.nodes)
				if err == nil {
					err = t.ids('x', st.layer, func(uint64, []byte) error { n--; return nil }) // is made again
				}
				return max(n, 0), err
			}
		default:
			continue
		}
		out[i].Settled = func(ctx context.Context, snap *engine.Snapshot) (int, error) {
			n, err := count(s.tree(snap.Graph(s.g).WithContext(ctx), name))
			if err != nil {
				return 0, fmt.Errorf("count %s: %w", st.Name(), err)
			}
			return n, nil
		}
	}
	return out
}

func one(ok bool) int {
	if ok {
		return 1
	}
	return 0
}
