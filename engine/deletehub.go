package engine

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// DeleteNode removes a node as [TxView.DeleteNode] does. If the node has more
// edges than one transaction removes, it takes several commits, and readers see
// the edges go before the node. If it fails between two commits, it returns the
// error and what was removed so far; the same call again removes the rest.
func (db *DB) DeleteNode(ctx context.Context, g *Graph, id NodeID) (removed Removed, err error) {
	edges, ends := 0, roaring.New()
	page := make([]Edge, 0, maxTxDegree/2)
	for {
		last, more := false, 0
		err = db.Update(ctx, func(tx *Tx) (err error) {
			v := tx.Graph(g)
			page, err = v.Neighbors(id, EdgeFilter{Direction: Both}, 0, page[:0])
			if err != nil {
				return err
			}
			if last = len(page) < maxTxDegree/2; last {
				removed, err = v.DeleteNode(id)
				return err
			}
			// A directed loop is met as an out- and as an in-edge.
			page = slices.Compact(page)
			for _, e := range page {
				if err := v.check(); err != nil {
					return err
				}
				n, err := v.dropEdge(e.From, e.To, e.Type)
				if err != nil {
					return err
				}
				more += n - 1
			}
			return nil
		})
		if err != nil {
			removed, err = Removed{}, phase.Errorf("delete node %d: %w", id, err)
			break
		}
		if last {
			break
		}
		edges += len(page) + more
		for _, e := range page {
			if other := e.Other(id); other != id {
				ends.Add(uint32(other))
			}
		}
	}
	removed.Edges += edges
	for _, id := range removed.Dirty {
		ends.Add(uint32(id))
	}
	for _, id := range removed.Nodes {
		ends.Remove(uint32(id))
	}
	removed.Dirty = idsOf(ends)
	return removed, err
}
