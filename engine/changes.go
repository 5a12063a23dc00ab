package engine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// KeepChanges has commits keep which nodes and edges they change, from the present
// version of the graph on, for [View.ChangesSince]. What is kept of commits up to the
// version after is removed; one that is ahead of the present version counts as that.
// A record takes some bytes for each node and edge.
func (v *TxView) KeepChanges(after uint64) error {
	return v.wrap("keep changes", v.keepChanges(after))
}

func (v *TxView) keepChanges(after uint64) error {
	if err := v.check(); err != nil {
		return err
	}
	now := v.st.version
	if v.noted == nil {
		v.noted = &changeNotes{since: now, missed: v.changed}
	}
	v.noted.trim = true
	v.noted.since = max(v.noted.since, min(after, now))
	return nil
}

// DropChanges ends what [TxView.KeepChanges] began, and removes what was kept.
func (v *TxView) DropChanges() error {
	err := v.check()
	if err == nil {
		v.noted = nil
	}
	return v.wrap("drop changes", err)
}

// ChangesSince returns what the commits after a version of the graph changed: the nodes
// that were written or removed, or gained or lost contributions, and so for edges, in
// order of From, Type and To, each once. An undirected edge is given from its smaller end.
// ok is false if that is not known: changes are not kept ([TxView.KeepChanges]), or were
// not at that version, or a load or a repair came since, or the version is ahead of the
// graph's. It costs a read for each commit.
func (r *reader) ChangesSince(version uint64) (nodes *roaring.Bitmap, edges []Target, ok bool, err error) {
	nodes = roaring.New()
	edges, ok, err = r.changesSince(version, nodes)
	return nodes, edges, ok, r.wrap("changes", err)
}

func (r *reader) changesSince(version uint64, nodes *roaring.Bitmap) (edges []Target, ok bool, err error) {
	since, kept, err := readChangesMeta(r)
	if err != nil || !kept || version < since {
		return nil, false, err
	}
	now, err := r.Version()
	if err != nil || version > now {
		return nil, false, err
	}
	if version == now {
		return nil, true, nil
	}
	prefix := layout.GraphPrefix(layout.TagChange, r.g)
	for p, err := range scanRange(r.ctx, r.kv, layout.Change(r.g, version+1), layout.Next(prefix)) {
		if err != nil {
			return nil, false, err
		}
		more, err := decodeChanges(p.value, nodes)
		if err != nil {
			return nil, false, corrupt(p.key, err)
		}
		edges = append(edges, more...)
	}
	slices.SortFunc(edges, compareEdgeTargets)
	return slices.Compact(edges), true, nil
}

// readChangesMeta returns the version after which changes are kept.
func readChangesMeta(r *reader) (since uint64, kept bool, err error) {
	key := layout.GraphMeta(r.g, "changes")
	b, err := r.kv.Get(r.ctx, key, nil)
	switch {
	case errors.Is(err, ErrNotFound):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	case len(b) != 8:
		return 0, false, corrupt(key, errors.New("wrong length"))
	}
	return layout.Uint64(b), true, nil
}

func compareEdgeTargets(a, b Target) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To))
}

// changeNotes are what a transaction changes in a graph whose changes are kept.
type changeNotes struct {
	since  uint64 // the version after which changes are kept
	missed bool   // something was changed and not noted
	trim   bool   // records that are not needed any more are removed; a load removes nothing
	nodes  *roaring.Bitmap
	edges  map[edgeKey]struct{}
}

// noteNode notes that the transaction changes a node.
func (v *TxView) noteNode(id NodeID) {
	v.changed = true
	v.wrote++
	if n := v.noted; n != nil && id <= math.MaxUint32 {
		if n.nodes == nil {
			n.nodes = roaring.New()
		}
		n.nodes.Add(uint32(id))
	}
}

// noteTarget notes that the transaction changes a node or edge.
func (v *TxView) noteTarget(t layout.Target) {
	if t.Kind == layout.OfNode {
		v.noteNode(NodeID(t.A))
		return
	}
	v.changed = true
	if n := v.noted; n != nil {
		if n.edges == nil {
			n.edges = map[edgeKey]struct{}{}
		}
		n.edges[edgeKey{t.A, t.B, t.Type}] = struct{}{}
	}
}

// noteMissed says that the transaction changes what it does not note.
func (v *TxView) noteMissed() {
	v.changed = true
	if v.noted != nil {
		v.noted.missed = true
	}
}

// flushChanges writes what was noted, for the version that the commit has.
func (v *TxView) flushChanges(version uint64) error {
	o := v.transact.overlay
	meta := layout.GraphMeta(v.g, "changes")
	before, kept := v.st.changes, v.st.keepsChanges
	n := v.noted
	if n == nil {
		if kept {
			o.Delete(meta)
			return v.dropChangesBelow(math.MaxUint64)
		}
		return nil
	}
	if n.missed {
		n.since = version
	}
	if !kept || n.since != before {
		o.Set(meta, appendUint64(nil, n.since))
	}
	if n.trim {
		if err := v.dropChangesBelow(n.since); err != nil {
			return err
		}
	}
	if !n.missed && (n.nodes != nil || len(n.edges) > 0) {
		o.Set(layout.Change(v.g, version), n.encode())
	}
	return nil
}

// dropChangesBelow removes what is kept of commits up to a version.
func (v *TxView) dropChangesBelow(version uint64) error {
	end := layout.Next(layout.GraphPrefix(layout.TagChange, v.g))
	if version < math.MaxUint64 {
		end = layout.Change(v.g, version+1)
	}
	for p, err := range scanRange(v.ctx, v.transact.base, layout.Change(v.g, 0), end) {
		if err != nil {
			return err
		}
		v.transact.overlay.Delete(p.key)
	}
	return nil
}

// encode returns the notes as a record.
func (n *changeNotes) encode() []byte {
	b := binary.AppendUvarint(nil, 0)
	if n.nodes != nil {
		b = binary.AppendUvarint(b[:0], n.nodes.GetCardinality())
		last := uint32(0)
		for it := n.nodes.Iterator(); it.HasNext(); {
			id := it.Next()
			b = binary.AppendUvarint(b, uint64(id-last))
			last = id
		}
	}
	last := uint64(0)
	for _, k := range slices.SortedFunc(maps.Keys(n.edges), func(x, y edgeKey) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.etype, y.etype), cmp.Compare(x.b, y.b))
	}) {
		b = binary.AppendUvarint(b, k.a-last)
		b = binary.AppendUvarint(b, uint64(k.etype))
		b = binary.AppendUvarint(b, k.b)
		last = k.a
	}
	return b
}

// decodeChanges adds the nodes of a record to a set, and returns its edges.
func decodeChanges(b []byte, nodes *roaring.Bitmap) (edges []Target, err error) {
	bad := func(what string) ([]Target, error) { return nil, fmt.Errorf("changes: %s", what) }
	next := func(limit uint64) (uint64, bool) {
		x, n := binary.Uvarint(b)
		if n <= 0 || x > limit {
			return 0, false
		}
		b = b[n:]
		return x, true
	}
	count, ok := next(uint64(len(b)))
	if !ok {
		return bad("a number of nodes")
	}
	last := uint64(0)
	for range count {
		d, ok := next(math.MaxUint32)
		if last += d; !ok || d == 0 || last > math.MaxUint32 {
			return bad("a node")
		}
		nodes.Add(uint32(last))
	}
	for last = 0; len(b) > 0; {
		d, ok1 := next(math.MaxUint32)
		t, ok2 := next(math.MaxUint32)
		to, ok3 := next(math.MaxUint32)
		if last += d; !ok1 || !ok2 || !ok3 || last > math.MaxUint32 || t == 0 {
			return bad("an edge")
		}
		edges = append(edges, EdgeTarget(NodeID(last), NodeID(to), EdgeType(t)))
	}
	return edges, nil
}
