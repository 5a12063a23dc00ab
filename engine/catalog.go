package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/text/unicode/norm"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

type (
	// NodeID identifies a node within its graph: dense, ascending from 1 and
	// never used twice. No node has the id 0. Ids stay below 2^32.
	NodeID uint64
	// TypeID identifies a node type within its graph.
	TypeID uint32
	// EdgeType identifies an edge type within its graph and says whether its
	// edges have a direction.
	EdgeType uint32
	// GraphID identifies a graph within the database; it is never used twice.
	GraphID uint32
)

const (
	// NoType is the type of nodes without a label. It has no name.
	NoType TypeID = math.MaxUint32 - 1
	// AnyType stands for every type, [NoType] too, where nodes are asked for.
	AnyType TypeID = math.MaxUint32
)

// Directed reports whether edges of the type lead from one node to another.
// Edges of the other types join two nodes and are stored once.
func (t EdgeType) Directed() bool { return t&1 == 0 }

// maxNameBytes bounds the names of graphs, types, properties and the like.
const maxNameBytes = 1 << 10

// checkName returns the name in the form in which it is stored.
func checkName(what, name string) (string, error) {
	switch {
	case name == "":
		return "", phase.Mark(ErrInvalid, "empty %s name", what)
	case len(name) <= maxNameBytes && (!utf8.ValidString(name) || strings.ContainsRune(name, 0)):
		return "", phase.Mark(ErrInvalid, "%s name %q", what, name)
	case len(name) <= maxNameBytes:
		name = norm.NFC.String(name) // which may be longer
	}
	if len(name) > maxNameBytes {
		return "", phase.Mark(ErrInvalid, "%s name of %d bytes, at most %d", what, len(name), maxNameBytes)
	}
	return name, nil
}

// kindName is a name within its kind.
type kindName struct {
	kind layout.Kind
	name string
}

// kindID is an id within its kind.
type kindID struct {
	kind layout.Kind
	id   uint32
}

// catalog holds the names of a graph. An id never changes its name, and entries
// say from which commit to which they are there, so one catalog serves all
// snapshots.
type catalog struct {
	ids     map[kindName]uint32
	entries map[kindID]catalogEntry
	next    map[layout.Kind]uint32
}

func newCatalog() *catalog {
	return &catalog{
		ids:     map[kindName]uint32{},
		entries: map[kindID]catalogEntry{},
		next:    map[layout.Kind]uint32{},
	}
}

func (c *catalog) add(k layout.Kind, id uint32, e catalogEntry) {
	e.before = c.ids[kindName{k, e.name}]
	c.ids[kindName{k, e.name}] = id
	c.entries[kindID{k, id}] = e
	c.next[k] = max(c.next[k], id+1)
}

// listKey names one adjacency list.
type listKey struct {
	dir   layout.Direction
	node  uint64
	etype uint32
}

// promotedKey names the set of nodes whose lists of a kind are in containers.
type promotedKey struct {
	dir   layout.Direction
	etype uint32
}

// graphState is what the database keeps in memory of a graph.
type graphState struct {
	id uint32

	// mu guards the name, the catalog and the open vector spaces.
	mu     sync.RWMutex
	name   string
	names  *catalog
	spaces map[uint32]*vecindex.Index
	gone   bool // dropped or replaced

	// undirected says that there may be an undirected edge type, and lastType
	// is the greatest edge type that there may be. They are raised before the
	// type is committed, so that they hold for every snapshot, and save
	// looking for lists that cannot exist.
	undirected atomic.Bool
	lastType   atomic.Uint32
	// labelled says that there may be nodes with further labels. It is raised
	// before the first is committed.
	labelled atomic.Bool
	// parallel says that there may be parallel edges, blocks that there may be blocks
	// of edges, and columned that there may be blocks of nodes, likewise.
	parallel, blocks, columned atomic.Bool

	// The fields below belong to the single writer.

	version  uint64
	changes  uint64 // the version after which changes are kept, if keepsChanges
	nextNode uint64
	// keepsChanges says that commits keep what they change.
	keepsChanges bool
	live         *roaring.Bitmap // nodes that exist; nil until first wanted
	promoted     map[promotedKey]*roaring.Bitmap
	lengths      listLengths
}

// openGraph reads the state of a graph.
func openGraph(ctx context.Context, r kv.Reader, id uint32) (*graphState, error) {
	g := &graphState{
		id:       id,
		names:    newCatalog(),
		spaces:   map[uint32]*vecindex.Index{},
		promoted: map[promotedKey]*roaring.Bitmap{},
	}
	var err error
	if g.version, err = getUint64(ctx, r, layout.GraphMeta(id, "version")); err != nil {
		return nil, err
	}
	if g.nextNode, err = getUint64(ctx, r, layout.GraphMeta(id, "next_node")); err != nil {
		return nil, err
	}
	if g.changes, g.keepsChanges, err = readChangesMeta(&reader{ctx: ctx, kv: r, g: id}); err != nil {
		return nil, err
	}
	if err := g.readFlags(ctx, r); err != nil {
		return nil, err
	}
	g.nextNode = max(g.nextNode, 1)
	g.lengths = newListLengths(g.nextNode)
	names, err := readCatalog(ctx, r, id)
	if err != nil {
		return nil, err
	}
	for k, e := range names {
		g.names.add(k.kind, k.id, e)
		if k.kind == layout.KindEdgeType {
			g.noteEdgeType(EdgeType(k.id))
		}
	}
	for kvp, err := range scan(ctx, r, layout.GraphPrefix(layout.TagPromoted, id)) {
		if err != nil {
			return nil, err
		}
		dir, etype, container := layout.PromotedOf(kvp.key)
		if err := layout.AddSetTo(kvp.value, container<<16, g.promotedSet(promotedKey{dir, etype})); err != nil {
			return nil, corrupt(kvp.key, err)
		}
	}
	return g, nil
}

func (g *graphState) promotedSet(k promotedKey) *roaring.Bitmap {
	rb := g.promoted[k]
	if rb == nil {
		rb = roaring.New()
		g.promoted[k] = rb
	}
	return rb
}

// lookup returns the id that a name has, or was the last to have.
func (g *graphState) lookup(k layout.Kind, name string) (uint32, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	id, ok := g.names.ids[kindName{k, name}]
	return id, ok
}

// lookupAt returns the id and entry of a name in the state after a commit.
func (g *graphState) lookupAt(k layout.Kind, name string, epoch uint64) (uint32, catalogEntry, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for id := g.names.ids[kindName{k, name}]; id != 0; {
		e := g.names.entries[kindID{k, id}]
		if e.at(epoch) {
			return id, e, true
		}
		id = e.before
	}
	return 0, catalogEntry{}, false
}

// noteEdgeType notes that there may be edges of a type. The caller is the
// writer, or no other goroutine has the state yet.
func (g *graphState) noteEdgeType(t EdgeType) {
	if !t.Directed() {
		g.undirected.Store(true)
	}
	if uint32(t) > g.lastType.Load() {
		g.lastType.Store(uint32(t))
	}
}

// nameOf returns the name of a committed id, or "" if there is none.
func (g *graphState) nameOf(k layout.Kind, id uint32) string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.names.entries[kindID{k, id}].name
}

// namesOf returns the ids of a kind, ascending.
func (g *graphState) namesOf(k layout.Kind) []uint32 {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []uint32
	for id := range maps.Keys(g.names.entries) {
		if id.kind == k {
			out = append(out, id.id)
		}
	}
	slices.Sort(out)
	return out
}

func (g *graphState) dropped() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.gone
}

// pair is a key and its value, valid until the scan moves on.
type pair struct{ key, value []byte }

// scan yields every key with a prefix, ascending.
func scan(ctx context.Context, r kv.Reader, prefix []byte) iter.Seq2[pair, error] {
	return scanRange(ctx, r, prefix, layout.Next(prefix))
}

// scanRange yields every key of lo <= key < hi, ascending.
func scanRange(ctx context.Context, r kv.Reader, lo, hi []byte) iter.Seq2[pair, error] {
	return func(yield func(pair, error) bool) {
		it, err := r.Iter(ctx, lo, hi)
		if err != nil {
			yield(pair{}, err)
			return
		}
		for ok := it.First(); ok; ok = it.Next() {
			if !yield(pair{it.Key(), it.Value()}, nil) {
				// The consumer is gone; the error is dropped.
				_ = it.Close()
				return
			}
		}
		if err := errors.Join(it.Err(), it.Close()); err != nil {
			yield(pair{}, err)
		}
	}
}

// directoryEntry is what the directory says of a graph or namespace.
type directoryEntry struct {
	graph, namespace uint32
}

func (e directoryEntry) encode() []byte {
	b := binary.BigEndian.AppendUint32(nil, e.graph)
	return binary.BigEndian.AppendUint32(b, e.namespace)
}

func decodeDirectory(key, v []byte) (e directoryEntry, err error) {
	if len(v) != 8 {
		return e, corrupt(key, errors.New("wrong length"))
	}
	return directoryEntry{binary.BigEndian.Uint32(v), binary.BigEndian.Uint32(v[4:])}, nil
}
