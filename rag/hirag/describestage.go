package hirag

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// nodeStage describes the entities, or the summaries of a layer, and gives them
// their vectors, of name and description (spec B.2.7).
type nodeStage struct {
	graph.Stage
	s     *system
	layer int
	model llm.SpaceInfo
}

// Items implements [method.Stage].
func (st *nodeStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return st.local().All(s.Graph(st.s.g).WithContext(ctx))
}

// local says that a description depends on what is said of a node and of its kinds.
func (st *nodeStage) local() *queue.Local {
	nodes := typeEntity
	if st.layer > 0 {
		nodes = typeSummary
	}
	return &queue.Local{
		Nodes: []string{nodes}, Ends: []string{edgeIs}, Digest: method.Digest("node", strconv.Itoa(st.layer), st.model.Model),
		Items: func(v *engine.View, targets []engine.Target) ([]method.WorkItem, error) {
			return graph.NodeItems(v, targets, func(n engine.Node) (method.WorkItem, error) {
				if st.layer > 0 && int(n.Prop(propLayer).AsInt()) != st.layer {
					return method.WorkItem{}, nil
				}
				r, err := rawOf(v, n.ID)
				return method.WorkItem{Key: graph.NodeItem(n.ID), Digest: method.Digest("node", st.model.Model, string(r.digest[:]))}, err
			})
		},
	}
}

// step returns the stage as a step that looks at nodes which changed.
func (st *nodeStage) step() method.Step {
	step := method.Steps(st)[0]
	step.Local = st.local()
	return step
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
	id, err := graph.ItemNode(w.Key)
	if err != nil {
		return nil, err
	}
	target := engine.NodeTarget(id)
	r, err := rawOf(v, id)
	if err != nil {
		return nil, err
	}
	text := r.said.Text()
	if d := st.s.describer(); d.Unites(r.said) {
		if text, err = d.Unite(ctx, v, m, w, target, r.said); err != nil {
			return nil, err
		}
	}
	out := binary.BigEndian.AppendUint64(nil, uint64(id))
	out = append(out, r.digest[:]...)
	for _, field := range []string{r.name, r.kind, text} {
		out = append(binary.AppendUvarint(out, uint64(len(field))), field...)
	}
	if !r.known {
		return out, nil // spec B.1: only what a text named has a vector
	}
	var docs []string // that a vector is kept for
	if !st.model.Recomputable {
		if docs, err = graph.SourceDocs(v, target); err != nil {
			return nil, err
		}
	}
	vecs, err := m.Embed(ctx, docs, []string{r.name + ": " + text})
	if err != nil {
		return nil, err
	}
	return encoded.AppendVector(out, vecs[0]), nil
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
	vec := encoded.ReadVector(rest)
	if vec == nil {
		return v.DeleteVector(space, id)
	}
	return v.PutLayerVector(space, id, uint8(st.layer), vec)
}

var errResult = fmt.Errorf("malformed result")

// describer makes one description of the many that a relation has.
func (s *system) describer() *knowledge.Describer {
	return &knowledge.Describer{Corpus: s.c, System: &s.Identity, Edges: []string{edgeRelation}, When: knowledge.Over}
}
