package erarag

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// segmentStage brings a layer's segments up to date with the nodes below: it
// makes the layer if those have become more than Stop, or removes it if
// they have become few. It is one item, and all in one transaction.
type segmentStage struct {
	graph.Stage
	s     *system
	tree  string
	layer uint8
}

// Items implements [method.Stage].
func (st *segmentStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		t := st.s.tree(s.Graph(st.s.g).WithContext(ctx), st.tree)
		have, want, err := st.state(t)
		changed := false
		if err == nil {
			_, changed, err = t.first(layerKey('c', st.layer-1))
		}
		if err != nil || changed || have != want {
			yield(method.WorkItem{Key: st.Name(), Digest: method.Digest(fmt.Sprint(s.Epoch()))}, err)
		}
	}
}

// state returns whether the layer is there, and whether it has to be.
func (st *segmentStage) state(t *tree) (have, want bool, err error) {
	if have, err = t.segmented(st.layer); err != nil {
		return false, false, err
	}
	below, err := t.layer(st.layer - 1)
	want = below.nodes > uint64(st.s.p.Stop)
	if t.bucket > 0 {
		want = want && below.nodes >= uint64(t.sizes.MinSize)
	}
	return have, want, err
}

// Do implements [method.Stage].
func (st *segmentStage) Do(context.Context, *engine.Snapshot, *method.Models, method.WorkItem) ([]byte, error) {
	return nil, nil
}

// Apply implements [method.Stage].
func (st *segmentStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, _ []byte) error {
	t, err := st.s.change(tx, st.tree)
	if err != nil {
		return err
	}
	have, want, err := st.state(&t.tree)
	if err != nil {
		return err
	}
	switch {
	case want && have:
		var put, remove []runs.Item
		var back map[uint64]uint64
		if put, remove, back, err = t.changes(st.layer - 1); err == nil {
			err = t.group(st.layer, put, remove, back)
		}
	case want:
		var all []runs.Item
		if all, err = t.nodes(st.layer - 1); err == nil {
			err = t.group(st.layer, all, nil, nil)
		}
	case have:
		if err = t.dissolve(st.layer); err == nil && t.bucket > 0 {
			err = t.scatter(st.layer)
		}
	}
	if err != nil {
		return err
	}
	return t.w.DeletePrefix(layerKey('c', st.layer-1))
}

// group puts nodes of the layer below into the segments of a layer and takes others
// out: by buckets, or by the rules of [runs.Segments].
func (t *treeTx) group(layer uint8, put, remove []runs.Item, back map[uint64]uint64) error {
	if t.bucket > 0 {
		return t.gather(layer, put, remove, back)
	}
	return t.regroup(layer, put, remove)
}

// changes returns the nodes of a layer that are to be put into segments and
// taken out of them. back has the segment of each that takes another's place.
func (t *tree) changes(layer uint8) (put, remove []runs.Item, back map[uint64]uint64, err error) {
	back = map[uint64]uint64{}
	err = t.ids('c', layer, func(id uint64, value []byte) error {
		switch {
		case len(value) == 1 && value[0] == 1:
			put = append(put, runs.Item{ID: id})
		case len(value) == 9 && value[0] == 2:
			put, back[id] = append(put, runs.Item{ID: id}), binary.BigEndian.Uint64(value[1:])
		case len(value) == 9 && value[0] == 0:
			remove = append(remove, runs.Item{ID: id, Code: binary.BigEndian.Uint64(value[1:])})
		default:
			return fmt.Errorf("a change of %d bytes: %w", len(value), engine.ErrCorrupt)
		}
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range put {
		code, ok, err := t.code(layer, engine.NodeID(put[i].ID))
		if err == nil && !ok {
			err = fmt.Errorf("node %d of layer %d has no code: %w", put[i].ID, layer, engine.ErrCorrupt)
		}
		if err != nil {
			return nil, nil, nil, err
		}
		put[i].Code = code
	}
	return put, remove, back, nil
}

// nodes returns all nodes of a layer.
func (t *tree) nodes(layer uint8) (out []runs.Item, err error) {
	err = t.ids('n', layer, func(id uint64, value []byte) error {
		if len(value) != 8 {
			return fmt.Errorf("a code of %d bytes: %w", len(value), engine.ErrCorrupt)
		}
		out = append(out, runs.Item{ID: id, Code: binary.BigEndian.Uint64(value)})
		return nil
	})
	return out, err
}

// dissolve removes a layer's segments with their summaries.
func (t *treeTx) dissolve(layer uint8) error {
	var all []segment
	for e, err := range t.Prefix(layerKey('s', layer)) {
		if err != nil {
			return err
		}
		g, err := readSegment(e.Value)
		if err != nil {
			return err
		}
		all = append(all, g)
	}
	for i := range all {
		if err := t.lift(layer, &all[i]); err != nil {
			return err
		}
		if err := t.forget(layer, &all[i]); err != nil {
			return err
		}
	}
	return nil
}
