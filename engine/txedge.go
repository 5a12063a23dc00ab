package engine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// edgeOp is one half of an edge's change: what it does to the list of one end.
type edgeOp struct {
	node, other uint64
	etype       uint32
	weight      float32
	seq         uint32 // among the buffered changes
	dir         layout.Direction
	remove      bool
}

func (a *edgeOp) compareList(b *edgeOp) int {
	if c := cmp.Compare(a.dir, b.dir); c != 0 {
		return c
	}
	if c := cmp.Compare(a.node, b.node); c != 0 {
		return c
	}
	return cmp.Compare(a.etype, b.etype)
}

// edgeOpBytes is what a buffered edge counts towards a transaction's size.
const edgeOpBytes = 48

// AddEdge adds the edge from -> to of a type, or changes its weight if it
// exists; weight 1 is the weight of an edge without one. Both nodes must
// exist. Of parallel edges it is the one with the number 0. Edges that sources
// contribute ([TxView.Contribute]) have their weight from there and are not added this
// way.
func (v *TxView) AddEdge(from, to NodeID, t EdgeType, weight float32) error {
	if err := v.addEdge(from, to, t, weight); err != nil {
		return v.wrap(fmt.Sprintf("add edge %d-%d %q", from, to, v.EdgeTypeName(t)), err)
	}
	return nil
}

func (v *TxView) addEdge(from, to NodeID, t EdgeType, weight float32) error {
	if err := v.checkEdge(from, to, t); err != nil {
		return err
	}
	if w := float64(weight); math.IsNaN(w) || math.IsInf(w, 0) {
		return phase.Mark(ErrInvalid, "weight %v", weight)
	}
	if v.hasRules() {
		rules, err := v.edgeRules(uint32(t))
		if err != nil {
			return err
		}
		v.oweEdge(Edge{From: from, To: to, Type: t}, rules, nil)
	}
	if v.st.parallel.Load() {
		return v.putNumbered(Edge{From: from, To: to, Type: t, Weight: weight})
	}
	v.bufferEdge(from, to, t, weight, false)
	return nil
}

func (v *TxView) checkEdge(from, to NodeID, t EdgeType) error {
	if err := v.check(); err != nil {
		return err
	}
	if v.EdgeTypeName(t) == "" {
		return phase.Mark(ErrInvalid, "unknown edge type %d", t)
	}
	for _, id := range [2]NodeID{from, to} {
		if ok, err := v.exists(id); err != nil {
			return err
		} else if !ok {
			return fmt.Errorf("node %d: %w", id, ErrNotFound)
		}
	}
	return nil
}

// bufferEdge notes a change of both lists of an edge.
func (v *TxView) bufferEdge(from, to NodeID, t EdgeType, weight float32, remove bool) {
	a, b := uint64(from), uint64(to)
	if !t.Directed() && a > b {
		a, b = b, a
	}
	seq := uint32(len(v.edges))
	v.edges = append(v.edges,
		edgeOp{node: a, other: b, etype: uint32(t), weight: weight, seq: seq, dir: layout.Out, remove: remove},
		edgeOp{node: b, other: a, etype: uint32(t), weight: weight, seq: seq, dir: layout.In, remove: remove})
	v.transact.bulky += 2 * edgeOpBytes
	v.noteTarget(layout.Target{Kind: layout.OfEdge, A: a, Type: uint32(t), B: b})
}

// applyEdges moves the buffered changes into the overlay: one merge for each
// list touched, the last change of an edge winning.
func (v *TxView) applyEdges() (err error) {
	if len(v.edges) == 0 {
		return nil
	}
	ops := v.edges
	v.edges = nil
	if invariants {
		v.applied = append(v.applied, ops[max(0, len(ops)-verifyEdges):]...)
	}
	slices.SortFunc(ops, func(a, b edgeOp) int {
		if c := a.compareList(&b); c != 0 {
			return c
		}
		if c := cmp.Compare(a.other, b.other); c != 0 {
			return c
		}
		return cmp.Compare(a.seq, b.seq)
	})
	old := inlineLengths{v: v}
	defer func() { err = errors.Join(err, old.close()) }()
	var add layout.Set
	var remove []uint64
	for i := 0; i < len(ops); {
		j := i
		add.Reset()
		remove = remove[:0]
		for ; j < len(ops) && ops[j].compareList(&ops[i]) == 0; j++ {
			switch op := &ops[j]; {
			case j+1 < len(ops) && ops[j+1].other == op.other && ops[j+1].compareList(op) == 0:
				// A later change of the same edge follows.
			case op.remove:
				remove = append(remove, op.other)
			default:
				add.Push(op.other, op.weight)
			}
		}
		key := listKey{ops[i].dir, ops[i].node, ops[i].etype}
		if err := v.changeList(&old, key, &add, remove); err != nil {
			return err
		}
		i = j
	}
	v.transact.bulky -= len(ops) * edgeOpBytes
	return nil
}

// applyList merges changes into one list.
func (v *TxView) applyList(key listKey, add *layout.Set, remove []uint64) error {
	old := inlineLengths{v: v}
	return errors.Join(v.changeList(&old, key, add, remove), old.close())
}

// changeList is applyList with the lengths of the lists as they are.
func (v *TxView) changeList(old *inlineLengths, key listKey, add *layout.Set, remove []uint64) error {
	if v.isPromoted(key) {
		v.mergeContainers(key, add, remove)
		return nil
	}
	n, err := v.lengthBound(old, key)
	if err != nil {
		return err
	}
	n += uint32(len(add.IDs))
	if int(n) > v.transact.db.opts.PromoteAt {
		// The bound counts edges that were there already: look.
		var long bool
		if n, long, err = v.promoteIfLong(key, add, remove); err != nil || long {
			return err
		}
	}
	v.st.lengths.set(key, n, v.nextNode)
	// The overlay copies both.
	old.key = layout.AppendAdjacency(old.key[:0], key.dir, v.g, key.node, key.etype)
	old.value = layout.AppendDelta(old.value[:0], add.IDs, add.Weights, remove)
	v.transact.overlay.Merge(old.key, old.value)
	if len(remove) > 0 {
		v.shrunk[string(old.key)] = struct{}{}
	}
	return nil
}

func (v *TxView) isPromoted(key listKey) bool {
	if key.node > math.MaxUint32 {
		return false
	}
	k := promotedKey{key.dir, key.etype}
	if rb := v.st.promoted[k]; rb != nil && rb.Contains(uint32(key.node)) {
		return true
	}
	rb := v.promoted[k]
	return rb != nil && rb.Contains(uint32(key.node))
}

// lengthBound returns a number that the length of an inline list does not
// exceed. The first time that a list is met it is read; from then on added
// edges are counted, so that adding stays a blind write.
func (v *TxView) lengthBound(old *inlineLengths, key listKey) (uint32, error) {
	if n, known := v.st.lengths.bound(key); known {
		return n, nil
	}
	n, err := old.length(key)
	return uint32(n), err
}

// inlineLengths reads the lengths of lists that are under one key, as they
// were when the first was asked for.
type inlineLengths struct {
	v  *TxView
	it kv.Iterator // over all lists, nil until the first is asked for

	key, value []byte // used again
}

// length returns the length of a list. Asking in ascending order is cheapest.
func (l *inlineLengths) length(key listKey) (int, error) {
	if l.it == nil {
		it, err := l.v.kv.Iter(l.v.ctx, []byte{byte(layout.TagOut)}, []byte{byte(layout.TagPromoted)})
		if err != nil {
			return 0, err
		}
		l.it = it
	}
	l.key = layout.AppendAdjacency(l.key[:0], key.dir, l.v.g, key.node, key.etype)
	if !l.it.SeekPrefix(l.key) || !bytes.Equal(l.it.Key(), l.key) {
		return 0, l.it.Err()
	}
	n, err := layout.SetLen(l.it.Value())
	if err != nil {
		return 0, firstError(l.it.Err(), corrupt(l.key, err))
	}
	return n, nil
}

func (l *inlineLengths) close() error {
	if l.it == nil {
		return nil
	}
	return l.it.Close()
}

// promoteIfLong moves a list into containers if the changes make it longer
// than one key should hold. If they do not, it returns the list's length
// with the additions.
func (v *TxView) promoteIfLong(key listKey, add *layout.Set, remove []uint64) (n uint32, long bool, err error) {
	k := layout.Adjacency(key.dir, v.g, key.node, key.etype)
	b, err := v.kv.Get(v.ctx, k, nil)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return 0, false, err
	}
	var old layout.Set
	if err == nil {
		if err := layout.ReadSet(b, &old); err != nil {
			return 0, false, corrupt(k, err)
		}
	}
	fresh := 0
	for _, id := range add.IDs {
		if _, has := slices.BinarySearch(old.IDs, id); !has {
			fresh++
		}
	}
	if n := len(old.IDs) + fresh; n <= v.transact.db.opts.PromoteAt {
		return uint32(n), false, nil
	}
	o := v.transact.overlay
	o.Delete(k)
	v.mergeContainers(key, &old, nil)
	v.mergeContainers(key, add, remove)
	o.Merge(layout.Promoted(v.g, key.dir, key.etype, layout.Container(key.node)), layout.AppendAdd(nil, key.node&0xFFFF, 1))
	v.notePromoted(key)
	return 0, true, nil
}

// notePromoted notes that a list is in containers once the transaction is
// committed.
func (v *TxView) notePromoted(key listKey) {
	k := promotedKey{key.dir, key.etype}
	if v.promoted[k] == nil {
		v.promoted[k] = roaring.New()
	}
	v.promoted[k].Add(uint32(key.node))
}

// mergeContainers merges changes into the containers of a promoted list.
func (v *TxView) mergeContainers(key listKey, add *layout.Set, remove []uint64) {
	var part layout.Set
	var gone []uint64
	i, j := 0, 0
	for i < len(add.IDs) || j < len(remove) {
		c := uint64(math.MaxUint64)
		if i < len(add.IDs) {
			c = layout.Container(add.IDs[i])
		}
		if j < len(remove) {
			c = min(c, layout.Container(remove[j]))
		}
		part.Reset()
		gone = gone[:0]
		for ; i < len(add.IDs) && layout.Container(add.IDs[i]) == c; i++ {
			part.Push(add.IDs[i]&0xFFFF, add.Weight(i))
		}
		for ; j < len(remove) && layout.Container(remove[j]) == c; j++ {
			gone = append(gone, remove[j]&0xFFFF)
		}
		k := layout.AdjacencyContainer(key.dir, v.g, key.node, key.etype, c)
		v.transact.overlay.Merge(k, layout.AppendDelta(nil, part.IDs, part.Weights, gone))
		if len(gone) > 0 {
			v.shrunk[string(k)] = struct{}{}
		}
	}
}
