package noderag

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// vectorStage gives the chunks and their units their vectors (spec A.2.6): T
// has the one of the base graph.
type vectorStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo
}

// Items implements [method.Stage]: the chunks of the method's graph.
func (st *vectorStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return st.local().All(s.Graph(st.s.g).WithContext(ctx))
}

// local says that the units of a chunk are written with it.
func (st *vectorStage) local() *queue.Local {
	digest := method.Digest("vectors", st.model.Model)
	return &queue.Local{Nodes: []string{schema.Text}, Digest: digest, Items: func(v *engine.View, targets []engine.Target) ([]method.WorkItem, error) {
		return graph.NodeItems(v, targets, func(n engine.Node) (method.WorkItem, error) {
			return method.WorkItem{Key: n.Key, Digest: digest}, nil
		})
	}}
}

// Do implements [method.Stage].
func (st *vectorStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	base := s.Graph(st.s.c.Base()).WithContext(ctx)
	chunk, ok := v.NodeType(schema.Text)
	if !ok {
		return nil, fmt.Errorf("chunk %s: %w", w.Key, engine.ErrNotFound)
	}
	id, err := v.Lookup(chunk, w.Key)
	if err != nil {
		return nil, err
	}
	var out []byte
	inBase, err := st.s.c.ChunkNode(base, st.s.p.Chunks, w.Key)
	if err != nil {
		return nil, err
	}
	own, err := graph.ChunkVector(ctx, base, st.s.p.Chunks, st.model.Model, inBase)
	if err != nil {
		return nil, err
	}
	if own != nil {
		out = appendVector(out, id, own)
	}
	unitType, ok := v.NodeType(schema.Unit)
	if !ok {
		return out, nil
	}
	units, err := said(v, id, unitType)
	if err != nil || len(units) == 0 {
		return out, err
	}
	texts := make([]string, len(units))
	for i, unit := range units {
		total, err := v.Total(engine.NodeTarget(unit))
		if err != nil {
			return nil, err
		}
		texts[i] = total.Texts[0]
	}
	vecs, err := m.Embed(ctx, []string{method.DocOf(w.Key)}, texts)
	if err != nil {
		return nil, err
	}
	for i, vec := range vecs {
		if vec != nil {
			out = appendVector(out, units[i], vec)
		}
	}
	return out, nil
}

// said returns the nodes of a type that a chunk contributed to, ascending.
func said(v engine.Reader, chunk engine.NodeID, t engine.TypeID) ([]engine.NodeID, error) {
	var all, out []engine.NodeID
	for target, err := range v.ContributedBy(chunk) {
		if err != nil {
			return nil, err
		}
		if target.Type != 0 {
			break // edges follow
		}
		all = append(all, target.Node)
	}
	err := v.EachNode(all, func(_ int, n engine.Node) error {
		if n.Type == t {
			out = append(out, n.ID)
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// appendVector appends a node and its vector: node u64, number of elements
// u32, elements f32.
func appendVector(dst []byte, id engine.NodeID, vec []float32) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(id))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(vec)))
	return encoded.AppendVector(dst, vec)
}

// putVectors writes what appendVector made.
func (s *system) putVectors(v *engine.TxView, model llm.SpaceInfo, b []byte) error {
	space := spaceOf(model.Model)
	for len(b) > 0 {
		if len(b) < 12 {
			return fmt.Errorf("malformed vectors")
		}
		id := engine.NodeID(binary.BigEndian.Uint64(b))
		n := 4 * int(binary.BigEndian.Uint32(b[8:]))
		if b = b[12:]; len(b) < n {
			return fmt.Errorf("malformed vectors")
		}
		if err := v.MakeSpace(space, s.space(model.Model, model.Dim)); err != nil {
			return err
		}
		if err := v.PutVector(space, id, encoded.ReadVector(b[:n])); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// Apply implements [method.Stage].
func (st *vectorStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	return st.s.putVectors(tx.Graph(st.s.g), st.model, result)
}

// summaryVectorStage gives attributes and elements their vectors.
type summaryVectorStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo
}

// vectorItem names the work item of a summary's vector.
func vectorItem(id engine.NodeID) string { return fmt.Sprintf("vector:%d", id) }

// Items implements [method.Stage]: the attributes and elements.
func (st *summaryVectorStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return st.local().All(s.Graph(st.s.g).WithContext(ctx))
}

// local says that the vector of a summary is that of its text.
func (st *summaryVectorStage) local() *queue.Local {
	return &queue.Local{
		Nodes: []string{schema.Attribute, schema.Element}, Digest: method.Digest("summary", st.model.Model),
		Items: func(v *engine.View, targets []engine.Target) ([]method.WorkItem, error) {
			return graph.NodeItems(v, targets, func(n engine.Node) (method.WorkItem, error) {
				says, err := v.Text(n.ID, schema.PropText)
				return method.WorkItem{Key: vectorItem(n.ID), Digest: method.Digest("summary", st.model.Model, says)}, err
			})
		},
	}
}

// Do implements [method.Stage].
func (st *summaryVectorStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	var id engine.NodeID
	if _, err := fmt.Sscanf(w.Key, "vector:%d", &id); err != nil {
		return nil, err
	}
	says, err := v.Text(id, schema.PropText)
	if err != nil {
		return nil, err
	}
	docs, err := graph.SourceDocs(v, engine.NodeTarget(id))
	if err != nil {
		return nil, err
	}
	vecs, err := m.Embed(ctx, docs, []string{says})
	if err != nil || vecs[0] == nil {
		return nil, err
	}
	return appendVector(nil, id, vecs[0]), nil
}

// Apply implements [method.Stage].
func (st *summaryVectorStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	return st.s.putVectors(tx.Graph(st.s.g), st.model, result)
}
