package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// verifyEdges bounds the edges of a transaction that are verified.
const verifyEdges = 64

// verifyIfAsked verifies the commit in a build with ragdb_invariants. A
// failed read proves nothing, and the context of the caller may have ended.
func (tx *Tx) verifyIfAsked() error {
	if !invariants {
		return nil
	}
	ctx := context.WithoutCancel(tx.ctx)
	snap, err := tx.db.store.Snapshot(ctx)
	if err != nil {
		return nil
	}
	defer snap.Close()
	r := &verified{Snapshot: snap}
	if err := tx.verify(ctx, r); err != nil && !r.failed {
		return err
	}
	return nil
}

// verified is a state that is verified; failed says that a read of it failed.
type verified struct {
	kv.Snapshot
	failed bool
}

// Get implements [kv.Reader].
func (v *verified) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	b, err := v.Snapshot.Get(ctx, key, dst)
	if err != nil && !errors.Is(err, kv.ErrNotFound) && !errors.Is(err, ErrCorrupt) {
		v.failed = true
	}
	return b, err
}

// verify checks what the transaction touched against the committed state: that
// both ends of an edge agree, that a list is under one key or in containers and
// not both, that new nodes have their record and stand among those of their
// type, and that the epoch is the transaction's.
func (tx *Tx) verify(ctx context.Context, snap kv.Reader) error {
	epoch, err := getUint64(ctx, snap, layout.Meta("epoch"))
	if err != nil || epoch != tx.epoch {
		return fmt.Errorf("%w: epoch %d after commit %d: %w", ErrCorrupt, epoch, tx.epoch, err)
	}
	for _, v := range tx.graphs {
		r := reader{ctx: ctx, kv: snap, graph: v.graph, g: v.g, epoch: epoch}
		if err := r.verify(v); err != nil {
			return fmt.Errorf("%w: graph %s after commit %d: %w", ErrCorrupt, v.graph.Name(), epoch, err)
		}
	}
	return nil
}

func (r *reader) verify(v *TxView) error {
	for _, op := range v.applied {
		if op.dir != layout.Out {
			continue
		}
		if err := r.verifyEdge(&op); err != nil {
			return fmt.Errorf("edge %d-%d of type %d: %w", op.node, op.other, op.etype, err)
		}
	}
	if v.born == nil {
		return nil
	}
	n := 0
	for it := v.born.Iterator(); it.HasNext() && n < verifyEdges; n++ {
		id := it.Next()
		rec, err := r.record(NodeID(id), true)
		if err != nil {
			return fmt.Errorf("new node %d: %w", id, err)
		}
		for _, t := range rec.types() {
			set, err := r.kv.Get(r.ctx, layout.NodesOfType(r.g, t, layout.Container(uint64(id))), nil)
			if err != nil {
				return fmt.Errorf("nodes of type %d: %w", t, err)
			}
			if _, ok, err := layout.SetHas(set, uint64(id)&0xFFFF); err != nil || !ok {
				return fmt.Errorf("new node %d is not among those of type %d: %w", id, t, err)
			}
		}
	}
	return nil
}

func (r *reader) verifyEdge(op *edgeOp) error {
	t := EdgeType(op.etype)
	out, there, err := r.hasEdge(layout.Out, op.node, op.other, t)
	if err != nil {
		return err
	}
	in, back, err := r.hasEdge(layout.In, op.other, op.node, t)
	if err != nil {
		return err
	}
	if there != back || out != in {
		return fmt.Errorf("out %v of weight %v, in %v of weight %v", there, out, back, in)
	}
	_, err = r.kv.Get(r.ctx, layout.Adjacency(layout.Out, r.g, op.node, op.etype), nil)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	key := layout.AdjacencyContainer(layout.Out, r.g, op.node, op.etype, layout.Container(op.other))
	if _, err := r.kv.Get(r.ctx, key, nil); !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("the list is under one key and in containers: %w", err)
	}
	return nil
}
