package hirag

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// nodeStage describes the entities, or the summaries of a layer, and gives them
// their vectors, of name and description (spec B.2.7).
type nodeStage struct {
	s     *system
	layer int
	model llm.SpaceInfo
}

// Name implements [method.Stage].
func (st *nodeStage) Name() string {
	if st.layer == 0 {
		return "entities"
	}
	return "vectors " + strconv.Itoa(st.layer)
}

// Graph implements [method.Stage].
func (st *nodeStage) Graph() *engine.Graph { return st.s.g }

// Items implements [method.Stage].
func (st *nodeStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		nodes, err := st.s.layerNodes(v, st.layer)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		for _, n := range nodes {
			r, err := rawOf(v, engine.NodeTarget(n.id))
			w := method.WorkItem{Key: graph.NodeItem(n.id), Digest: method.Digest("node", st.model.Model, string(r.digest[:]))}
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// layerNodes returns the entities, or the summaries of a layer.
func (s *system) layerNodes(v engine.Reader, layer int) ([]node, error) {
	if layer == 0 {
		return nodesOf(v, typeEntity)
	}
	all, err := nodesOf(v, typeSummary)
	return slices.DeleteFunc(all, func(n node) bool { return n.layer != layer }), err
}

// Do implements [method.Stage]: the digest of what the description is made of, the
// length of the description, it, and the vector.
func (st *nodeStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	id, err := strconv.ParseUint(strings.TrimPrefix(w.Key, "node:"), 10, 64)
	if err != nil {
		return nil, err
	}
	target := engine.NodeTarget(engine.NodeID(id))
	r, err := rawOf(v, target)
	if err != nil {
		return nil, err
	}
	text, err := st.s.merge(ctx, v, m, w, target, r)
	if err != nil {
		return nil, err
	}
	out := binary.BigEndian.AppendUint64(nil, id)
	out = append(out, r.digest[:]...)
	for _, field := range []string{r.name, r.kind, text} {
		out = append(binary.AppendUvarint(out, uint64(len(field))), field...)
	}
	if !r.known {
		return out, nil // spec B.1: only what a text named has a vector
	}
	var docs []string // that a vector is kept for
	if !st.model.Recomputable {
		if docs, err = docsOf(v, target); err != nil {
			return nil, err
		}
	}
	vecs, err := m.Embed(ctx, docs, []string{r.name + ": " + text})
	if err != nil {
		return nil, err
	}
	return rag.AppendVector(out, vecs[0]), nil
}

// Apply implements [method.Stage].
func (st *nodeStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	const head = 8 + 32
	if len(result) < head {
		return errResult
	}
	id, digest, rest := engine.NodeID(binary.BigEndian.Uint64(result)), result[8:head], result[head:]
	var fields [3]string
	for i := range fields {
		n, k := binary.Uvarint(rest)
		if k <= 0 || n > uint64(len(rest)-k) {
			return errResult
		}
		fields[i], rest = string(rest[k:k+int(n)]), rest[k+int(n):]
	}
	v := tx.Graph(st.s.g)
	err := v.SetProps(id, engine.Props{
		propName: engine.String(fields[0]), propKind: engine.String(fields[1]), propDescription: engine.String(fields[2]),
		propOf: engine.Bytes(digest),
	})
	if err != nil {
		return err
	}
	space := spaceOf(st.model.Model)
	if err := method.MakeSpace(v, space, st.model, vecindex.Cosine); err != nil {
		return err
	}
	vec := rag.ReadVector(rest)
	if vec == nil {
		return v.DeleteVector(space, id)
	}
	return v.PutLayerVector(space, id, uint8(st.layer), vec)
}

var errResult = fmt.Errorf("malformed result")

// relationStage makes one description of the many that a relation has.
type relationStage struct{ s *system }

// Name implements [method.Stage].
func (st *relationStage) Name() string { return "relations" }

// Graph implements [method.Stage].
func (st *relationStage) Graph() *engine.Graph { return st.s.g }

// Items implements [method.Stage]: relations whose texts are too long together, or
// were when they were last described.
func (st *relationStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		t, ok := v.EdgeType(edgeRelation)
		if !ok {
			return
		}
		for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{t}}) {
			if err != nil {
				yield(method.WorkItem{}, err)
				return
			}
			w, pending, err := st.item(v, e)
			if err == nil && !pending {
				continue
			}
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// item returns a relation's work item; pending is false where there is nothing
// to unite.
func (st *relationStage) item(v engine.Reader, e engine.Edge) (w method.WorkItem, pending bool, err error) {
	r, err := rawOf(v, engine.EdgeTarget(e.From, e.To, e.Type))
	if err != nil {
		return w, false, err
	}
	if len(r.texts) == 0 {
		return w, false, nil // of a summary, which has its one text
	}
	if !st.s.merges(r) {
		props, err := v.EdgeProps(e.From, e.To, e.Type)
		if err != nil || props[propDescription].IsNull() {
			return w, false, err
		}
	}
	return method.WorkItem{Key: relationItem(e.From, e.To), Digest: r.digest}, true, nil
}

// target reads an item's relation back.
func (st *relationStage) target(v engine.Reader, item string) (engine.Target, error) {
	var from, to engine.NodeID
	_, err := fmt.Sscanf(item, "relation:%d-%d", &from, &to)
	t, ok := v.EdgeType(edgeRelation)
	if err == nil && !ok {
		err = engine.ErrNotFound
	}
	return engine.EdgeTarget(from, to, t), err
}

// Do implements [method.Stage].
func (st *relationStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	t, err := st.target(v, w.Key)
	if err != nil {
		return nil, err
	}
	r, err := rawOf(v, t)
	if err != nil || !st.s.merges(r) {
		return nil, err
	}
	text, err := st.s.merge(ctx, v, m, w, t, r)
	return []byte(text), err
}

// Apply implements [method.Stage].
func (st *relationStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	v := tx.Graph(st.s.g)
	t, err := st.target(v, w.Key)
	if err != nil {
		return err
	}
	var props engine.Props
	if len(result) > 0 {
		props = engine.Props{propDescription: engine.String(string(result)), propOf: engine.Bytes(w.Digest[:])}
	}
	return v.SetEdgeProps(t.From, t.To, t.Type, props)
}
