package query

import "github.com/ragdb/ragdb/engine"

// keptRows are the rows of a graph that is made for a walk. Each is read when
// it is asked for, and kept. The first error is kept too: nodes have no
// neighbours from then on. Numbers are node ids.
type keptRows struct {
	read func(id engine.NodeID) (keptRow, error)
	rows map[uint32]keptRow
	err  error
}

// keptRow are the neighbours of a node, ascending, with their weights, and its loops.
type keptRow struct {
	ids        []uint32
	w          []float32
	ends       uint32 // of loops, with their weight
	loopWeight float64
}

func newKeptRows(read func(id engine.NodeID) (keptRow, error)) keptRows {
	return keptRows{read: read, rows: map[uint32]keptRow{}}
}

// Err returns the first error of reading.
func (k *keptRows) Err() error { return k.err }

// Degree implements [graphops.Adjacency].
func (k *keptRows) Degree(u uint32) int { return len(k.row(u).ids) }

// Neighbors implements [graphops.Adjacency].
func (k *keptRows) Neighbors(u uint32, ids []uint32, w []float32) ([]uint32, []float32) {
	r := k.row(u)
	return append(ids, r.ids...), append(w, r.w...)
}

func (k *keptRows) row(u uint32) keptRow {
	r, ok := k.rows[u]
	if ok || k.err != nil {
		return r
	}
	if r, k.err = k.read(engine.NodeID(u)); k.err != nil {
		return keptRow{}
	}
	k.rows[u] = r
	return r
}
