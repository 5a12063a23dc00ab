package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// Tx is a transaction: everything it writes becomes visible and durable in one
// commit, or nothing does. It is not safe for concurrent use, and ends when the
// function that received it returns.
type Tx struct {
	db      *DB
	ctx     context.Context
	overlay *kv.Overlay
	base    kv.Snapshot
	epoch   uint64 // that the commit will have
	graphs  map[uint32]*TxView
	fb      *flatbuffers.Builder
	done    bool
	// committed says that what was written is the state now.
	committed bool
	// loads says that the transaction is of a load.
	loads bool
	// bulky counts the bytes of buffered edges and postings, which are not in the
	// overlay, and termBytes those of postings alone.
	bulky, termBytes int
	// spill holds the terms that outgrew their memory, nil if none did.
	spill *termSpill
	views []*vecindex.View // opened by reads, closed at the end
	edges edgeCache
}

// Update calls fn with a transaction. If fn returns nil, it commits what the
// transaction wrote; else nothing changes and Update returns the error. There is
// one writer at a time: Update waits for the one before it, and fn must not call
// Update. Slow work such as model calls should be done before Update;
// [TxView.ExpectNode] and [TxView.ExpectVersion] detect changes since it was read.
func (db *DB) Update(ctx context.Context, fn func(tx *Tx) error) error {
	return db.UpdateWith(ctx, kv.Sync, fn)
}

// UpdateWith is Update that returns when the commit has the durability d. After a
// crash, a commit with [kv.NoSync] may be lost, and then all later ones are lost
// too. The other calls of this package use [kv.Sync].
func (db *DB) UpdateWith(ctx context.Context, d kv.Durability, fn func(tx *Tx) error) error {
	if fn == nil {
		return phase.Mark(ErrInvalid, "update: no function to call")
	}
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	if db.ReadOnly(ctx) {
		return phase.Errorf("update: %w", ErrReadOnly)
	}
	if err := db.lockWriter(ctx); err != nil {
		return phase.Errorf("update: %w", err)
	}
	err := func() error {
		defer db.unlockWriter()
		return db.transact(ctx, d, fn)
	}()
	if err == nil {
		db.help(ctx)
	}
	return err
}

// transact is UpdateWith for the caller that is the writer.
func (db *DB) transact(ctx context.Context, d kv.Durability, fn func(tx *Tx) error) (err error) {
	tx, err := db.begin(ctx)
	if err != nil {
		return phase.Errorf("update: %w", err)
	}
	defer func() { err = firstError(err, tx.end()) }()
	if err := fn(tx); err != nil {
		return err
	}
	tx.done = true
	if err := tx.commit(d); err != nil {
		return phase.Errorf("commit: %w", err)
	}
	return nil
}

// begin starts a transaction. The caller is the writer, and must call end.
func (db *DB) begin(ctx context.Context) (*Tx, error) {
	snap, err := db.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return &Tx{
		db:      db,
		ctx:     ctx,
		overlay: kv.NewOverlay(snap, layout.Schema()),
		base:    snap,
		epoch:   db.epoch.Load() + 1,
		graphs:  map[uint32]*TxView{},
		fb:      flatbuffers.NewBuilder(512),
	}, nil
}

// end releases what the transaction reads. If it did not commit, the lengths of
// lists and the vector spaces that it noted are forgotten.
func (tx *Tx) end() error {
	tx.done = true
	if !tx.committed {
		for _, v := range tx.graphs {
			v.st.lengths.forget(v.st.nextNode)
			for _, ix := range v.made {
				tx.db.mirrors.remove(ix)
			}
		}
	}
	for _, view := range tx.views {
		view.Close()
	}
	var err error
	if tx.spill != nil {
		err = tx.spill.close()
	}
	return firstError(err, tx.base.Close())
}

// Graph returns the graph as the transaction sees and changes it. A graph of
// another database is treated as a dropped one.
func (tx *Tx) Graph(g *Graph) *TxView {
	g = g.in(tx.db)
	if v := tx.graphs[g.st.id]; v != nil {
		return v
	}
	v := &TxView{
		reader:   reader{ctx: tx.ctx, kv: tx.overlay, graph: g, g: g.st.id, epoch: tx.epoch, edges: &tx.edges},
		transact: tx,
		st:       g.st,
		names:    newCatalog(),
		nextNode: g.st.nextNode,
		promoted: map[promotedKey]*roaring.Bitmap{},
		refold:   map[edgeKey]struct{}{},
		shrunk:   map[string]struct{}{},
		vectors:  map[uint32]*vectorWrite{},
		made:     map[uint32]*vecindex.Index{},
	}
	v.reader.tx = v
	if g.st.keepsChanges {
		v.noted = &changeNotes{since: g.st.changes}
	}
	tx.graphs[g.st.id] = v
	return v
}

// Epoch returns the number that the commit will have.
func (tx *Tx) Epoch() uint64 { return tx.epoch }

// Bytes returns the approximate size of the transaction so far. A caller with much
// to write starts another transaction before Options.MaxTxBytes is reached.
func (tx *Tx) Bytes() int { return tx.overlay.Bytes() + tx.bulky }

// TxView is a graph in a transaction: a [Reader] that sees the transaction's
// own writes, and the methods that write. Vectors and postings are the
// exception: searches see them only after the commit.
type TxView struct {
	reader
	transact *Tx
	st       *graphState

	names    *catalog // names that the transaction adds
	nextNode uint64
	born     *roaring.Bitmap // nodes that the transaction created
	died     *roaring.Bitmap // nodes that it deleted
	changed  bool            // nodes or edges: the version moves
	wrote    int             // records of nodes that it wrote or deleted
	stale    map[uint64]int  // by block of nodes, how many of its nodes it wrote or deleted
	noted    *changeNotes    // nil if changes are not kept

	edges    []edgeOp          // not in the overlay yet
	removed  map[Edge]uint32   // by pair, a number above those of edges that were removed
	resum    map[Edge]struct{} // pairs whose parallel edges changed
	applied  []edgeOp          // in it, kept to be verified
	promoted map[promotedKey]*roaring.Bitmap
	refold   map[edgeKey]struct{}
	terms    txTerms
	shrunk   map[string]struct{} // keys of sets that lost ids
	vectors  map[uint32]*vectorWrite
	unnamed  []kindID                   // names that it drops
	dropped  []uint32                   // vector spaces
	made     map[uint32]*vecindex.Index // new vector spaces, nil until they are used

	loads      bool // of a load
	ruleList   []*ruleState
	rulesKnown bool // ruleList is what there is
	work       ruleWork
}

// check refuses what cannot be written any more.
func (v *TxView) check() error {
	switch {
	case v.transact.done:
		return errTxDone
	case v.st.dropped():
		return fmt.Errorf("graph was dropped: %w", ErrNotFound)
	}
	if v.transact.Bytes() > v.transact.db.opts.MaxTxBytes {
		if err := v.transact.spillTerms(); err != nil {
			return err
		}
		if v.transact.Bytes() > v.transact.db.opts.MaxTxBytes {
			return ErrTxTooLarge
		}
	}
	return v.ctx.Err()
}

// ExpectNode returns a [*ConflictError] unless the commit epoch was the last to
// write the node; [Node.Epoch] returns that number when the node is read. Epoch
// 0 expects that the node does not exist.
func (v *TxView) ExpectNode(id NodeID, epoch uint64) error {
	rec, err := v.record(id, false)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return v.wrap("expect node", err)
	}
	if rec.epoch != epoch {
		return &ConflictError{Graph: v.graph.Name(), Node: id, Want: epoch, Have: rec.epoch}
	}
	return nil
}

// ExpectVersion returns a [*ConflictError] unless the graph is at the version.
func (v *TxView) ExpectVersion(version uint64) error {
	if v.st.version != version {
		return &ConflictError{Graph: v.graph.Name(), Want: version, Have: v.st.version}
	}
	return nil
}

// NextVersion returns the version that the graph has after the commit if the
// transaction changes nothing more: the present one if it changed nothing.
func (v *TxView) NextVersion() uint64 {
	if v.changed {
		return v.st.version + 1
	}
	return v.st.version
}

// name returns the id of a name, giving it one if it is new.
func (v *TxView) name(k layout.Kind, what, name string, make func(n uint32) (id, flags uint32)) (uint32, error) {
	if err := v.check(); err != nil {
		return 0, err
	}
	name, err := checkName(what, name)
	if err != nil {
		return 0, err
	}
	if id, ok := v.lookupName(k, name); ok {
		return id, nil
	}
	return v.addName(k, name, make, nil), nil
}

// addName gives a new name an id. make turns the catalog's running number into
// the id.
func (v *TxView) addName(k layout.Kind, name string, make func(n uint32) (id, flags uint32), options []byte) uint32 {
	v.st.mu.RLock()
	next := max(v.st.names.next[k], v.names.next[k], 1)
	v.st.mu.RUnlock()
	id, flags := next, uint32(0)
	if make != nil {
		id, flags = make(next)
	}
	e := catalogEntry{name: name, epoch: v.transact.epoch, flags: flags, options: options}
	v.names.add(k, id, e)
	if k == layout.KindEdgeType {
		v.st.noteEdgeType(EdgeType(id))
	}
	o := v.transact.overlay
	o.Set(layout.Catalog(v.g, k, id), encodeCatalogEntry(v.transact.fb, &e))
	o.Set(layout.Name(v.g, k, name), binaryID(id))
	return id
}

func binaryID(id uint32) []byte {
	return []byte{byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)}
}

// newIDs returns the ids of a kind that the transaction adds, ascending.
func (v *TxView) newIDs(k layout.Kind) []uint32 {
	var out []uint32
	for id := range maps.Keys(v.names.entries) {
		if id.kind == k {
			out = append(out, id.id)
		}
	}
	slices.Sort(out)
	return out
}

// MakeNodeType returns the node type of a name, adding it to the graph's
// catalog if it is new.
func (v *TxView) MakeNodeType(name string) (TypeID, error) {
	id, err := v.name(layout.KindNodeType, "node type", name, nil)
	return TypeID(id), v.wrap("node type", err)
}

// MakeEdgeType returns the edge type of a name, adding it to the graph's
// catalog if it is new. A name that has the other direction is [ErrExists].
func (v *TxView) MakeEdgeType(name string, directed bool) (EdgeType, error) {
	id, err := v.name(layout.KindEdgeType, "edge type", name, func(n uint32) (uint32, uint32) {
		// The lowest bit says undirected; ids stay distinct without it.
		if n%2 == 1 {
			n++
		}
		if !directed {
			n++
		}
		return n, 0
	})
	if err == nil && EdgeType(id).Directed() != directed {
		err = fmt.Errorf("%w: with the other direction", ErrExists)
	}
	return EdgeType(id), v.wrap("edge type "+name, err)
}

// property returns the id of a property name, adding it if it is new.
func (v *TxView) property(name string) (uint32, error) {
	return v.name(layout.KindProperty, "property", name, nil)
}

// propsOf returns properties as records hold them, null ones left out.
func (v *TxView) propsOf(p Props) ([]prop, error) {
	p, err := p.normalized()
	if err != nil {
		return nil, err
	}
	out := make([]prop, 0, len(p))
	var room [8]string
	names := room[:0]
	for name := range p {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		val := p[name]
		if val.IsNull() {
			continue
		}
		if err := checkValue(name, val); err != nil {
			return nil, err
		}
		id, err := v.property(name)
		if err != nil {
			return nil, err
		}
		out = append(out, prop{id, val})
	}
	slices.SortFunc(out, func(a, b prop) int { return cmp.Compare(a.id, b.id) })
	return out, nil
}
