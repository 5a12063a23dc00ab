package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// Namespace is one corpus: a set of graphs that belong together.
type Namespace struct {
	db   *DB
	name string
	id   uint32
}

// Graph is a graph of a namespace: its own nodes, edges, postings, vectors and
// names. It is a handle; reading and writing go through a [View] or [TxView].
type Graph struct {
	ns *Namespace
	st *graphState
}

// Base is the name of the graph that holds a namespace's documents, chunk
// sets, postings and metadata.
const Base = "base"

// Name returns the namespace's name.
func (n *Namespace) Name() string { return n.name }

// orDropped returns g, and for a nil or zero one a graph that reads and writes
// find to be dropped.
func (g *Graph) orDropped() *Graph {
	if g != nil && g.st != nil {
		return g
	}
	return &Graph{ns: &Namespace{}, st: &graphState{name: "(nil)", names: newCatalog(), gone: true}}
}

// in returns g, and for a graph of another database one that reads and writes
// find to be dropped: its number is that of some graph here.
func (g *Graph) in(db *DB) *Graph {
	if g = g.orDropped(); g.ns.db == db || g.ns.db == nil {
		return g
	}
	return &Graph{ns: &Namespace{}, st: &graphState{name: g.Name(), names: newCatalog(), gone: true}}
}

// Name returns the graph's name.
func (g *Graph) Name() string {
	g = g.orDropped()
	g.st.mu.RLock()
	defer g.st.mu.RUnlock()
	return g.st.name
}

// ID returns the graph's id.
func (g *Graph) ID() GraphID { return GraphID(g.orDropped().st.id) }

// Namespace returns the namespace that the graph belongs to.
func (g *Graph) Namespace() *Namespace { return g.orDropped().ns }

// DB returns the database that the graph is in.
func (g *Graph) DB() *DB { return g.orDropped().ns.db }

// Namespace returns the namespace of a name, creating it if it does not
// exist. In a read-only database an unknown name is [ErrNotFound].
func (db *DB) Namespace(ctx context.Context, name string) (*Namespace, error) {
	name, err := checkName("namespace", name)
	if err != nil {
		return nil, phase.Errorf("namespace: %w", err)
	}
	e, err := db.directory(ctx, name, "", 0)
	if err != nil {
		return nil, phase.Errorf("namespace %s: %w", name, err)
	}
	return &Namespace{db: db, name: name, id: e.namespace}, nil
}

// Graph returns the graph of a name, creating it if it does not exist. In a
// read-only database an unknown name is [ErrNotFound].
func (n *Namespace) Graph(ctx context.Context, name string) (*Graph, error) {
	name, err := checkName("graph", name)
	if err != nil {
		return nil, phase.Errorf("graph: %w", err)
	}
	for {
		e, err := n.db.directory(ctx, n.name, name, n.id)
		if err != nil {
			return nil, phase.Errorf("graph %s: %w", name, err)
		}
		st, err := n.db.graphState(ctx, e.graph, name)
		if err != nil {
			return nil, phase.Errorf("graph %s: %w", name, err)
		}
		// What is dropped or replaced from here on finds the state and marks
		// it; what was before did not, and the name has to be looked up again.
		current, err := n.db.leadsTo(ctx, layout.Directory(n.name, name), e.graph)
		if err != nil {
			return nil, phase.Errorf("graph %s: %w", name, err)
		}
		if current {
			return &Graph{ns: n, st: st}, nil
		}
	}
}

// GraphAt returns the graph that has a name in a snapshot, and makes none: [ErrNotFound]
// says that there is no such graph, or that it was dropped since. It is one read of the
// snapshot once the graph is open.
func (n *Namespace) GraphAt(ctx context.Context, s *Snapshot, name string) (*Graph, error) {
	g, err := n.graphAt(ctx, s, name)
	if err != nil {
		return nil, phase.Errorf("graph %s: %w", name, err)
	}
	return g, nil
}

func (n *Namespace) graphAt(ctx context.Context, s *Snapshot, name string) (*Graph, error) {
	name, err := checkName("graph", name)
	if err != nil {
		return nil, err
	}
	if s == nil || s.kv == nil || s.db != n.db {
		return nil, phase.Mark(ErrInvalid, "no snapshot of the database")
	}
	key := layout.Directory(n.name, name)
	v, err := s.kv.Get(ctx, key, nil)
	if err != nil {
		return nil, err
	}
	e, err := decodeDirectory(key, v)
	if err != nil {
		return nil, err
	}
	n.db.mu.Lock()
	st := n.db.graphs[e.graph]
	n.db.mu.Unlock()
	if st != nil {
		return &Graph{ns: n, st: st}, nil
	}
	g, err := n.Graph(n.db.Reading(ctx), name)
	if err == nil && g.st.id != e.graph {
		err = ErrNotFound
	}
	return g, err
}

// leadsTo reports whether an entry of the directory is of the graph id.
func (db *DB) leadsTo(ctx context.Context, key []byte, id uint32) (bool, error) {
	var v []byte
	err := db.reading(ctx, func(r kv.Reader) (err error) {
		v, err = r.Get(ctx, key, nil)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	e, err := decodeDirectory(key, v)
	return e.graph == id, err
}

// HasGraph reports whether the namespace has a graph of the name.
func (n *Namespace) HasGraph(ctx context.Context, name string) (bool, error) {
	name, err := checkName("graph", name)
	if err != nil {
		return false, phase.Errorf("has graph: %w", err)
	}
	err = n.db.reading(ctx, func(r kv.Reader) error {
		_, err := r.Get(ctx, layout.Directory(n.name, name), nil)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Namespaces returns the names of all namespaces in order.
func (db *DB) Namespaces(ctx context.Context) ([]string, error) {
	var out []string
	err := db.eachEntry(ctx, func(ns, graph string, _ directoryEntry) {
		if graph == "" {
			out = append(out, ns)
		}
	})
	return out, err
}

// Graphs returns the names of the namespace's graphs in order.
func (n *Namespace) Graphs(ctx context.Context) ([]string, error) {
	var out []string
	err := n.db.eachEntry(ctx, func(ns, graph string, _ directoryEntry) {
		if ns == n.name && graph != "" {
			out = append(out, graph)
		}
	})
	return out, err
}

func (db *DB) eachEntry(ctx context.Context, fn func(ns, graph string, e directoryEntry)) error {
	return db.reading(ctx, func(r kv.Reader) error { return eachEntry(ctx, r, fn) })
}

// eachEntry calls fn with every entry of the directory, in order of names; an
// empty graph name is the namespace's own entry.
func eachEntry(ctx context.Context, r kv.Reader, fn func(ns, graph string, e directoryEntry)) error {
	for p, err := range scan(ctx, r, []byte{byte(layout.TagDirectory)}) {
		if err != nil {
			return err
		}
		e, err := decodeDirectory(p.key, p.value)
		if err != nil {
			return err
		}
		ns, graph := layout.DirectoryName(p.key)
		fn(ns, graph, e)
	}
	return nil
}

// directory returns an entry, making it if it is missing. An empty graph
// name asks for the namespace; ns is then ignored. No graph is made in a
// namespace that was dropped.
func (db *DB) directory(ctx context.Context, namespace, graph string, ns uint32) (e directoryEntry, err error) {
	key := layout.Directory(namespace, graph)
	var v []byte
	err = db.reading(ctx, func(r kv.Reader) (err error) {
		v, err = r.Get(ctx, key, nil)
		return err
	})
	if err == nil {
		return decodeDirectory(key, v)
	}
	if !errors.Is(err, ErrNotFound) || db.ReadOnly(ctx) {
		return e, err
	}
	if err := db.enter(); err != nil {
		return e, err
	}
	defer db.leave()
	if err := db.lockWriter(ctx); err != nil {
		return e, err
	}
	defer db.unlockWriter()
	v, err = db.store.Get(ctx, key, nil) // another call may have made it
	if err == nil {
		return decodeDirectory(key, v)
	}
	if !errors.Is(err, ErrNotFound) {
		return e, err
	}
	counter := "next_graph"
	if graph == "" {
		counter = "next_namespace"
	} else if err := db.hasNamespace(ctx, namespace, ns); err != nil {
		return e, err
	}
	id := db.nextIDs[counter]
	e = directoryEntry{graph: id, namespace: ns}
	if graph == "" {
		e = directoryEntry{namespace: id}
	}
	b := db.store.NewBatch()
	b.Set(key, e.encode())
	b.Set(layout.Meta(counter), appendUint64(nil, uint64(id)+1))
	if err := db.commit(ctx, b, kv.Sync); err != nil {
		return e, err
	}
	db.nextIDs[counter] = id + 1
	return e, nil
}

// hasNamespace returns [ErrNotFound] if a namespace was dropped.
func (db *DB) hasNamespace(ctx context.Context, name string, id uint32) error {
	key := layout.Directory(name, "")
	v, err := db.store.Get(ctx, key, nil)
	if err != nil {
		return fmt.Errorf("namespace %s: %w", name, err)
	}
	e, err := decodeDirectory(key, v)
	if err == nil && e.namespace != id {
		err = fmt.Errorf("namespace %s was dropped: %w", name, ErrNotFound)
	}
	return err
}

// commit writes b with the next epoch. The caller is the writer.
func (db *DB) commit(ctx context.Context, b kv.Batch, d kv.Durability) error {
	epoch := db.epoch.Load() + 1
	b.Set(layout.Meta("epoch"), appendUint64(nil, epoch))
	if err := db.store.Apply(ctx, b, d); err != nil {
		return err
	}
	db.epoch.Store(epoch)
	return nil
}

// graphState returns the state of a graph, reading it the first time.
func (db *DB) graphState(ctx context.Context, id uint32, name string) (*graphState, error) {
	if db.readOnly {
		return db.openFollowed(ctx, id, name)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	if g := db.graphs[id]; g != nil {
		return g, nil
	}
	g, err := openGraph(ctx, db.store, id)
	if err != nil {
		return nil, err
	}
	g.name = name
	db.graphs[id] = g
	return g, nil
}
