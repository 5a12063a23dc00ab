package engine

import (
	"context"
	"iter"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/text/unicode/norm"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// Reader reads one graph at one moment: a [View] the state of a snapshot, a
// [TxView] that of a transaction with its own writes. Its methods are safe for
// concurrent use on a View and not on a TxView.
type Reader interface {
	// Graph returns the graph that is read.
	Graph() *Graph
	// Version moves when the graph's nodes or edges change, and not when its
	// vectors, postings or buckets do. It is the key of projections.
	Version() (uint64, error)

	// NodeType and EdgeType look names up; ok is false for unknown ones.
	NodeType(name string) (TypeID, bool)
	EdgeType(name string) (EdgeType, bool)
	NodeTypeName(t TypeID) string
	EdgeTypeName(t EdgeType) string
	// NodeTypes and EdgeTypes list what the graph has, ascending.
	NodeTypes() []TypeID
	EdgeTypes() []EdgeType
	// PropertyNames lists the names of the properties that nodes and edges have or
	// had.
	PropertyNames() []string

	// Lookup returns the node whose own type is t with the caller's key.
	Lookup(t TypeID, key string) (NodeID, error)
	// Keyed returns the nodes with the caller's key among those that Nodes(t)
	// returns, in order of their own types. There are several only if nodes have
	// further labels, or for [AnyType].
	Keyed(t TypeID, key string) ([]NodeID, error)
	Node(id NodeID) (Node, error)
	// EachNode calls fn with the place in ids of each node that there is, and
	// the node, in any order. It costs a fraction of as many calls of Node.
	EachNode(ids []NodeID, fn func(i int, n Node) error) error
	// NodeColumns reads properties of many nodes. Nodes that only lacks are read as if
	// they were not there, unless it is nil; it must not change meanwhile.
	NodeColumns(only *roaring.Bitmap) *NodeColumns
	// Text returns a string property, wherever it is kept.
	Text(id NodeID, property string) (string, error)
	// Nodes returns the nodes that have a type as their own or as a further label,
	// those without a label for [NoType], and all for [AnyType]; the caller owns
	// the bitmap.
	Nodes(t TypeID) (*roaring.Bitmap, error)

	Degree(id NodeID, f EdgeFilter) (int, error)
	Neighbors(id NodeID, f EdgeFilter, after NodeID, dst []Edge) ([]Edge, error)
	NeighborSet(id NodeID, f EdgeFilter) (*roaring.Bitmap, error)
	HasEdge(from, to NodeID, t EdgeType) (weight float32, ok bool, err error)
	// Parallel, EdgeWeight and EdgeProps tell parallel edges apart; the others have
	// them once.
	Parallel(id NodeID, edges []Edge) ([]Edge, error)
	EdgeWeight(e Edge) (weight float32, ok bool, err error)
	EdgeProps(e Edge) (Props, error)
	Edges(f EdgeFilter) iter.Seq2[Edge, error]
	// EdgeColumns yields the edges of a type that have properties, in order of their
	// ends and numbers, some hundred at a time, with the vectors of some properties: it
	// costs a few nanoseconds an edge where a load or [DB.Compact] wrote them, and less
	// than a microsecond elsewhere. A block is good until the next; a transaction must
	// not write meanwhile.
	EdgeColumns(t EdgeType, properties []string) iter.Seq2[*EdgeBlock, error]
	Within(set *roaring.Bitmap, f EdgeFilter) iter.Seq2[Edge, error]
	Leaving(set *roaring.Bitmap, f EdgeFilter) iter.Seq2[Edge, error]

	Sources(t Target) (*roaring.Bitmap, error)
	Total(t Target) (Total, error)
	ContributedBy(source NodeID) iter.Seq2[Target, error]

	Where(p Predicate) (*roaring.Bitmap, error)
	// Rules returns the indexes and constraints over labels and types of edges, in
	// order of name.
	Rules() ([]Rule, error)
	// IndexedNodes returns the nodes with values of a rule's index that are within w;
	// the caller owns the bitmap. Strings of more than 256 bytes have no place in the
	// order: for bounds on strings there may be nodes whose longer string is not within
	// them. It costs a scan of the entries.
	IndexedNodes(rule string, w Span) (*roaring.Bitmap, error)
	// IndexedEdges is IndexedNodes for edges, without their weights.
	IndexedEdges(rule string, w Span) iter.Seq2[Edge, error]
	// IndexedCount returns how many nodes or edges IndexedNodes or IndexedEdges would
	// find. It stops counting at limit.
	IndexedCount(rule string, w Span, limit int) (int, error)
	// IndexedShare estimates how many nodes or edges have one value of the first
	// properties of an index, from some at both ends of it; 0 if it is empty.
	IndexedShare(rule string, properties int) (float64, error)
	Terms(field string, q []string, o TermsOptions) ([]Scored, error)
	Phrase(field string, words []string) (*roaring.Bitmap, error)
	Contributions(t Target) iter.Seq2[Contribution, error]
	TermStats(field, term string) (TermStats, error)
	Vectors(space string) (*vecindex.View, error)
	Bucket(name string) Bucket
}

var (
	_ Reader = (*View)(nil)
	_ Reader = (*TxView)(nil)
)

// Scored is a node with a score.
type Scored struct {
	ID    NodeID
	Score float64
}

// Snapshot is the state of the database after one commit. Its methods are safe
// for concurrent use; it must be closed.
type Snapshot struct {
	db    *DB
	ctx   context.Context
	kv    kv.Snapshot
	epoch uint64

	mu    sync.Mutex
	views map[viewKey]*vecindex.View // opened on it, closed with it
	idle  []*listIter                // not in use, closed with it
	edges edgeCache
	done  bool
}

// View calls fn with a snapshot of the latest commit and closes it when fn
// returns. The snapshot and what was read through it must not be used after.
func (db *DB) View(ctx context.Context, fn func(s *Snapshot) error) (err error) {
	if fn == nil {
		return phase.Mark(ErrInvalid, "view: no function to call")
	}
	s, err := db.Snapshot(ctx)
	if err != nil {
		return err
	}
	// Deferred, so that a panic of fn does not leave the snapshot open.
	defer func() { err = firstError(err, s.Close()) }()
	return fn(s)
}

// Snapshot returns a snapshot of the latest commit, in a database that is open for
// reading the latest of the process that writes, and never an older one than it returned
// before: that is an error. The caller must close it: an open snapshot keeps what was deleted since on disk, and Close of
// the database waits for it. Reads through it end when ctx does.
func (db *DB) Snapshot(ctx context.Context) (*Snapshot, error) {
	if err := db.enter(); err != nil {
		return nil, err
	}
	s, err := db.latest(ctx)
	if err != nil {
		db.leave()
		return nil, phase.Errorf("snapshot: %w", err)
	}
	return s, nil
}

// takeSnapshot returns a snapshot as the store gives it.
func (db *DB) takeSnapshot(ctx context.Context) (*Snapshot, error) {
	s, err := db.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	out := &Snapshot{db: db, ctx: ctx, kv: newAheadReader(s)}
	if out.epoch, err = getUint64(ctx, s, layout.Meta("epoch")); err != nil {
		return nil, firstError(err, s.Close())
	}
	return out, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Epoch returns the number of the commit that the snapshot shows.
func (s *Snapshot) Epoch() uint64 { return s.epoch }

// Close releases the snapshot. A second Close does nothing.
func (s *Snapshot) Close() error {
	s.mu.Lock()
	if s.done {
		s.mu.Unlock()
		return nil
	}
	s.done = true
	s.mu.Unlock()
	err := firstError(s.release(), s.kv.Close())
	s.db.leave()
	if err != nil {
		return phase.Errorf("close snapshot: %w", err)
	}
	return nil
}

// release closes what was opened on the snapshot.
func (s *Snapshot) release() (err error) {
	s.mu.Lock()
	views, idle := s.views, s.idle
	s.done, s.idle = true, nil
	s.mu.Unlock()
	for _, v := range views {
		v.Close()
	}
	for _, l := range idle {
		err = firstError(err, l.kv.Close())
	}
	return err
}

// Graph returns a view of g at the snapshot. It is cheap. A nil or zero snapshot
// reads as one that is closed, and a graph of another database as dropped.
func (s *Snapshot) Graph(g *Graph) *View {
	if s == nil || s.kv == nil {
		s = &Snapshot{ctx: context.Background(), done: true}
		g = g.in(nil)
		return &View{reader{ctx: s.ctx, kv: closedReader{}, graph: g, g: g.st.id, snap: s}}
	}
	g = g.in(s.db)
	return &View{reader{ctx: s.ctx, kv: s.kv, graph: g, g: g.st.id, epoch: s.epoch, edges: &s.edges, snap: s}}
}

// closedReader is what a snapshot reads that never was opened.
type closedReader struct{}

func (closedReader) Get(context.Context, []byte, []byte) ([]byte, error) { return nil, ErrClosed }

func (closedReader) MultiGet(context.Context, [][]byte, func(int, []byte) error) error {
	return ErrClosed
}

func (closedReader) Iter(context.Context, []byte, []byte) (kv.Iterator, error) { return nil, ErrClosed }

// View reads a graph at a snapshot. It is safe for concurrent use and good
// until the snapshot is closed.
type View struct{ reader }

// Snapshot returns the snapshot that the view reads.
func (v *View) Snapshot() *Snapshot { return v.snap }

// WithContext returns the view with reads that end when ctx does.
func (v *View) WithContext(ctx context.Context) *View {
	return &View{reader{ctx: ctx, kv: v.kv, graph: v.graph, g: v.g, epoch: v.epoch, edges: v.edges, snap: v.snap}}
}

// reader is what View and TxView share: a graph over a kv.Reader.
type reader struct {
	ctx   context.Context
	kv    kv.Reader
	graph *Graph
	g     uint32
	epoch uint64
	edges *edgeCache
	snap  *Snapshot // nil in a transaction
	tx    *TxView   // nil in a snapshot
}

// Graph returns the graph that is read.
func (r *reader) Graph() *Graph { return r.graph }

// Version implements [Reader].
func (r *reader) Version() (uint64, error) {
	v, err := getUint64(r.ctx, r.kv, layout.GraphMeta(r.g, "version"))
	return v, r.wrap("version", err)
}

// wrap adds operation and graph to an error.
func (r *reader) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return phase.Errorf("%s: %s: %w", r.graph.Name(), op, err)
}

// lookupName returns the id of a name, seeing those that the transaction adds.
func (r *reader) lookupName(k layout.Kind, name string) (uint32, bool) {
	name = norm.NFC.String(name)
	if r.tx != nil {
		if id, ok := r.tx.names.ids[kindName{k, name}]; ok {
			return id, true
		}
	}
	return r.graph.st.lookup(k, name)
}

func (r *reader) nameOf(k layout.Kind, id uint32) string {
	if r.tx != nil {
		if e, ok := r.tx.names.entries[kindID{k, id}]; ok {
			return e.name
		}
	}
	return r.graph.st.nameOf(k, id)
}

// NodeType implements [Reader].
func (r *reader) NodeType(name string) (TypeID, bool) {
	id, ok := r.lookupName(layout.KindNodeType, name)
	return TypeID(id), ok
}

// EdgeType implements [Reader].
func (r *reader) EdgeType(name string) (EdgeType, bool) {
	id, ok := r.lookupName(layout.KindEdgeType, name)
	return EdgeType(id), ok
}

// NodeTypeName implements [Reader].
func (r *reader) NodeTypeName(t TypeID) string { return r.nameOf(layout.KindNodeType, uint32(t)) }

// EdgeTypeName implements [Reader].
func (r *reader) EdgeTypeName(t EdgeType) string { return r.nameOf(layout.KindEdgeType, uint32(t)) }

// NodeTypes implements [Reader].
func (r *reader) NodeTypes() []TypeID {
	var out []TypeID
	for _, id := range r.idsOf(layout.KindNodeType) {
		out = append(out, TypeID(id))
	}
	return out
}

// EdgeTypes implements [Reader].
func (r *reader) EdgeTypes() []EdgeType {
	var out []EdgeType
	for _, id := range r.idsOf(layout.KindEdgeType) {
		out = append(out, EdgeType(id))
	}
	return out
}

// PropertyNames implements [Reader].
func (r *reader) PropertyNames() []string {
	var out []string
	for _, id := range r.idsOf(layout.KindProperty) {
		out = append(out, r.nameOf(layout.KindProperty, id))
	}
	return out
}

// idsOf returns the ids of a kind, ascending: committed ones, then those of
// the transaction, which are all greater.
func (r *reader) idsOf(k layout.Kind) []uint32 {
	ids := r.graph.st.namesOf(k)
	if r.tx != nil {
		ids = append(ids, r.tx.newIDs(k)...)
	}
	return ids
}
