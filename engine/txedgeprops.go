package engine

import (
	"fmt"

	"github.com/ragdb/ragdb/internal/layout"
)

// stored returns an edge as keys name it: that of an undirected type from the smaller
// end.
func (e Edge) stored() Edge {
	if !e.Type.Directed() && e.From > e.To {
		e.From, e.To = e.To, e.From
	}
	return e
}

// identity returns what tells an edge from others.
func (e Edge) identity() Edge {
	e = e.stored()
	e.Weight = 0
	return e
}

// entry returns an edge as indexes of edges name it.
func (e Edge) entry() layout.EdgeEntry {
	e = e.stored()
	return layout.EdgeEntry{From: uint64(e.From), Type: uint32(e.Type), To: uint64(e.To), Ordinal: e.N}
}

// edgeAt returns the edge that an entry names.
func edgeAt(e layout.EdgeEntry) Edge {
	return Edge{From: NodeID(e.From), Type: EdgeType(e.Type), To: NodeID(e.To), N: e.Ordinal}
}

// recordKey returns the key of an edge's record.
func (r *reader) recordKey(e Edge) []byte {
	e = e.stored()
	return layout.Edge(r.g, uint64(e.From), uint32(e.Type), uint64(e.To), e.N)
}

// EdgeProps returns the properties of an edge, nil if it has none or is not there.
func (r *reader) EdgeProps(e Edge) (Props, error) {
	props, err := r.edgeRecord(e)
	if err != nil || props == nil {
		return nil, r.wrap(fmt.Sprintf("edge %d-%d", e.From, e.To), err)
	}
	return r.named(props), nil
}

// SetEdgeProps writes the properties of an existing edge, none if props is
// empty. The edge's weight does not matter.
func (v *TxView) SetEdgeProps(e Edge, props Props) error {
	return v.wrap(fmt.Sprintf("set properties of edge %d-%d", e.From, e.To), v.setEdgeProps(e, props))
}

func (v *TxView) setEdgeProps(e Edge, props Props) error {
	if err := v.checkEdge(e.From, e.To, e.Type); err != nil {
		return err
	}
	if !v.addedLast(e) {
		_, ok, err := v.edge(e)
		if err != nil {
			return err
		}
		if !ok {
			return ErrNotFound
		}
	}
	list, err := v.propsOf(props)
	if err != nil {
		return err
	}
	if v.hasRules() {
		old, err := v.edgeRecord(e)
		if err == nil {
			err = v.reindexEdge(e, old, list, false)
		}
		if err != nil {
			return err
		}
	}
	if len(list) == 0 {
		if err := v.deleteRecord(e); err != nil {
			return err
		}
	} else {
		v.transact.overlay.Set(v.recordKey(e), encodeEdge(v.transact.fb, v.transact.epoch, list))
	}
	v.noteTarget(edgeTarget(e.From, e.To, e.Type))
	return nil
}

// deleteRecord takes the properties of an edge away: an empty record hides those that
// a block has.
func (v *TxView) deleteRecord(e Edge) error {
	_, hidden, err := v.blockProps(e.identity())
	if err != nil {
		return err
	}
	if k := v.recordKey(e); hidden {
		v.transact.overlay.Set(k, encodeEdge(v.transact.fb, v.transact.epoch, nil))
	} else {
		v.transact.overlay.Delete(k)
	}
	return nil
}

// addedLast reports whether the last change of an edge was to add this one. To
// look for it would fold the changes of its lists, which costs as much as they
// are long.
func (v *TxView) addedLast(e Edge) bool {
	e = e.stored()
	if len(v.edges) < 2 || e.N > 0 || v.st.parallel.Load() {
		return false
	}
	op := &v.edges[len(v.edges)-2] // of the list of what goes out; see bufferEdge
	return !op.remove && op.node == uint64(e.From) && op.other == uint64(e.To) && op.etype == uint32(e.Type)
}
