package engine

import (
	"context"
	"fmt"
)

// DeleteNode removes a node as [TxView.DeleteNode] does, in several commits
// where it has more edges than one transaction removes: readers then see its
// edges go before the node itself, and a call that is interrupted is completed
// by the same call.
func (db *DB) DeleteNode(ctx context.Context, g *Graph, id NodeID) (removed Removed, err error) {
	edges := 0
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
			for _, e := range page {
				if err := v.RemoveEdge(e.From, e.To, e.Type); err != nil {
					return err
				}
			}
			edges += len(page)
			return nil
		})
		if err != nil {
			return Removed{}, fmt.Errorf("engine: delete node %d: %w", id, err)
		}
	}
	removed.Edges += edges
	return removed, nil
}
