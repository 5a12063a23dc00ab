package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/vecindex"
)

const (
	vectorSpace    = "vec"
	vectorNodeType = "v"
	// vectorBatch is how many nodes with vectors a transaction writes.
	vectorBatch = 1000
)

// vectorStore is an open database of one vector space, and which row of the
// set each of its nodes is.
type vectorStore struct {
	path  string
	tier  vecindex.Rerank
	db    *engine.DB
	graph *engine.Graph
	store *pebblekv.Store
	// rows has the row of a node id, -1 if it is none; ids the node id of a
	// row, 0 if it is deleted.
	rows []int32
	ids  []engine.NodeID
}

// vectorBudget returns a memory budget in which n vectors fit whatever is kept
// of them.
func vectorBudget(n, dim int) int64 { return max(512<<20, 4*int64(n)*int64(4*dim+400)) }

// vectorTier returns what the tier of a name is for the engine.
func vectorTier(name string) (vecindex.Rerank, error) {
	for _, r := range []vecindex.Rerank{vecindex.RerankPlane, vecindex.RerankStore} {
		if name == r.String() {
			return r, nil
		}
	}
	return 0, fmt.Errorf("tier %q is not lowplane or store", name)
}

// openVectors opens a database. Its store has what the default budget would
// give it, so that tiers differ in the vectors alone.
func openVectors(ctx context.Context, path string, budget int64, tier vecindex.Rerank) (*vectorStore, error) {
	d := &vectorStore{path: path, tier: tier, rows: []int32{-1}} // no node has the id 0
	var err error
	d.db, d.store, err = openEngine(ctx, path, engine.Options{MemoryBudget: budget, Rerank: tier},
		pebblekv.Options{CacheBytes: 128 << 20, MemtableBytes: 32 << 20})
	if err != nil {
		return nil, err
	}
	if d.graph, err = openGraph(ctx, d.db); err != nil {
		return nil, errors.Join(err, d.db.Close())
	}
	return d, nil
}

func (d *vectorStore) close() error { return d.db.Close() }

// reopen closes the database, calls fn and opens it again with a budget.
func (d *vectorStore) reopen(ctx context.Context, budget int64, fn func() error) error {
	if err := d.close(); err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err
	}
	again, err := openVectors(ctx, d.path, budget, d.tier)
	if err != nil {
		return err
	}
	again.rows, again.ids = d.rows, d.ids
	*d = *again
	return nil
}

func (d *vectorStore) makeSpace(ctx context.Context, o engine.SpaceOptions) error {
	return d.db.Update(ctx, func(tx *engine.Tx) error { return tx.Graph(d.graph).MakeSpace(vectorSpace, o) })
}

// put writes rows of a set as nodes with vectors, batch of them a transaction.
func (d *vectorStore) put(ctx context.Context, s *vectorSet, rows []int, batch int) error {
	if len(d.ids) < s.n {
		d.ids = append(d.ids, make([]engine.NodeID, s.n-len(d.ids))...)
	}
	return d.inBatches(ctx, rows, batch, func(v *engine.TxView, row int) error {
		id, err := d.putNode(v, strconv.Itoa(row), s.row(row))
		if err != nil {
			return err
		}
		d.ids[row] = id
		d.setRow(id, int32(row))
		return nil
	})
}

// putNode writes one node with a vector.
func (d *vectorStore) putNode(v *engine.TxView, key string, x []float32) (engine.NodeID, error) {
	t, err := v.MakeNodeType(vectorNodeType)
	if err != nil {
		return 0, err
	}
	id, created, err := v.PutNode(t, key, nil)
	if err != nil {
		return 0, err
	}
	if !created {
		return 0, fmt.Errorf("node %q is there already", key)
	}
	return id, v.PutVector(vectorSpace, id, x)
}

// remove deletes the nodes of rows.
func (d *vectorStore) remove(ctx context.Context, rows []int) error {
	return d.inBatches(ctx, rows, vectorBatch, func(v *engine.TxView, row int) error {
		if _, err := v.DeleteNode(d.ids[row]); err != nil {
			return err
		}
		d.setRow(d.ids[row], -1)
		d.ids[row] = 0
		return nil
	})
}

func (d *vectorStore) setRow(id engine.NodeID, row int32) {
	for int(id) >= len(d.rows) {
		d.rows = append(d.rows, -1)
	}
	d.rows[id] = row
}

// inBatches calls fn for rows, batch of them in a transaction.
func (d *vectorStore) inBatches(ctx context.Context, rows []int, batch int, fn func(v *engine.TxView, row int) error) error {
	for len(rows) > 0 {
		some := rows[:min(batch, len(rows))]
		rows = rows[len(some):]
		err := d.db.Update(ctx, func(tx *engine.Tx) error {
			v := tx.Graph(d.graph)
			for _, row := range some {
				if err := fn(v, row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *vectorStore) settle(ctx context.Context) error {
	return settle(ctx, d.db, d.graph, vectorSpace)
}

// view calls fn with the vectors of the last commit.
func (d *vectorStore) view(ctx context.Context, fn func(v *vecindex.View) error) error {
	return d.db.View(ctx, func(s *engine.Snapshot) error {
		v, err := s.Graph(d.graph).Vectors(vectorSpace)
		if err != nil {
			return err
		}
		return fn(v)
	})
}

// memory returns what searches keep in memory for each vector, and whether they
// read the store instead.
func (d *vectorStore) memory(ctx context.Context) (bytesPerVector float64, onDisk bool, err error) {
	err = d.db.View(ctx, func(s *engine.Snapshot) error {
		v, err := s.Graph(d.graph).Vectors(vectorSpace)
		if err != nil {
			return err
		}
		st, err := s.Stats(ctx)
		bytesPerVector = float64(st.Memory.VectorBytes) / float64(max(1, v.Len()))
		onDisk = len(st.Memory.OnDisk) > 0
		return err
	})
	return bytesPerVector, onDisk, err
}

// answer returns the rows of the best hits, without self, recallAt at most.
func (d *vectorStore) answer(hits []vecindex.Hit, self int, dst []int32) []int32 {
	for _, h := range hits {
		if row := d.rows[h.ID]; int(row) != self && len(dst) < recallAt {
			dst = append(dst, row)
		}
	}
	return dst
}

// directoryBytes returns the size of the files below a directory.
func directoryBytes(path string) (size int64, err error) {
	err = filepath.WalkDir(path, func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
