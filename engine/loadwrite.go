package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// ingest writes sorted input in one commit.
func (db *DB) ingest(ctx context.Context, fill func(w kv.SortedWriter) error) error {
	if in, ok := db.store.(kv.Ingester); ok {
		return in.Ingest(ctx, fill)
	}
	w := batchWriter{b: db.store.NewBatch(), limit: db.opts.MaxTxBytes}
	if err := fill(w); err != nil {
		return err
	}
	return db.store.Apply(ctx, w.b, kv.Sync)
}

// batchWriter writes sorted input into a batch.
type batchWriter struct {
	b     kv.Batch
	limit int
}

func (w batchWriter) Set(k, v []byte) error {
	w.b.Set(k, v)
	return w.check()
}

func (w batchWriter) Merge(k, op []byte) error {
	w.b.Merge(k, op)
	return w.check()
}

func (w batchWriter) Delete(k []byte) error {
	w.b.Delete(k)
	return w.check()
}

func (w batchWriter) DeleteRange(lo, hi []byte) error {
	w.b.DeleteRange(lo, hi)
	return w.check()
}

func (w batchWriter) check() error {
	if w.b.Bytes() > w.limit {
		return fmt.Errorf("%w: more than %d bytes", ErrTxTooLarge, w.limit)
	}
	return nil
}

// write writes all keys of the load in their order.
func (l *Loader) write(w kv.SortedWriter) (err error) {
	parts := []struct {
		tag   layout.Tag
		write func(w kv.SortedWriter) error
	}{{layout.TagNode, l.writeRecords}, {layout.TagNodeBlock, l.writeNodeBlocks}, {layout.TagOut, l.writeAdjacency}, {layout.TagEdge, l.dropRecords}, {layout.TagEdgeBlock, l.writeBlocks}}
	upTo := func(t layout.Tag) error {
		for len(parts) > 0 && parts[0].tag <= t {
			if err := parts[0].write(w); err != nil {
				return err
			}
			parts = parts[1:]
		}
		return nil
	}
	unique, err := newUniqueGuard(l)
	if err != nil {
		return err
	}
	if unique != nil {
		defer func() { err = firstError(err, unique.base.close()) }()
	}
	err = l.ops.each(l.ctx, func(op *sortedOp) error {
		if err := upTo(layout.Tag(op.key[0])); err != nil {
			return err
		}
		if unique != nil {
			if err := unique.see(op); err != nil {
				return err
			}
		}
		if op.merge {
			return w.Merge(op.key, op.value)
		}
		return w.Set(op.key, op.value)
	})
	if err != nil {
		return err
	}
	return upTo(math.MaxUint8)
}

// writeRecords writes the records of the load's nodes.
func (l *Loader) writeRecords(w kv.SortedWriter) error {
	id := l.first
	return l.records.each(l.ctx, func(b []byte) error {
		k := layout.Node(l.v.g, id)
		id++
		return w.Set(k, b)
	})
}
