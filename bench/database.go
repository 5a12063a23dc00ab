package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// budget is the memory budget that databases are opened with, half the default;
// the block cache is as large as by default.
const budget = 256 << 20

// openEngine opens a database and the store below it, each with its options.
func openEngine(ctx context.Context, path string, o engine.Options, so pebblekv.Options) (db *engine.DB, store *pebblekv.Store, err error) {
	o.OpenStore = func(ctx context.Context, path string, s *kv.Schema) (_ kv.Store, err error) {
		store, err = pebblekv.Open(ctx, path, s, &so)
		return store, err
	}
	db, err = engine.Open(ctx, path, &o)
	return db, store, err
}

// openGraph opens the one graph that a database of a benchmark has.
func openGraph(ctx context.Context, db *engine.DB) (*engine.Graph, error) {
	ns, err := db.Namespace(ctx, "bench")
	if err != nil {
		return nil, err
	}
	return ns.Graph(ctx, "graph")
}

// database is an open database with one graph, and the store below it.
type database struct {
	path  string
	bytes int64 // memory budget
	db    *engine.DB
	graph *engine.Graph
	store *pebblekv.Store
}

func openDatabase(ctx context.Context, path string) (*database, error) {
	d := &database{path: path, bytes: budget}
	return d, d.open(ctx, pebblekv.Options{CacheBytes: budget / 2})
}

// openWithin opens a database with a memory budget and what else is so by
// default.
func openWithin(ctx context.Context, path string, bytes int64) (*database, error) {
	d := &database{path: path, bytes: bytes}
	return d, d.open(ctx, pebblekv.Options{CacheBytes: bytes / 4, MemtableBytes: min(bytes/16, 64<<20)})
}

func (d *database) open(ctx context.Context, so pebblekv.Options) (err error) {
	d.db, d.store, err = openEngine(ctx, d.path, engine.Options{MemoryBudget: d.bytes}, so)
	if err != nil {
		return err
	}
	if d.graph, err = openGraph(ctx, d.db); err != nil {
		return errors.Join(err, d.db.Close())
	}
	return nil
}

func (d *database) close() error { return d.db.Close() }

// compact compacts the database and returns the bytes that its directory then
// takes. The database is closed and opened for it, since the store keeps files
// that it has done with, logs above all, until it opens again.
func (d *database) compact(ctx context.Context) (size float64, err error) {
	if err := d.store.Compact(ctx, nil, nil); err != nil {
		return 0, err
	}
	if err := d.reopen(ctx, func() error { return nil }); err != nil {
		return 0, err
	}
	return size, d.reopen(ctx, func() error {
		entries, err := os.ReadDir(d.path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				return err
			}
			size += float64(info.Size())
		}
		return nil
	})
}

// reopen closes the database, calls fn and opens it again.
func (d *database) reopen(ctx context.Context, fn func() error) error {
	if err := d.close(); err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err
	}
	again, err := openDatabase(ctx, d.path)
	if err == nil {
		*d = *again
	}
	return err
}

// loadNodes loads n nodes with two small properties; their ids are 1 to n.
func (d *database) loadNodes(ctx context.Context, n int) error {
	return d.db.Load(ctx, d.graph, func(l *engine.Loader) error {
		t, err := l.MakeNodeType("node")
		if err != nil {
			return err
		}
		for i := range n {
			name := strconv.Itoa(i)
			props := engine.Props{"name": engine.String("node " + name), "n": engine.Int(int64(i))}
			if _, err := l.Node(t, name, props); err != nil {
				return err
			}
		}
		return nil
	})
}

// edgeType is the name of the one edge type.
const edgeType = "cites"

// loadEdges loads edges with the weights that weight gives, 1 if it is nil.
func (d *database) loadEdges(ctx context.Context, edges []edge, weight func(i int) float32) error {
	return d.db.Load(ctx, d.graph, func(l *engine.Loader) error {
		t, err := l.MakeEdgeType(edgeType, true)
		if err != nil {
			return err
		}
		w := float32(1)
		for i, e := range edges {
			if weight != nil {
				w = weight(i)
			}
			if err := l.Edge(engine.NodeID(e.from)+1, engine.NodeID(e.to)+1, t, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// addEdges adds edges in one transaction.
func (d *database) addEdges(ctx context.Context, edges []edge, durability kv.Durability) error {
	return d.db.UpdateWith(ctx, durability, func(tx *engine.Tx) error {
		v := tx.Graph(d.graph)
		t, err := v.MakeEdgeType(edgeType, true)
		if err != nil {
			return err
		}
		for _, e := range edges {
			if err := v.AddEdge(engine.NodeID(e.from)+1, engine.NodeID(e.to)+1, t, 1); err != nil {
				return err
			}
		}
		return nil
	})
}

// neighbors reads all out-neighbours of a node in pages and returns how many
// there are.
func neighbors(v *engine.View, id engine.NodeID, page []engine.Edge) (int, error) {
	n := 0
	for after := engine.NodeID(0); ; {
		got, err := v.Neighbors(id, engine.EdgeFilter{}, after, page[:0])
		n += len(got)
		if err != nil || len(got) < cap(page) {
			return n, err
		}
		after = got[len(got)-1].To
	}
}

// copyDirectory copies the files of a directory in use, the lock left out: what
// a process that is killed leaves behind. It begins again if the store made
// or removed a file meanwhile.
func copyDirectory(from, to string) error {
	const tries = 100
	for range tries {
		before, err := fileNames(from)
		if err != nil {
			return err
		}
		err = copyFiles(from, to, before)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		after, listErr := fileNames(from)
		if err == nil && listErr == nil && slices.Equal(before, after) {
			return nil
		}
		if err := errors.Join(listErr, os.RemoveAll(to)); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s changed during each of %d copies", from, tries)
}

func fileNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if e.Name() != "LOCK" {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func copyFiles(from, to string, names []string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), b, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
