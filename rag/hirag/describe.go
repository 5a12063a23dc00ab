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
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/vecindex"
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
	r.digest = rag.Digest(append([]string{"described", r.name, r.kind}, r.texts...)...)
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
func (s *System) merges(r raw) bool {
	if len(r.texts) < 2 {
		return false
	}
	joined := strings.Join(r.texts, "\n")
	return len(joined) >= mergeFrom && s.c.Tokens.Count(joined) >= mergeFrom
}

// merge asks a model for one text of a target's.
func (s *System) merge(ctx context.Context, v engine.Reader, m *rag.Models, w rag.WorkItem, t engine.Target, r raw) (string, error) {
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
	in := llm.MergeInput{Name: name, MaxTokens: mergeFrom}
	tokens := 0
	for _, text := range r.texts {
		if tokens += s.c.Tokens.Count(text); tokens > maxMerged && len(in.Descriptions) > 0 {
			break
		}
		in.Descriptions = append(in.Descriptions, text)
	}
	docs, err := docsOf(v, t)
	if err != nil {
		return "", err
	}
	reply, err := m.Do(ctx, s.Item(w), docs, llm.Task{Kind: llm.MergeDescriptions, Input: in})
	return reply.Text, err
}

// describe returns what a node is called and described as: by what the
// entities stage made of it, else by its sources.
func describe(v engine.Reader, id engine.NodeID) (described, error) {
	n, err := v.Node(id)
	if err != nil {
		return described{}, err
	}
	if n.Prop(propOf).IsNull() {
		r, err := rawOf(v, engine.NodeTarget(id))
		r.text = strings.Join(r.texts, "\n")
		return r.described, err
	}
	d := described{name: n.Prop(propName).AsString(), kind: n.Prop(propKind).AsString(), known: true}
	text := n.Prop(propDescription)
	if d.text = text.AsString(); text.Kind() == engine.KindText {
		d.text, err = v.Text(id, propDescription)
	}
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
	total, err := v.Total(engine.EdgeTarget(e.From, e.To, e.Type))
	return strings.Join(slices.Sorted(slices.Values(total.Texts)), "\n"), err
}

// docsOf returns the documents that a target rests on.
func docsOf(v engine.Reader, targets ...engine.Target) ([]string, error) {
	seen, docs := map[engine.NodeID]bool{}, map[string]bool{}
	chunk, _ := v.NodeType(rag.ChunkNodeType)
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
				docs[rag.DocOf(n.Key)] = true
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

// nodeStage describes the entities, or the summaries of a layer, and gives them
// their vectors, of name and description (spec B.2.7).
type nodeStage struct {
	s     *System
	layer int
	model llm.SpaceInfo
}

// Name implements [rag.Stage].
func (st *nodeStage) Name() string {
	if st.layer == 0 {
		return "entities"
	}
	return "vectors " + strconv.Itoa(st.layer)
}

// Graph implements [rag.Stage].
func (st *nodeStage) Graph() *engine.Graph { return st.s.g }

// Items implements [rag.Stage].
func (st *nodeStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[rag.WorkItem, error] {
	return func(yield func(rag.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		nodes, err := st.s.layerNodes(v, st.layer)
		if err != nil {
			yield(rag.WorkItem{}, err)
			return
		}
		for _, n := range nodes {
			r, err := rawOf(v, engine.NodeTarget(n.id))
			w := rag.WorkItem{Key: nodeItem(n.id), Digest: rag.Digest("node", st.model.Model, string(r.digest[:]))}
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// layerNodes returns the entities, or the summaries of a layer.
func (s *System) layerNodes(v engine.Reader, layer int) ([]node, error) {
	if layer == 0 {
		return nodesOf(v, typeEntity)
	}
	all, err := nodesOf(v, typeSummary)
	return slices.DeleteFunc(all, func(n node) bool { return n.layer != layer }), err
}

// Do implements [rag.Stage]: the digest of what the description is made of, the
// length of the description, it, and the vector.
func (st *nodeStage) Do(ctx context.Context, s *engine.Snapshot, m *rag.Models, w rag.WorkItem) ([]byte, error) {
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
	docs, err := docsOf(v, target)
	if err != nil {
		return nil, err
	}
	vecs, err := m.Embed(ctx, docs, []string{r.name + ": " + text})
	if err != nil {
		return nil, err
	}
	return rag.AppendVector(out, vecs[0]), nil
}

// Apply implements [rag.Stage].
func (st *nodeStage) Apply(_ context.Context, tx *engine.Tx, _ rag.WorkItem, result []byte) error {
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
	if err := rag.MakeSpace(v, space, st.model, vecindex.Cosine); err != nil {
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
type relationStage struct{ s *System }

// Name implements [rag.Stage].
func (st *relationStage) Name() string { return "relations" }

// Graph implements [rag.Stage].
func (st *relationStage) Graph() *engine.Graph { return st.s.g }

// Items implements [rag.Stage]: relations whose texts are too long together, or
// were when they were last described.
func (st *relationStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[rag.WorkItem, error] {
	return func(yield func(rag.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		t, ok := v.EdgeType(edgeRelation)
		if !ok {
			return
		}
		for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{t}}) {
			if err != nil {
				yield(rag.WorkItem{}, err)
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
func (st *relationStage) item(v engine.Reader, e engine.Edge) (w rag.WorkItem, pending bool, err error) {
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
	return rag.WorkItem{Key: relationItem(e.From, e.To), Digest: r.digest}, true, nil
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

// Do implements [rag.Stage].
func (st *relationStage) Do(ctx context.Context, s *engine.Snapshot, m *rag.Models, w rag.WorkItem) ([]byte, error) {
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

// Apply implements [rag.Stage].
func (st *relationStage) Apply(_ context.Context, tx *engine.Tx, w rag.WorkItem, result []byte) error {
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
