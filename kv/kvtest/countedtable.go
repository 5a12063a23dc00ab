package kvtest

import (
	"context"
	"sync/atomic"

	"github.com/ragdb/ragdb/kv"
)

// CountTable returns a table that counts its round trips, and a function that returns
// those since its last call: views, reads of views, and writes. What a writer writes only
// to show that it is alive is left out.
func CountTable(t kv.Table) (counted kv.Table, take func() (views, reads, writes int)) {
	c := &countedTable{Table: t}
	return c, func() (views, reads, writes int) {
		return int(c.views.Swap(0)), int(c.reads.Swap(0)), int(c.writes.Swap(0))
	}
}

type countedTable struct {
	kv.Table
	views, reads, writes atomic.Int64
}

func (t *countedTable) View(ctx context.Context, keys ...[]byte) (kv.TableView, [][]byte, error) {
	t.views.Add(1)
	v, vals, err := t.Table.View(ctx, keys...)
	if err != nil {
		return nil, nil, err
	}
	return &countedTableView{v, t}, vals, nil
}

func (t *countedTable) Write(ctx context.Context, g kv.Guard, c *kv.Changes) error {
	if c.Bytes() > 0 {
		t.writes.Add(1)
	}
	return t.Table.Write(ctx, g, c)
}

type countedTableView struct {
	kv.TableView
	t *countedTable
}

func (v *countedTableView) MultiGet(ctx context.Context, keys [][]byte) ([][]byte, error) {
	v.t.reads.Add(1)
	return v.TableView.MultiGet(ctx, keys)
}

func (v *countedTableView) Scan(ctx context.Context, lo, hi []byte, reverse bool, limit int) ([]kv.Pair, error) {
	v.t.reads.Add(1)
	return v.TableView.Scan(ctx, lo, hi, reverse, limit)
}

func (v *countedTableView) Gather(ctx context.Context, keys [][]byte, ranges []kv.Range, limit int) ([][]byte, [][]kv.Pair, error) {
	v.t.reads.Add(1)
	return v.TableView.Gather(ctx, keys, ranges, limit)
}
