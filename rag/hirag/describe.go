package hirag

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/method"
)

// described is what an entity, summary or relation is called and said to be.
type described struct {
	name, kind, text string
	// known says that a text named it, not only a relation.
	known bool
}

// raw is what the sources say of a node, before a model has made one text of many.
type raw struct {
	described
	said   knowledge.Said
	digest [32]byte
}

// rawOf reads what the sources say of a node: the kind is by vote.
func rawOf(v engine.Reader, id engine.NodeID) (r raw, err error) {
	if r.said, err = knowledge.Read(v, engine.NodeTarget(id)); err != nil {
		return r, err
	}
	r.name, r.known = r.said.Name, r.said.Known
	if r.kind, err = kindBy(v, id); err != nil {
		return r, err
	}
	r.digest = method.Digest(append([]string{"described", r.name, r.kind}, r.said.Texts...)...)
	return r, nil
}

// kindBy returns the kind with the most votes, the first in order of equals.
func kindBy(v engine.Reader, id engine.NodeID) (string, error) {
	t, ok := v.EdgeType(edgeIs)
	if !ok {
		return "", nil
	}
	edges, err := v.Neighbors(id, engine.EdgeFilter{Types: []engine.EdgeType{t}}, 0, nil)
	if err != nil {
		return "", err
	}
	best, votes := "", float32(0)
	for _, e := range edges {
		n, err := v.Node(e.Other(id))
		if err != nil {
			return "", err
		}
		if e.Weight > votes || e.Weight == votes && n.Key < best {
			best, votes = n.Key, e.Weight
		}
	}
	return best, nil
}

// fitting returns how many of the first texts have no more than a number of
// tokens together. A token has a byte at least, so that short texts need not be
// counted.
func (s *system) fitting(texts []string, tokens int) int {
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	if size <= tokens {
		return len(texts)
	}
	for i, t := range texts {
		if tokens -= s.c.Tokens().Count(t); tokens < 0 {
			return i
		}
	}
	return len(texts)
}

// describe returns what a node is called and described as.
func describe(v engine.Reader, id engine.NodeID) (described, error) {
	n, err := v.Node(id)
	if err != nil {
		return described{}, err
	}
	return describeNode(v, n)
}

// describeEach is describe of several nodes, in their order.
func describeEach(v engine.Reader, ids []engine.NodeID) ([]described, error) {
	nodes, err := graph.Read(v, ids)
	if err != nil {
		return nil, err
	}
	out := make([]described, len(ids))
	for i, n := range nodes {
		if out[i], err = describeNode(v, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// describeNode returns what a node is called and described as: by what the
// entities stage made of it, else by its sources.
func describeNode(v engine.Reader, n engine.Node) (described, error) {
	if n.Prop(propOf).IsNull() {
		r, err := rawOf(v, n.ID)
		r.text = r.said.Text()
		return r.described, err
	}
	d := described{name: n.Prop(propName).AsString(), kind: n.Prop(propKind).AsString(), known: true}
	text := n.Prop(propDescription)
	if text.Kind() != engine.KindText {
		d.text = text.AsString()
		return d, nil
	}
	var err error
	d.text, err = v.Text(n.ID, propDescription)
	return d, err
}

// describeEdge returns how a relation is described.
func describeEdge(v engine.Reader, e engine.Edge) (string, error) {
	_, text, err := knowledge.Describe(v, engine.EdgeTarget(e.From, e.To, e.Type))
	return text, err
}
