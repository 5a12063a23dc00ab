package engine

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/kv"
)

// Compact rewrites all tables of the database. Removed data then takes no room and
// is in no table or log, except those of snapshots and backups. The list of tables
// keeps the first and last key of each until Close; after that no file holds
// removed data. Compact first takes dead vectors out of the graphs of vector
// spaces, removes keys of empty lists, and writes the properties of edges and, in blocks
// that are missing or out of date, of nodes in columns. While it runs, other calls go on, and it
// needs the room of the database a second time.
func (db *DB) Compact(ctx context.Context) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	if db.ReadOnly(ctx) {
		return phase.Errorf("compact: %w", ErrReadOnly)
	}
	if err := db.compact(ctx); err != nil {
		return phase.Errorf("compact: %w", err)
	}
	return nil
}

func (db *DB) compact(ctx context.Context) error {
	if err := db.flushSpaces(ctx); err != nil {
		return err
	}
	if err := db.sweep(ctx); err != nil {
		return err
	}
	if err := db.foldEdges(ctx); err != nil {
		return err
	}
	if err := db.blockNodes(ctx); err != nil {
		return err
	}
	m, ok := db.store.(kv.Maintainer)
	if !ok {
		return nil
	}
	return errors.Join(m.Flush(ctx), m.Compact(ctx, nil, nil))
}

// flushSpaces takes the dead vectors of all spaces out of their graphs, which
// the background work leaves there until they are many.
func (db *DB) flushSpaces(ctx context.Context) error {
	graphs, _, err := listGraphs(ctx, db.store, "")
	if err != nil {
		return err
	}
	for i := range graphs {
		l := &graphs[i]
		st, err := db.graphState(ctx, l.graph, l.name)
		if err != nil {
			return err
		}
		g := &Graph{ns: &Namespace{db: db, name: l.namespace, id: l.directoryEntry.namespace}, st: st}
		var spaces []string
		if err := db.View(ctx, func(s *Snapshot) (err error) { spaces, err = s.Graph(g).spaces(); return err }); err != nil {
			return err
		}
		for _, name := range spaces {
			// A space that is dropped meanwhile has nothing to be taken out.
			if err := db.FlushSpace(ctx, g, name); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
	}
	return nil
}
