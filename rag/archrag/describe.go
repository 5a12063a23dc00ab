package archrag

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// describeStage makes one description of the several that an entity or
// relation has (spec A2.1, A6), where they exceed maxDescription tokens or
// Describe says always.
type describeStage struct{ s *system }

// maxDescription is the length of a united description in tokens, and
// maxDescribed that of those it is made of.
const (
	maxDescription = 500
	maxDescribed   = 4000
)

// Name implements [method.Stage].
func (st *describeStage) Name() string { return "describe" }

// Graph implements [method.Stage].
func (st *describeStage) Graph() *engine.Graph { return st.s.g }

// Items implements [method.Stage]: entities and relations whose descriptions are
// to be made one, or were when they were last described.
func (st *describeStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		for _, typ := range []string{typeEntity, typeRelation} {
			for id, err := range graph.Nodes(v, typ) {
				var w method.WorkItem
				ok := false
				if err == nil {
					w, ok, err = st.item(v, id)
				}
				if err != nil {
					yield(w, err)
					return
				}
				if ok && !yield(w, nil) {
					return
				}
			}
		}
	}
}

func (st *describeStage) item(v engine.Reader, id engine.NodeID) (w method.WorkItem, ok bool, err error) {
	total, err := totalOf(v, id)
	if err != nil {
		return w, false, err
	}
	if !st.s.unite(total) {
		n, err := v.Node(id)
		if err != nil || n.Prop(propDescription).IsNull() {
			return w, false, err
		}
	}
	return method.WorkItem{Key: graph.NodeItem(id), Digest: describedDigest(total)}, true, nil
}

// totalOf returns all that is said of a node, the texts in an order that does
// not depend on which came first.
func totalOf(v engine.Reader, id engine.NodeID) (engine.Total, error) {
	total, err := v.Total(engine.NodeTarget(id))
	total.Texts = slices.Clone(total.Texts)
	slices.Sort(total.Texts)
	return total, err
}

func describedDigest(t engine.Total) [32]byte {
	return method.Digest(append([]string{"describe", t.Label}, t.Texts...)...)
}

// unite reports whether descriptions are to be made one by a model.
func (s *system) unite(t engine.Total) bool {
	if len(t.Texts) < 2 || s.p.Describe == "never" {
		return false
	}
	if s.p.Describe == "always" {
		return true
	}
	text := strings.Join(t.Texts, "\n")
	return len(text) > maxDescription && s.c.Tokens().Count(text) > maxDescription // a token is a byte at least
}

// Do implements [method.Stage].
func (st *describeStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	id, err := graph.ItemNode(w.Key)
	if err != nil {
		return nil, err
	}
	total, err := totalOf(v, id)
	if err != nil || !st.s.unite(total) {
		return nil, err
	}
	in := llm.MergeInput{Name: total.Label, MaxTokens: maxDescription}
	if in.Name == "" {
		if in.Name, _, err = st.s.describe(v, id); err != nil {
			return nil, err
		}
	}
	tokens := 0
	for _, d := range total.Texts {
		if tokens += st.s.c.Tokens().Count(d); tokens > maxDescribed && len(in.Descriptions) > 0 {
			break
		}
		in.Descriptions = append(in.Descriptions, d)
	}
	docs, err := graph.SourceDocs(v, engine.NodeTarget(id))
	if err != nil {
		return nil, err
	}
	reply, err := m.Do(ctx, st.s.Item(w), docs, llm.Task{Kind: llm.MergeDescriptions, Input: in})
	return []byte(reply.Text), err
}

// Apply implements [method.Stage].
func (st *describeStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	id, err := graph.ItemNode(w.Key)
	if err != nil {
		return err
	}
	props := engine.Props{propDescription: {}, propOf: {}}
	if len(result) > 0 {
		props = engine.Props{propDescription: engine.String(string(result)), propOf: engine.Bytes(w.Digest[:])}
	}
	return tx.Graph(st.s.g).SetProps(id, props)
}

// describe returns what an entity or relation is called, a relation by its
// ends, and how it is described.
func (s *system) describe(v engine.Reader, id engine.NodeID) (name, description string, err error) {
	n, total, description, err := s.described(v, id)
	if err != nil {
		return "", "", err
	}
	if v.NodeTypeName(n.Type) != typeRelation {
		if name = total.Label; name == "" {
			name = n.Key
		}
		return name, description, nil
	}
	ends, err := s.endsOf(v, n.Key)
	if err != nil {
		return "", "", err
	}
	var names [2]string
	for i, end := range ends {
		if names[i], err = entityName(v, end); err != nil {
			return "", "", err
		}
	}
	return names[0] + " – " + names[1], description, nil
}

// described returns a node, what is said of it, and its description: the united
// one where it is of what is said now, else that.
func (s *system) described(v engine.Reader, id engine.NodeID) (n engine.Node, total engine.Total, description string, err error) {
	if total, err = totalOf(v, id); err != nil {
		return n, total, "", err
	}
	if n, err = v.Node(id); err != nil {
		return n, total, "", err
	}
	digest := describedDigest(total)
	if !engine.Bytes(digest[:]).Equal(n.Prop(propOf)) {
		return n, total, strings.Join(total.Texts, "\n"), nil
	}
	description, err = v.Text(id, propDescription)
	return n, total, description, err
}

// entityName is what most sources call an entity; one that is only the end of
// relations is called by its key.
func entityName(v engine.Reader, id engine.NodeID) (string, error) {
	total, err := v.Total(engine.NodeTarget(id))
	if err != nil || total.Label != "" {
		return total.Label, err
	}
	n, err := v.Node(id)
	return n.Key, err
}

// endsOf returns the entities of the relation of a node's key.
func (s *system) endsOf(v engine.Reader, key string) (ends [2]engine.NodeID, err error) {
	from, to, ok := strings.Cut(key, "|")
	t, known := v.NodeType(typeEntity)
	if !ok || !known {
		return ends, fmt.Errorf("relation %q: %w", key, engine.ErrNotFound)
	}
	for i, k := range [2]string{from, to} {
		if ends[i], err = v.Lookup(t, k); err != nil {
			return ends, fmt.Errorf("relation %q: %w", key, err)
		}
	}
	return ends, nil
}
