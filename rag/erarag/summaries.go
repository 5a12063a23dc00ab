package erarag

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// summaryStage makes the summaries of a layer's segments whose items are not
// those that their summaries are of. A summary is a new node, and the one
// before it goes in the same transaction.
type summaryStage struct {
	graph.Stage
	s      *system
	model  llm.SpaceInfo
	layer  uint8
	planes *planes
}

// Items implements [method.Stage]: the dirty segments.
func (st *summaryStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		t := st.s.tree(s.Graph(st.s.g).WithContext(ctx), treeName(st.model))
		var numbers []uint64
		add := func(number uint64, _ []byte) error {
			numbers = append(numbers, number)
			return nil
		}
		err := t.ids('d', st.layer, add)
		if err == nil && st.s.again {
			err = t.ids('l', st.layer, add)
			slices.Sort(numbers)
			numbers = slices.Compact(numbers)
		}
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		for _, number := range numbers {
			g, ok, err := t.numbered(st.layer, number)
			if err == nil && !ok {
				err = fmt.Errorf("segment %d of layer %d: %w", number, st.layer, engine.ErrNotFound)
			}
			w := method.WorkItem{Key: segmentItem(st.layer, number)}
			if err == nil {
				w.Digest, err = st.digest(t, &g)
			}
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// made is a summary: what it is made of, and what it says.
type made struct {
	of   []engine.NodeID
	code uint64
	text string
	vec  []float32
	// rules says that the text is made by rules.
	rules bool
}

func (d *made) append(dst []byte) []byte {
	rules := uint64(0)
	if d.rules {
		rules = 1
	}
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, rules), uint64(len(d.of)))
	for _, id := range d.of {
		dst = binary.AppendUvarint(dst, uint64(id))
	}
	dst = binary.AppendUvarint(dst, d.code)
	dst = binary.AppendUvarint(dst, uint64(len(d.text)))
	return encoded.AppendVector(append(dst, d.text...), d.vec)
}

func readMade(b []byte) (d made, err error) {
	next := func() uint64 {
		x, n := binary.Uvarint(b)
		if n <= 0 {
			err = errors.New("malformed result of the summary stage")
			return 0
		}
		b = b[n:]
		return x
	}
	d.rules = next() == 1
	for n := next(); n > 0 && err == nil; n-- {
		d.of = append(d.of, engine.NodeID(next()))
	}
	d.code = next()
	n := next()
	if err != nil || n > uint64(len(b)) {
		return d, errors.New("malformed result of the summary stage")
	}
	d.text, d.vec = string(b[:n]), encoded.ReadVector(b[n:])
	return d, nil
}

// Do implements [method.Stage]. Items that have gone since their segment was
// looked at are left out: their segment is looked at again.
func (st *summaryStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	layer, number, err := parseSegment(w.Key)
	if err != nil {
		return nil, err
	}
	t := st.s.tree(v, treeName(st.model))
	g, ok, err := t.numbered(layer, number)
	if err != nil || !ok {
		return nil, err
	}
	d, texts, from := made{}, []string{}, []string{}
	if d.rules, err = st.s.byRules(t, layer, number); err != nil {
		return nil, err
	}
	for _, it := range g.items {
		text, source, err := st.s.textOf(ctx, s, engine.NodeID(it.ID))
		if graph.IsMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		d.of, texts = append(d.of, engine.NodeID(it.ID)), append(texts, text)
		if !slices.Contains(from, source) {
			from = append(from, source)
		}
	}
	if len(texts) == 0 {
		return nil, nil
	}
	if d.text, err = st.summarise(ctx, m, w, from, texts, d.rules); err != nil {
		return nil, err
	}
	if d.text == "" {
		return nil, errors.New("the summary is empty")
	}
	vecs, err := m.Embed(ctx, from, []string{d.text})
	if err != nil {
		return nil, err
	}
	d.vec = vecs[0]
	if d.code, err = st.planes.code(v, d.vec); err != nil {
		return nil, err
	}
	return d.append(nil), nil
}

// textOf returns the text of a node of the tree, and what replies made of it
// are made from: the chunk's document, or the summary.
func (s *system) textOf(ctx context.Context, snap *engine.Snapshot, id engine.NodeID) (text, source string, err error) {
	v := snap.Graph(s.g).WithContext(ctx)
	n, err := v.Node(id)
	if err != nil {
		return "", "", err
	}
	if v.NodeTypeName(n.Type) == method.ChunkNodeType {
		text, _, err = s.c.TextOf(ctx, snap, s.p.Chunks, n.Key)
		return text, method.DocOf(n.Key), err
	}
	text, err = summaryText(v, n)
	return text, s.madeFrom(id), err
}

// summaryText returns the text of a summary.
func summaryText(v engine.Reader, n engine.Node) (string, error) {
	p := n.Prop(propText)
	if p.Kind() == engine.KindText {
		return v.Text(n.ID, propText)
	}
	return p.AsString(), nil
}

// Apply implements [method.Stage].
func (st *summaryStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	if len(result) == 0 {
		return nil
	}
	d, err := readMade(result)
	if err != nil {
		return err
	}
	layer, number, err := parseSegment(w.Key)
	if err != nil {
		return err
	}
	t, err := st.s.change(tx, treeName(st.model))
	if err != nil {
		return err
	}
	g, ok, err := t.numbered(layer, number)
	if err != nil || !ok {
		return err
	}
	if now, err := st.digest(&t.tree, &g); err != nil || now != w.Digest {
		return err // it has changed, and is dirty still
	}
	for _, id := range d.of {
		if _, ok, err := t.code(layer-1, id); err != nil || !ok {
			return err // it has gone, and the segment will change
		}
		if _, err := t.v.Node(id); graph.IsMissing(err) {
			return nil // a summary that went with all it was made of
		} else if err != nil {
			return err
		}
	}
	if !d.rules {
		if err := t.w.Delete(idKey('l', layer, number)); err != nil {
			return err
		}
	}
	before := g.summary
	if before != 0 {
		if err := t.noteParent(layer, &g); err != nil {
			return err
		}
	}
	if g.summary, err = st.write(t, &g, &d, w); err != nil {
		return err
	}
	g.of = g.digest()
	if err := t.put(layer, &g); err != nil {
		return err
	}
	if err := t.settle(layer, &g); err != nil || before == 0 {
		return err
	}
	return t.drop(layer, before)
}

// write makes the node of a summary.
func (st *summaryStage) write(t *treeTx, g *segment, d *made, w method.WorkItem) (engine.NodeID, error) {
	typ, err := t.v.MakeNodeType(typeSummary)
	if err != nil {
		return 0, err
	}
	by := ""
	if d.rules {
		by = byRulesMark // the model may read the same items later
	}
	key := fmt.Sprintf("%d/%d/%x%s@%s", st.layer, g.number, w.Digest[:6], by, t.name)
	id, _, err := t.v.DeriveNode(typ, key)
	if err != nil {
		return 0, err
	}
	err = t.v.SetProps(id, engine.Props{
		propText: engine.String(d.text), propTokens: engine.Int(int64(st.s.c.Tokens().Count(d.text))),
		propLayer: engine.Int(int64(st.layer)), propSegment: engine.Int(int64(g.number)), propModel: engine.String(t.name),
	})
	if err != nil {
		return 0, err
	}
	if err := st.putWords(t, id, d.text); err != nil {
		return 0, err
	}
	for _, child := range d.of {
		if err := t.v.Contribute(child, engine.NodeTarget(id), engine.Contribution{Count: 1}); err != nil {
			return 0, err
		}
	}
	if d.vec != nil {
		if err := t.putVector(st.layer, id, d.vec, st.model); err != nil {
			return 0, err
		}
	}
	return id, t.enter(st.layer, id, d.code, g.parent)
}

// putWords makes a summary one that is found by its words.
func (st *summaryStage) putWords(t *treeTx, id engine.NodeID, text string) error {
	a := st.s.c.Analyzer(text)
	if err := t.v.MakeField(fieldSummaries, engine.FieldOptions{Analyzer: a.Name()}); err != nil {
		return err
	}
	return t.v.PutTerms(fieldSummaries, id, a.Terms(text))
}
