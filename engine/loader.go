package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// Loader takes the nodes and edges of a bulk load. It is not safe for
// concurrent use, and it is over when the function that it was given to
// returns.
type Loader struct {
	ctx   context.Context
	v     *TxView
	first uint64 // the first node of the load
	limit int    // bytes of the overlay at which it is sorted away

	ops     opSorter      // all but adjacency
	edges   [2]edgeSorter // by direction
	scratch []halfEdge

	known EdgeType // last type that was found in the catalog
	added int      // edges
}

// Load calls fn with a loader. If fn returns nil, it writes everything that the
// loader was given in one commit, without the write-ahead log: readers see all of
// the load or nothing, and so does a process that opens the database after a
// crash. If fn returns an error, nothing changes and Load returns the error. Load
// is the single writer until it ends; fn must not call Update or Load.
//
// It is for input of more than about 100,000 edges, in any order, into a graph
// that may be empty or not; for less, transactions are as fast. It sorts the edges
// in each direction: O(n log n) for n edges, with the memory of Options.LoadBytes.
//
// If the load may make an existing list longer than Options.PromoteAt, the list is
// first moved into containers in a commit of its own. That changes the form of the
// list, not its content, so after a crash between the commits, or an error, the
// graph, its version and the epoch are as they were.
//
// If the store is not a [kv.Ingester], the load is one batch; a batch greater than
// Options.MaxTxBytes is [ErrTxTooLarge].
func (db *DB) Load(ctx context.Context, g *Graph, fn func(l *Loader) error) error {
	if g = g.in(db); fn == nil {
		return phase.Mark(ErrInvalid, "load: no function to call")
	}
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	if db.readOnly {
		return phase.Errorf("load: %w", ErrReadOnly)
	}
	if err := db.lockWriter(ctx); err != nil {
		return phase.Errorf("load: %w", err)
	}
	defer db.unlockWriter()
	return db.load(ctx, g, fn)
}

func (db *DB) load(ctx context.Context, g *Graph, fn func(l *Loader) error) (err error) {
	tx, err := db.begin(ctx)
	if err != nil {
		return phase.Errorf("load: %w", err)
	}
	l := newLoader(tx.Graph(g), db.opts.LoadBytes)
	defer func() { err = firstError(err, l.close(), tx.end()) }()
	if err := fn(l); err != nil {
		return err
	}
	return l.v.wrap("load", l.commit())
}

func newLoader(v *TxView, memory int) *Loader {
	// A quarter is for the operations, the rest for the edges: those of two
	// directions and the scratch memory of a sort.
	l := &Loader{ctx: v.ctx, v: v, first: v.nextNode, limit: memory / 16}
	l.ops.limit = memory / 4
	for i := range l.edges {
		l.edges[i] = edgeSorter{limit: memory / 4 / halfBytes, scratch: &l.scratch}
	}
	return l
}

func (l *Loader) close() error {
	return firstError(l.ops.spill.close(), l.edges[0].spill.close(), l.edges[1].spill.close())
}

// MakeNodeType returns the node type of a name, adding it if it is new.
func (l *Loader) MakeNodeType(name string) (TypeID, error) { return l.v.MakeNodeType(name) }

// MakeEdgeType returns the edge type of a name, adding it if it is new. A
// name that has the other direction is [ErrExists].
func (l *Loader) MakeEdgeType(name string, directed bool) (EdgeType, error) {
	return l.v.MakeEdgeType(name, directed)
}

// Node adds a node with a key that no node of the type has, and returns its
// id. A key that is taken is [ErrExists], here or, if it comes twice in one
// load, from [DB.Load]. Property indexes are kept; terms and vectors of the
// node are written in transactions, after the load.
func (l *Loader) Node(t TypeID, key string, props Props) (NodeID, error) {
	id, err := l.node(t, key, props)
	if err != nil {
		return 0, l.v.wrap(fmt.Sprintf("load node %.64q", key), err)
	}
	return id, nil
}

func (l *Loader) node(t TypeID, key string, props Props) (NodeID, error) {
	if l.ops.err != nil {
		return 0, l.ops.err
	}
	list, err := l.v.propsOf(props)
	if err != nil {
		return 0, err
	}
	id, created, _, err := l.v.claim(t, key)
	if err != nil {
		return 0, err
	}
	if !created {
		return 0, ErrExists
	}
	if err := l.v.writeRecord(id, record{}, record{ntype: uint32(t), key: key, props: list}); err != nil {
		// The key is written already, and a key without a record must not be.
		l.ops.err = err
		return 0, err
	}
	if l.v.transact.overlay.Bytes() < l.limit {
		return id, nil
	}
	return id, l.drain()
}

// drain moves what the overlay holds to be sorted.
func (l *Loader) drain() error {
	tx := l.v.transact
	tx.overlay.AppendTo(&l.ops)
	tx.overlay = kv.NewOverlay(tx.base, layout.Schema())
	l.v.kv = tx.overlay
	return l.ops.err
}

// Edge adds the edge from -> to of a type, or changes its weight if it
// exists; of several weights for one edge the last wins. Both nodes must exist
// or be of the load.
func (l *Loader) Edge(from, to NodeID, t EdgeType, weight float32) error {
	if err := l.edge(from, to, t, weight); err != nil {
		return l.v.wrap(fmt.Sprintf("load edge %d-%d %q", from, to, l.v.EdgeTypeName(t)), err)
	}
	return nil
}

func (l *Loader) edge(from, to NodeID, t EdgeType, weight float32) error {
	if l.added%checkEvery == 0 || t != l.known || !l.loaded(from) || !l.loaded(to) {
		if err := l.v.checkEdge(from, to, t); err != nil {
			return err
		}
		l.known = t
	}
	if w := float64(weight); math.IsNaN(w) || math.IsInf(w, 0) {
		return phase.Mark(ErrInvalid, "weight %v", weight)
	}
	if l.v.transact.done {
		return errTxDone
	}
	a, b := uint64(from), uint64(to)
	if !t.Directed() && a > b {
		a, b = b, a
	}
	l.added++
	l.v.changed = true
	if err := l.edges[layout.Out].add(halfOf(a, b, t, weight)); err != nil {
		return err
	}
	return l.edges[layout.In].add(halfOf(b, a, t, weight))
}

// loaded reports whether a node is known to be of the load.
func (l *Loader) loaded(id NodeID) bool {
	return uint64(id) >= l.first && uint64(id) < l.v.nextNode
}

// commit writes the load.
func (l *Loader) commit() error {
	v := l.v
	v.transact.done = true
	if err := v.flush(); err != nil {
		return err
	}
	if err := l.drain(); err != nil {
		return err
	}
	if l.ops.empty() {
		return l.ctx.Err()
	}
	l.ops.Set(layout.Meta("epoch"), appendUint64(nil, v.transact.epoch))
	if err := l.promoteOld(); err != nil {
		return err
	}
	db := v.transact.db
	if err := db.ingest(l.ctx, l.write); err != nil {
		return err
	}
	db.epoch.Store(v.transact.epoch)
	v.transact.committed = true
	v.publish()
	if l.added > 0 {
		// Lists have grown, and those of the load's nodes are not empty.
		v.st.lengths.forget(v.nextNode)
	}
	return v.transact.verifyIfAsked()
}

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
func (l *Loader) write(w kv.SortedWriter) error {
	lists := false
	err := l.ops.each(l.ctx, func(op *sortedOp) error {
		if !lists && layout.Tag(op.key[0]) >= layout.TagOut {
			lists = true
			if err := l.writeAdjacency(w); err != nil {
				return err
			}
		}
		if op.merge {
			return w.Merge(op.key, op.value)
		}
		return w.Set(op.key, op.value)
	})
	if err == nil && !lists {
		err = l.writeAdjacency(w)
	}
	return err
}
