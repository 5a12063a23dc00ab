package hirag

import (
	"context"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// A description of several texts of at least mergeFrom tokens together is made
// one by a model, of at most as many (spec B.1: entity_summary_to_max_tokens).
// It reads at most maxMerged of them.
const (
	mergeFrom = 500
	maxMerged = 8000
)

// described is what an entity, summary or relation is called and said to be.
type described struct {
	name, kind, text string
	// known says that a text named it, not only a relation.
	known bool
}

// raw is a target's contributions, before a model has made one text of many.
type raw struct {
	described
	texts  []string // sorted, distinct
	digest [32]byte
}

// rawOf reads what the sources say of a target: the texts in their own order,
// so that it does not matter which came first, the name and the kind by vote.
// What relations say of their ends counts only where no text lists the entity.
func rawOf(v engine.Reader, t engine.Target) (r raw, err error) {
	var listed, mentioned voices
	for c, err := range v.Contributions(t) {
		if err != nil {
			return r, err
		}
		if c.Count > 0 {
			listed.add(c.Contribution)
		} else {
			mentioned.add(c.Contribution)
		}
	}
	said := &mentioned
	if r.known = listed.votes != nil; r.known {
		said = &listed
	}
	r.name = said.name()
	slices.Sort(said.texts)
	r.texts = slices.Compact(said.texts)
	if t.Type == 0 {
		if r.kind, err = kindBy(v, t.Node); err != nil {
			return r, err
		}
	}
	r.digest = method.Digest(append([]string{"described", r.name, r.kind}, r.texts...)...)
	return r, nil
}

// voices gathers what sources say.
type voices struct {
	votes map[string]int
	texts []string
}

func (x *voices) add(c engine.Contribution) {
	if x.votes == nil {
		x.votes = map[string]int{}
	}
	x.votes[c.Label]++
	x.texts = append(x.texts, c.Texts...)
}

// name returns the label with the most votes, the first in order of equals.
func (x *voices) name() (best string) {
	for label, n := range x.votes {
		if m := x.votes[best]; best == "" || n > m || n == m && label < best {
			best = label
		}
	}
	return best
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

// merges reports whether a model is to make one text of a target's.
func (s *system) merges(r raw) bool {
	if len(r.texts) < 2 {
		return false
	}
	joined := strings.Join(r.texts, "\n")
	return len(joined) >= mergeFrom && s.c.Tokens().Count(joined) >= mergeFrom
}

// merge asks a model for one text of a target's.
func (s *system) merge(ctx context.Context, v engine.Reader, m *method.Models, w method.WorkItem, t engine.Target, r raw) (string, error) {
	if !s.merges(r) {
		return strings.Join(r.texts, "\n"), nil
	}
	name := r.name
	if t.Type != 0 {
		var ends [2]string
		for i, id := range []engine.NodeID{t.From, t.To} {
			d, err := describe(v, id)
			if err != nil {
				return "", err
			}
			ends[i] = d.name
		}
		name = ends[0] + ", " + ends[1]
	}
	in := llm.MergeInput{Name: name, MaxTokens: mergeFrom, Descriptions: r.texts[:max(1, s.fitting(r.texts, maxMerged))]}
	docs, err := docsFor(m, v, t)
	if err != nil {
		return "", err
	}
	reply, err := m.Do(ctx, s.Item(w), docs, llm.Task{Kind: llm.MergeDescriptions, Input: in})
	return reply.Text, err
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
		r, err := rawOf(v, engine.NodeTarget(n.ID))
		r.text = strings.Join(r.texts, "\n")
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
	props, err := v.EdgeProps(e.From, e.To, e.Type)
	if err != nil {
		return "", err
	}
	if d := props[propDescription]; !d.IsNull() {
		return d.AsString(), nil
	}
	var texts []string
	for c, err := range v.Contributions(engine.EdgeTarget(e.From, e.To, e.Type)) {
		if err != nil {
			return "", err
		}
		texts = append(texts, c.Texts...)
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), "\n"), nil
}

// docsFor returns the documents that a reply about targets goes with; none
// where replies are not kept.
func docsFor(m *method.Models, v engine.Reader, targets ...engine.Target) ([]string, error) {
	if m.Free {
		return nil, nil
	}
	return docsOf(v, targets...)
}

// docsOf returns the documents that a target rests on.
func docsOf(v engine.Reader, targets ...engine.Target) ([]string, error) {
	seen, docs := map[engine.NodeID]bool{}, map[string]bool{}
	chunk, _ := v.NodeType(method.ChunkNodeType)
	var visit func(t engine.Target) error
	visit = func(t engine.Target) error {
		set, err := v.Sources(t)
		if err != nil {
			return err
		}
		for it := set.Iterator(); it.HasNext(); {
			id := engine.NodeID(it.Next())
			if seen[id] {
				continue
			}
			seen[id] = true
			n, err := v.Node(id)
			if err != nil {
				return err
			}
			if n.Type == chunk {
				docs[method.DocOf(n.Key)] = true
				continue
			}
			if err := visit(engine.NodeTarget(id)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, t := range targets {
		if err := visit(t); err != nil {
			return nil, err
		}
	}
	out := make([]string, 0, len(docs))
	for d := range docs {
		out = append(out, d)
	}
	slices.Sort(out)
	return out, nil
}
