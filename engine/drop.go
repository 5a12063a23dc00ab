package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// Swap gives the name to the graph next and drops the graph that had it, in one
// commit. The handle next stays valid and has the new name. Handles of the old
// graph are refused from then on, but open snapshots still read it. A next that
// was itself dropped is [ErrNotFound].
func (n *Namespace) Swap(ctx context.Context, name string, next *Graph) error {
	err := n.swap(ctx, name, next)
	if err != nil {
		return phase.Errorf("swap %s: %w", name, err)
	}
	return nil
}

func (n *Namespace) swap(ctx context.Context, name string, next *Graph) error {
	name, err := checkName("graph", name)
	if err != nil {
		return err
	}
	next = next.orDropped()
	if next.ns.id != n.id || next.ns.db != n.db {
		return phase.Mark(ErrInvalid, "graph %s is of another namespace", next.Name())
	}
	if next.Name() == name && !next.st.dropped() {
		return nil
	}
	return n.rewrite(ctx, func(b kv.Batch) (gone []uint32, err error) {
		if next.st.dropped() {
			return nil, fmt.Errorf("graph %s was dropped: %w", next.Name(), ErrNotFound)
		}
		key := layout.Directory(n.name, name)
		if v, err := n.db.store.Get(ctx, key, nil); err == nil {
			e, err := decodeDirectory(key, v)
			if err != nil {
				return nil, err
			}
			gone = append(gone, e.graph)
		} else if !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		b.Set(key, directoryEntry{graph: next.st.id, namespace: n.id}.encode())
		b.Delete(layout.Directory(n.name, next.Name()))
		return gone, nil
	}, func() {
		next.st.mu.Lock()
		next.st.name = name
		next.st.mu.Unlock()
	})
}

// Drop removes a graph and all it holds. A missing graph is [ErrNotFound].
func (n *Namespace) Drop(ctx context.Context, name string) error {
	name, err := checkName("graph", name)
	if err != nil {
		return phase.Errorf("drop: %w", err)
	}
	err = n.rewrite(ctx, func(b kv.Batch) ([]uint32, error) {
		key := layout.Directory(n.name, name)
		v, err := n.db.store.Get(ctx, key, nil)
		if err != nil {
			return nil, err
		}
		e, err := decodeDirectory(key, v)
		b.Delete(key)
		return []uint32{e.graph}, err
	}, func() {})
	if err != nil {
		return phase.Errorf("drop %s: %w", name, err)
	}
	return nil
}

// DropNamespace removes a namespace with all its graphs. A missing namespace
// is [ErrNotFound].
func (db *DB) DropNamespace(ctx context.Context, name string) error {
	name, err := checkName("namespace", name)
	if err != nil {
		return phase.Errorf("drop: %w", err)
	}
	n := &Namespace{db: db, name: name}
	err = n.rewrite(ctx, func(b kv.Batch) (gone []uint32, err error) {
		found := false
		err = eachEntry(ctx, db.store, func(ns, graph string, e directoryEntry) {
			if ns != name {
				return
			}
			found = true
			b.Delete(layout.Directory(ns, graph))
			if graph != "" {
				gone = append(gone, e.graph)
			}
		})
		if err == nil && !found {
			err = ErrNotFound
		}
		return gone, err
	}, func() {})
	if err != nil {
		return phase.Errorf("drop namespace %s: %w", name, err)
	}
	return nil
}

// rewrite commits a change of the directory together with the removal of the
// graphs that it leaves without a name, then calls done.
func (n *Namespace) rewrite(ctx context.Context, change func(b kv.Batch) (gone []uint32, err error), done func()) error {
	db := n.db
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	if db.ReadOnly(ctx) {
		return ErrReadOnly
	}
	if err := db.lockWriter(ctx); err != nil {
		return err
	}
	defer db.unlockWriter()
	b := db.store.NewBatch()
	gone, err := change(b)
	if err != nil {
		return err
	}
	slices.Sort(gone)
	for _, id := range gone {
		layout.GraphTags(func(t layout.Tag) {
			prefix := layout.GraphPrefix(t, id)
			b.DeleteRange(prefix, layout.Next(prefix))
		})
	}
	if err := db.commit(ctx, b, kv.Sync); err != nil {
		return err
	}
	db.forgetGraphs(gone)
	done()
	return nil
}

// forgetGraphs marks graphs as dropped that the directory does not lead to any more.
func (db *DB) forgetGraphs(gone []uint32) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, id := range gone {
		if g := db.graphs[id]; g != nil {
			g.mu.Lock()
			g.gone = true
			for id, ix := range g.spaces {
				db.mirrors.remove(ix)
				delete(g.spaces, id)
			}
			g.mu.Unlock()
			delete(db.graphs, id)
		}
	}
}
