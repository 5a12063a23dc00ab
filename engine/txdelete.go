package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// Removed lists what a removal took away.
type Removed struct {
	// Nodes are the nodes removed, ascending, the one asked for included.
	Nodes []NodeID
	// Dirty are the nodes that remain and lost an edge, a contribution or part
	// of a weight, ascending.
	Dirty []NodeID
	// Edges counts the edges removed.
	Edges int
}

// merge adds what another removal took.
func (r *Removed) merge(nodes, dirty *roaring.Bitmap) {
	dirty.AndNot(nodes)
	r.Nodes, r.Dirty = idsOf(nodes), idsOf(dirty)
}

func idsOf(rb *roaring.Bitmap) []NodeID {
	out := make([]NodeID, 0, rb.GetCardinality())
	for it := rb.Iterator(); it.HasNext(); {
		out = append(out, NodeID(it.Next()))
	}
	return out
}

// maxTxDegree is the number of edges up to which a transaction removes a node
// with all of them; [DB.DeleteNode] takes greater ones apart first.
const maxTxDegree = 100_000

// DeleteNode removes a node with its edges, texts, terms, vectors and index
// entries, withdraws what it contributed to others, and so removes derived
// nodes that nothing else supports. A node of more than 100,000 edges is
// [ErrTxTooLarge]: [DB.DeleteNode] removes it in several commits.
func (v *TxView) DeleteNode(id NodeID) (Removed, error) {
	r, err := v.deleteNodes([]NodeID{id}, nil)
	return r, v.wrap(fmt.Sprintf("delete node %d", id), err)
}

// removal is the state of a cascade of removals.
type removal struct {
	work  []NodeID        // to be deleted
	nodes *roaring.Bitmap // deleted or in work
	dirty *roaring.Bitmap
	edges int
}

func (r *removal) add(id NodeID) {
	if r.nodes.CheckedAdd(uint32(id)) {
		r.work = append(r.work, id)
	}
}

// deleteNodes removes nodes, withdraws sources that remain themselves, and
// follows what becomes unsupported.
func (v *TxView) deleteNodes(ids []NodeID, withdraw []NodeID) (Removed, error) {
	if err := v.check(); err != nil {
		return Removed{}, err
	}
	r := &removal{nodes: roaring.New(), dirty: roaring.New()}
	for _, id := range ids {
		if id > math.MaxUint32 {
			return Removed{}, ErrNotFound
		}
		r.add(id)
	}
	for _, id := range withdraw {
		if err := v.withdrawFrom(id, r); err != nil {
			return Removed{}, err
		}
	}
	for len(r.work) > 0 {
		id := r.work[0]
		r.work = r.work[1:]
		if err := v.deleteOne(id, r); err != nil {
			return Removed{}, err
		}
	}
	out := Removed{Edges: r.edges}
	out.merge(r.nodes, r.dirty)
	return out, nil
}

// deleteOne removes one node and adds to r what that concerns.
func (v *TxView) deleteOne(id NodeID, r *removal) error {
	rec, err := v.record(id, true)
	if err != nil {
		return err
	}
	if err := v.withdrawFrom(id, r); err != nil {
		return err
	}
	if err := v.dropContributions(layout.Target{Kind: layout.OfNode, A: uint64(id)}); err != nil {
		return err
	}
	if err := v.deleteEdgesOf(id, r); err != nil {
		return err
	}
	if err := v.reindexNode(id, &rec, &record{}); err != nil {
		return err
	}
	if err := v.deleteAllTerms(id); err != nil {
		return err
	}
	if err := v.deleteAllVectors(id); err != nil {
		return err
	}
	v.deleteTexts(id, rec.props)
	o := v.transact.overlay
	o.Delete(layout.Node(v.g, uint64(id)))
	v.staleNode(id)
	o.Delete(layout.ExternalKey(v.g, rec.ntype, rec.key))
	for _, t := range rec.types() {
		v.leaveSet(id, t)
	}
	if v.died == nil {
		v.died = roaring.New()
	}
	v.died.Add(uint32(id))
	if v.born != nil {
		v.born.Remove(uint32(id))
	}
	v.noteNode(id)
	return nil
}

// deleteEdgesOf removes all edges of a node with their records and
// contributions.
func (v *TxView) deleteEdgesOf(id NodeID, r *removal) error {
	page := make([]Edge, 0, 4096)
	for after := NodeID(0); ; {
		var err error
		if page, err = v.Neighbors(id, EdgeFilter{Direction: Both}, after, page[:0]); err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		// A loop of a directed type is met as an out- and as an in-edge.
		page = slices.Compact(page)
		for _, e := range page {
			n, err := v.dropEdge(e.From, e.To, e.Type)
			if err != nil {
				return err
			}
			if r.edges += n; r.edges > maxTxDegree {
				return fmt.Errorf("%w: more than %d edges", ErrTxTooLarge, maxTxDegree)
			}
			after = e.Other(id)
			if after != id {
				r.dirty.Add(uint32(after))
			}
		}
	}
	return nil
}
