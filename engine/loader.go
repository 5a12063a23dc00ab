package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

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

	ops     opSorter      // all but records of nodes, and adjacency
	records recordLog     // of the nodes from first on
	blocks  blockLog      // of these nodes
	edges   [2]edgeSorter // by direction
	scratch []halfEdge
	// alone says that the graph has no edges but the load's. Then edges are added
	// to the sorter of the direction Out only, and from there, in order, to the other.
	alone bool

	// props are properties of edges, withProps how many edges of each type have any,
	// and fold is what becomes of them.
	props     opSorter
	withProps map[EdgeType]int
	fold      edgeFold
	room      []byte

	typed map[TypeID]*roaring.Bitmap
	// firsts are the weights of edges beside which the graph has parallel ones, and
	// beside the sums of the weights of these.
	firsts map[Edge]float32
	beside map[Edge]float64
	known  EdgeType // last type that was found in the catalog
	free   EdgeType // last type whose edges need no property
	noted  uint64   // nodes below it are in v.born
	added  int      // edges
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
	if db.ReadOnly(ctx) {
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
	// A quarter is for the operations, with the properties of edges and the records and
	// blocks of nodes, the rest for the edges: those of two directions and the scratch
	// memory of a sort.
	l := &Loader{
		ctx: v.ctx, v: v, first: v.nextNode, noted: v.nextNode, limit: memory / 16, typed: map[TypeID]*roaring.Bitmap{},
		firsts: map[Edge]float32{},
		beside: map[Edge]float64{}, withProps: map[EdgeType]int{},
	}
	temporary := spill{dir: v.transact.db.spillDir()}
	v.loads, v.transact.loads = true, true
	l.ops = opSorter{limit: memory / 16, spill: temporary}
	l.props = opSorter{limit: memory / 32 * 3, spill: temporary}
	l.records = recordLog{limit: memory / 16, spill: temporary}
	if v.noted != nil {
		v.noted.missed = true // a load may be of any size
	}
	l.blocks = newBlockLog(v.nextNode, memory/32, temporary)
	for i := range l.edges {
		l.edges[i] = edgeSorter{limit: memory / 4 / halfBytes, scratch: &l.scratch, spill: temporary}
	}
	return l
}

func (l *Loader) close() error {
	return firstError(l.ops.spill.close(), l.props.spill.close(), l.records.spill.close(), l.blocks.log.spill.close(), l.edges[0].spill.close(), l.edges[1].spill.close())
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
	id, err := l.claim(t, key)
	if err != nil {
		return 0, err
	}
	rec := record{ntype: uint32(t), key: key, props: list}
	b, err := l.v.encodeRecord(id, record{}, &rec)
	if err == nil {
		err = firstError(l.records.add(b), l.blocks.add(id, rec.props))
	}
	if err != nil {
		// The key is written already, and a key without a record must not be.
		l.ops.err = err
		return 0, err
	}
	if err := l.drainTerms(l.limit); err != nil {
		return 0, err
	}
	if l.v.transact.overlay.Bytes() < l.limit {
		return id, nil
	}
	return id, l.drain()
}

// claim returns a new id for a type and key, which the store must not have.
func (l *Loader) claim(t TypeID, key string) (NodeID, error) {
	v := l.v
	if err := v.check(); err != nil {
		return 0, err
	}
	nodes := l.typed[t]
	if nodes == nil {
		if t != NoType && v.nameOf(layout.KindNodeType, uint32(t)) == "" {
			return 0, phase.Mark(ErrInvalid, "unknown node type %d", t)
		}
		nodes = roaring.New()
		l.typed[t] = nodes
	}
	if key == "" || len(key) > maxKeyBytes {
		return 0, phase.Mark(ErrInvalid, "a key has 1 to %d bytes", maxKeyBytes)
	}
	k := layout.ExternalKey(v.g, uint32(t), key)
	if l.first > 1 { // else the graph never had a node
		switch _, err := v.transact.base.Get(l.ctx, k, nil); {
		case err == nil:
			return 0, ErrExists
		case !errors.Is(err, ErrNotFound):
			return 0, err
		}
	}
	if v.nextNode > math.MaxUint32-1 {
		return 0, phase.Mark(ErrInvalid, "out of node ids")
	}
	id := v.nextNode
	v.nextNode++
	nodes.Add(uint32(id))
	var b [8]byte
	l.ops.Set(k, appendUint64(b[:0], id))
	v.noteMissed()
	return NodeID(id), l.ops.err
}

// noteNodes makes the nodes of the load known to the transaction.
func (l *Loader) noteNodes() {
	if v := l.v; l.noted < v.nextNode {
		if v.born == nil {
			v.born = roaring.New()
		}
		v.born.AddRange(l.noted, v.nextNode)
		l.noted = v.nextNode
	}
}

// setTypes writes which nodes of the load have each type.
func (l *Loader) setTypes() {
	for _, t := range slices.Sorted(maps.Keys(l.typed)) {
		eachContainer(l.typed[t], func(c uint64, low []uint64) {
			k := layout.NodesOfType(l.v.g, uint32(t), c)
			if c > layout.Container(l.first-1) || l.first == 1 { // the store has nothing there
				l.ops.Set(k, layout.AppendSet(nil, low, nil))
			} else {
				l.ops.Merge(k, layout.AppendDelta(nil, low, nil, nil))
			}
		})
	}
}

// eachContainer calls fn with the containers of a set that have members: their number
// and the lower bits of the members, which are good until fn returns.
func eachContainer(set *roaring.Bitmap, fn func(c uint64, low []uint64)) {
	var low []uint64
	var buf [256]uint32
	c := uint64(0)
	for it := set.ManyIterator(); ; {
		n := it.NextMany(buf[:])
		if n == 0 {
			break
		}
		for _, id := range buf[:n] {
			if at := layout.Container(uint64(id)); at != c {
				if len(low) > 0 {
					fn(c, low)
				}
				c, low = at, low[:0]
			}
			low = append(low, uint64(id)&0xFFFF)
		}
	}
	if len(low) > 0 {
		fn(c, low)
	}
}

// drain moves what the overlay holds to be sorted.
func (l *Loader) drain() error {
	tx := l.v.transact
	tx.overlay.AppendTo(&l.ops)
	tx.overlay = kv.NewOverlay(tx.base, layout.Schema())
	l.v.kv = tx.overlay
	return l.ops.err
}

// loaded reports whether a node is known to be of the load.
func (l *Loader) loaded(id NodeID) bool {
	return uint64(id) >= l.first && uint64(id) < l.v.nextNode
}

// commit writes the load.
func (l *Loader) commit() error {
	v := l.v
	v.transact.done = true
	l.noteNodes()
	if err := l.drainTerms(-1); err != nil {
		return err
	}
	if err := v.flush(); err != nil {
		return err
	}
	for e, w := range l.firsts {
		v.setNumbered(e, 0, w)
	}
	if err := l.drain(); err != nil {
		return err
	}
	l.setTypes()
	if err := l.foldProps(); err != nil {
		return err
	}
	if l.ops.empty() {
		return l.ctx.Err()
	}
	l.ops.Set(layout.Meta("epoch"), appendUint64(nil, v.transact.epoch))
	if l.added > 0 {
		if err := l.promoteOld(); err != nil {
			return err
		}
	}
	db := v.transact.db
	if l.blocks.n > 0 {
		v.st.columned.Store(true) // before the commit, as for labels
	}
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
