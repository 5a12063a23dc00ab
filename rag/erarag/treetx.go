package erarag

import (
	"encoding/binary"
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/method"
)

// treeTx is a tree in a transaction.
type treeTx struct {
	tree
	w    engine.BucketWriter
	s    *system
	tx   *engine.Tx
	v    *engine.TxView
	name string
}

// change returns a tree for writing.
func (s *system) change(tx *engine.Tx, name string) (*treeTx, error) {
	v := tx.Graph(s.g)
	w, err := v.MakeBucket(treeOf(name))
	if err != nil {
		return nil, err
	}
	return &treeTx{*s.p.tree(w.Bucket), w, s, tx, v, name}, nil
}

func (t *treeTx) setLayer(layer uint8, st layerState) error {
	b := binary.BigEndian.AppendUint64(nil, st.nodes)
	return t.w.Set(layerKey('t', layer), binary.BigEndian.AppendUint64(b, st.next))
}

// count adds to the number of a layer's nodes.
func (t *treeTx) count(layer uint8, n int) error {
	st, err := t.layer(layer)
	if err != nil {
		return err
	}
	st.nodes += uint64(n)
	return t.setLayer(layer, st)
}

// changes are written if there can be a layer above.
func (t *treeTx) top(layer uint8) bool { return int(layer) >= t.s.p.Layers }

// enter makes a node one of a layer, to be put into a segment: that of number parent,
// unless this is 0.
func (t *treeTx) enter(layer uint8, id engine.NodeID, code, parent uint64) error {
	if _, ok, err := t.code(layer, id); err != nil || ok {
		return err // entered already
	}
	err := t.w.Set(idKey('n', layer, uint64(id)), binary.BigEndian.AppendUint64(nil, code))
	if err == nil && !t.top(layer) {
		how := []byte{1}
		if parent > 0 {
			how = binary.BigEndian.AppendUint64([]byte{2}, parent)
		}
		err = t.w.Set(idKey('c', layer, uint64(id)), how)
	}
	return errors.Join(err, t.count(layer, 1))
}

// leave takes a node out of a layer, to be taken out of its segment, whose
// summary is not of its items any more.
func (t *treeTx) leave(layer uint8, id engine.NodeID) error {
	code, ok, err := t.code(layer, id)
	if err != nil || !ok {
		return err
	}
	if err := errors.Join(t.w.Delete(idKey('n', layer, uint64(id))), t.count(layer, -1)); err != nil || t.top(layer) {
		return err
	}
	key := idKey('c', layer, uint64(id))
	if put, err := t.Has(key); err != nil || put {
		return errors.Join(err, t.w.Delete(key))
	}
	if err := t.w.Set(key, binary.BigEndian.AppendUint64([]byte{0}, code)); err != nil {
		return err
	}
	g, ok, err := t.holding(layer+1, runs.Item{ID: uint64(id), Code: code})
	if err != nil || !ok {
		return err
	}
	return t.markDirty(layer+1, &g)
}

// markDirty notes that a segment's summary is not of its items.
func (t *treeTx) markDirty(layer uint8, g *segment) error {
	err := t.w.Set(idKey('d', layer, g.number), nil)
	if g.summary == 0 {
		return errors.Join(err, t.w.Delete(idKey('x', layer, g.number)))
	}
	return errors.Join(err, t.w.Set(idKey('x', layer, g.number), nil))
}

// put writes a segment, which stands where it stood.
func (t *treeTx) put(layer uint8, g *segment) error {
	return t.w.Set(placeKey('s', layer, t.placeOf(g.items[0])), g.append(nil))
}

// insert writes a segment at a new place.
func (t *treeTx) insert(layer uint8, g *segment) error {
	p := t.placeOf(g.items[0])
	return errors.Join(
		t.put(layer, g), t.w.Set(backKey(layer, p), nil),
		t.w.Set(idKey('p', layer, g.number), placeKey('p', layer, p)[2:]))
}

// lift removes a segment from its place.
func (t *treeTx) lift(layer uint8, g *segment) error {
	p := t.placeOf(g.items[0])
	return errors.Join(t.w.Delete(placeKey('s', layer, p)), t.w.Delete(backKey(layer, p)))
}

// forget removes all that is known of a segment which was lifted, its summary
// included.
func (t *treeTx) forget(layer uint8, g *segment) error {
	err := errors.Join(
		t.w.Delete(idKey('p', layer, g.number)), t.w.Delete(idKey('d', layer, g.number)),
		t.w.Delete(idKey('x', layer, g.number)), t.w.Delete(idKey('l', layer, g.number)), method.ForgetJobs(t.v, segmentItem(layer, g.number)))
	if err != nil || g.summary == 0 {
		return err
	}
	return t.drop(layer, g.summary)
}

// drop removes a summary with the replies that were made from it.
func (t *treeTx) drop(layer uint8, id engine.NodeID) error {
	if err := t.leave(layer, id); err != nil {
		return err
	}
	if err := ledger.Forget(t.tx.Graph(t.s.c.Base()), t.s.madeFrom(id)); err != nil {
		return err
	}
	// All that it was made of may have gone before it.
	if _, err := t.v.DeleteNode(id); err != nil && !graph.IsMissing(err) {
		return err
	}
	return nil
}
