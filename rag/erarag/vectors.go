package erarag

import (
	"context"
	"fmt"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// embedded reports whether all nodes of a tree have vectors by a model. A space that
// is missing has gone with its model, which has come back.
func (t *tree) embedded(v engine.Reader, model llm.SpaceInfo) (bool, error) {
	b, err := t.Get([]byte{'v'}, nil)
	if graph.IsMissing(err) || err == nil && string(b) != model.Model {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	leaves, err := t.layer(0)
	if err != nil || leaves.nodes == 0 {
		return err == nil, err
	}
	_, err = v.Vectors(spaceOf(model.Model))
	if graph.IsMissing(err) {
		return false, nil
	}
	return err == nil, err
}

// putVector gives a node of a layer its vector by a model. From the first one by
// another model on, the tree has all its vectors by none.
func (t *treeTx) putVector(layer uint8, id engine.NodeID, vec []float32, model llm.SpaceInfo) error {
	space := spaceOf(model.Model)
	if err := method.MakeSpace(t.v, space, model, vecindex.Cosine); err != nil {
		return err
	}
	b, err := t.Get([]byte{'v'}, nil)
	if err == nil && string(b) != model.Model {
		err = t.w.Delete([]byte{'v'})
	}
	if err != nil && !graph.IsMissing(err) {
		return err
	}
	return t.v.PutLayerVector(space, id, layer, vec)
}

// vectorStage gives the summaries of a tree vectors by a model which was trained
// again: their texts and codes stay, so that nothing is summarised again. The leaf
// stage does so for the leaves.
type vectorStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo
}

// Items implements [method.Stage]: the segments that have a summary, if not all nodes
// have vectors by the model.
func (st *vectorStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		t := st.s.tree(v, treeName(st.model))
		if ok, err := t.embedded(v, st.model); err != nil || ok {
			if err != nil {
				yield(method.WorkItem{}, err)
			}
			return
		}
		digest := method.Digest("vector", st.model.Model, fmt.Sprint(s.Epoch()))
		for e, err := range t.Prefix([]byte{'s'}) {
			var g segment
			if err == nil {
				g, err = readSegment(e.Value)
			}
			if err == nil && g.summary == 0 {
				continue
			}
			w := method.WorkItem{Digest: digest}
			if err == nil {
				w.Key = segmentItem(e.Key[1], g.number)
			}
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// Do implements [method.Stage].
func (st *vectorStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	layer, number, err := parseSegment(w.Key)
	if err != nil {
		return nil, err
	}
	g, ok, err := st.s.tree(v, treeName(st.model)).numbered(layer, number)
	if err != nil || !ok || g.summary == 0 {
		return nil, err
	}
	text, source, err := st.s.textOf(ctx, s, g.summary)
	if err != nil {
		return nil, err
	}
	vecs, err := m.Embed(ctx, []string{source}, []string{text})
	if err != nil || vecs[0] == nil {
		return nil, err
	}
	return encoded.AppendVector(nil, vecs[0]), nil
}

// Apply implements [method.Stage].
func (st *vectorStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	vec := encoded.ReadVector(result)
	layer, number, err := parseSegment(w.Key)
	if err != nil || vec == nil {
		return err
	}
	t, err := st.s.change(tx, treeName(st.model))
	if err != nil {
		return err
	}
	g, ok, err := t.numbered(layer, number)
	if err != nil || !ok || g.summary == 0 {
		return err // it has gone since
	}
	return t.putVector(layer, g.summary, vec, st.model)
}

// embeddedStage notes the model by which all nodes of a tree have vectors.
type embeddedStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo
}

// Items implements [method.Stage]: one item if that is not noted.
func (st *embeddedStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		ok, err := st.s.tree(v, treeName(st.model)).embedded(v, st.model)
		if err != nil || !ok {
			yield(method.WorkItem{Key: "embedded", Digest: method.Digest(st.model.Model, fmt.Sprint(s.Epoch()))}, err)
		}
	}
}

// Do implements [method.Stage]: it fails if a leaf has no vector, and the next run
// tries it again. A summary without a word has none.
func (st *embeddedStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	t := st.s.tree(v, treeName(st.model))
	vecs, err := v.Vectors(spaceOf(st.model.Model))
	if graph.IsMissing(err) {
		vecs, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	nodes := 0
	for layer := 0; layer <= st.s.p.Layers; layer++ {
		l, err := t.layer(uint8(layer))
		if err != nil {
			return nil, err
		}
		nodes += int(l.nodes)
	}
	if vecs != nil && vecs.Len() == nodes {
		return nil, nil
	}
	return nil, t.ids('n', 0, func(id uint64, _ []byte) error {
		err := fmt.Errorf("space %s: %w", spaceOf(st.model.Model), engine.ErrNotFound)
		if vecs != nil {
			_, err = vecs.Vector(ctx, id, nil)
		}
		if err != nil {
			return fmt.Errorf("the vector of leaf %d: %w", id, err)
		}
		return nil
	})
}

// Apply implements [method.Stage].
func (st *embeddedStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, _ []byte) error {
	t, err := st.s.change(tx, treeName(st.model))
	if err != nil {
		return err
	}
	return t.w.Set([]byte{'v'}, []byte(st.model.Model))
}
