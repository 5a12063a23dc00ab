package graph

import (
	"context"
	"iter"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// Stage is the name of a stage and its graph. A [method.Stage] embeds it.
type Stage struct {
	name  string
	graph *engine.Graph
	whole *cost.Whole
}

// NewStage returns the name and the graph of a stage.
func NewStage(name string, g *engine.Graph) Stage { return Stage{name: name, graph: g} }

// NewWholeStage is NewStage for a stage that looks at the whole graph when anything of it
// changed. It calls Looked, and its step has what Whole returns.
func NewWholeStage(name string, g *engine.Graph) Stage {
	return Stage{name: name, graph: g, whole: &cost.Whole{}}
}

// Whole is for [method.Step.Whole]; it is nil for a stage that NewStage made.
func (s Stage) Whole() *cost.Whole { return s.whole }

// Looked says how much of the graph a run of the stage reads.
func (s Stage) Looked(nodes, edges int) {
	if s.whole != nil {
		s.whole.Nodes, s.whole.Edges = nodes, edges
	}
}

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
	// them. With Step it depends on the node and its contributions alone.
	Text    func(v engine.Reader, n engine.Node) ([]string, error)
	Between string
	// Loose, if it is set, reports whether a text depends on more than that.
	Loose func(v engine.Reader, n engine.Node) (bool, error)
	// Put stores a vector, which is nil if the text has none. digest is that of the
	// work item.
	Put func(v *engine.TxView, id engine.NodeID, digest [32]byte, vec []float32) error
}

// Items implements [method.Stage].
func (st *Embedding) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return st.local().All(s.Graph(st.graph).WithContext(ctx))
}

// local says that a vector depends on its node alone.
func (st *Embedding) local() *queue.Local {
	return &queue.Local{Nodes: st.Types, Digest: method.Digest(st.Kind, st.Model.Model), Items: func(v *engine.View, targets []engine.Target) ([]method.WorkItem, error) {
		return NodeItems(v, targets, func(n engine.Node) (method.WorkItem, error) {
			text, err := st.Text(v, n)
			loose := false
			if err == nil && st.Loose != nil {
				loose, err = st.Loose(v, n)
			}
			return method.WorkItem{
				Key: NodeItem(n.ID), Digest: method.Digest(append([]string{st.Kind, st.Model.Model}, text...)...), Loose: loose,
			}, err
		})
	}}
}

// Step returns the stage as a step that looks at nodes which changed.
func (st *Embedding) Step() method.Step {
	step := method.Steps(st)[0]
	step.Local = st.local()
	return step
}

// NodeItems returns the items about nodes, in the places of their targets.
func NodeItems(v engine.Reader, targets []engine.Target, item func(n engine.Node) (method.WorkItem, error)) ([]method.WorkItem, error) {
	ids := make([]engine.NodeID, len(targets))
	for i, t := range targets {
		ids[i] = t.Node
	}
	nodes, err := Read(v, ids)
	if err != nil {
		return nil, err
	}
	out := make([]method.WorkItem, len(nodes))
	for i, n := range nodes {
		if out[i], err = item(n); err != nil {
			return nil, err
		}
	}
	return out, nil
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
