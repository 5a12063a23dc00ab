package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// DeleteNode removes a node as [TxView.DeleteNode] does, in several commits
// where it has more edges than one transaction removes: readers then see its
// edges go before the node itself, and a call that is interrupted is completed
// by the same call.
func (db *DB) DeleteNode(ctx context.Context, g *Graph, id NodeID) (removed Removed, err error) {
	edges, ends := 0, roaring.New()
	for done := false; !done; {
		err := db.Update(ctx, func(tx *Tx) error {
			v := tx.Graph(g)
			page, err := v.Neighbors(id, EdgeFilter{Direction: Both}, 0, make([]Edge, 0, maxTxDegree/2))
			if err != nil {
				return err
			}
			if len(page) < maxTxDegree/2 {
				done = true
				removed, err = v.DeleteNode(id)
				return err
			}
			// A directed loop is met as an out- and as an in-edge.
			page = slices.Compact(page)
			for _, e := range page {
				if err := v.RemoveEdge(e.From, e.To, e.Type); err != nil {
					return err
				}
				ends.Add(uint32(e.Other(id)))
			}
			edges += len(page)
			return nil
		})
		if err != nil {
			return Removed{}, fmt.Errorf("engine: delete node %d: %w", id, err)
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
	return removed, nil
}
