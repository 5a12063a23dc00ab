package engine

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/kv"
)

// Compact rewrites all tables of the database, so that what was removed takes no
// room and is in none of them any more, other than in those of snapshots and
// backups. It is in no log either. The list of tables keeps their first and last
// keys until Close: then nothing removed is in any file. It takes a while, and the
// room of the database again meanwhile; work goes on beside it. Before that it
// takes dead vectors out of the graphs of vector spaces, and removes the keys of
// lists that hold nothing any more.
func (db *DB) Compact(ctx context.Context) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	if db.readOnly {
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
