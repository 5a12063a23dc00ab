package graph

import (
	"context"
	"iter"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// Stage is the name of a stage and its graph. A [method.Stage] embeds it.
type Stage struct {
	name  string
	graph *engine.Graph
}

// NewStage returns the name and the graph of a stage.
func NewStage(name string, g *engine.Graph) Stage { return Stage{name, g} }

// Name implements [method.Stage].
func (s Stage) Name() string { return s.name }

// Graph implements [method.Stage].
func (s Stage) Graph() *engine.Graph { return s.graph }

// Embedding is the [method.Stage] that gives nodes the vectors of their texts.
type Embedding struct {
	Stage
	Model llm.SpaceInfo
	// Types are those of the nodes.
	Types []string
	// Kind begins the digests of the work items.
	Kind string
	// Text returns what the vector of a node is of, in parts with Between between
	// them.
	Text    func(v engine.Reader, n engine.Node) ([]string, error)
	Between string
	// Put stores a vector, which is nil if the text has none. digest is that of the
	// work item.
	Put func(v *engine.TxView, id engine.NodeID, digest [32]byte, vec []float32) error
}

// Items implements [method.Stage].
func (st *Embedding) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.graph).WithContext(ctx)
		for _, name := range st.Types {
			for n, err := range ReadAll(v, name) {
				var text []string
				if err == nil {
					text, err = st.Text(v, n)
				}
				w := method.WorkItem{Key: NodeItem(n.ID), Digest: method.Digest(append([]string{st.Kind, st.Model.Model}, text...)...)}
				if !yield(w, err) || err != nil {
					return
				}
			}
		}
	}
}

// Do implements [method.Stage]: what [Embed] returns.
func (st *Embedding) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.graph).WithContext(ctx)
	id, err := ItemNode(w.Key)
	if err != nil {
		return nil, err
	}
	n, err := v.Node(id)
	if err != nil {
		return nil, err
	}
	text, err := st.Text(v, n)
	if err != nil {
		return nil, err
	}
	return Embed(ctx, v, m, id, strings.Join(text, st.Between))
}

// Apply implements [method.Stage].
func (st *Embedding) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	id, vec, err := ReadVector(result)
	if err != nil {
		return err
	}
	return st.Put(tx.Graph(st.graph), id, w.Digest, vec)
}
