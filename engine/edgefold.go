package engine

import (
	"context"
	"errors"
	"iter"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// rowsOf returns the edges of a type that have properties, in order.
func (r *reader) rowsOf(t EdgeType) iter.Seq2[edgeRow, error] {
	return func(yield func(edgeRow, error) bool) {
		err := r.eachEdgeRow(t, func(row edgeRow) error {
			if !yield(row, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(edgeRow{}, err)
		}
	}
}

// edgeFold writes the properties of the edges of some types as blocks, in place of the
// blocks and records that there are. It is part of sorted writes.
type edgeFold struct {
	before *reader
	most   int        // edges of a block
	types  []EdgeType // ascending
	// news calls fn with the edges that are to be added, in order of types and then
	// of edges; they take the place of those that there are.
	news func(fn func(row edgeRow) error) error
}

// dropRecords removes all records of the types.
func (f *edgeFold) dropRecords(w kv.SortedWriter) error { return f.drop(w, layout.TagEdge) }

func (f *edgeFold) drop(w kv.SortedWriter, tag layout.Tag) error {
	for _, t := range f.types {
		prefix := layout.EdgesOfType(tag, f.before.g, uint32(t))
		if err := w.DeleteRange(prefix, layout.Next(prefix)); err != nil {
			return err
		}
	}
	return nil
}

// writeBlocks writes the blocks of the types.
func (f *edgeFold) writeBlocks(w kv.SortedWriter) error {
	m := edgeMerge{f: f, w: w, rest: f.types}
	err := f.news(func(row edgeRow) error {
		if err := m.begin(row.at.Type); err != nil {
			return err
		}
		return m.add(row)
	})
	if err == nil {
		err = m.begin(0)
	}
	m.close()
	return err
}

// edgeMerge merges the edges that there are with those that are added.
type edgeMerge struct {
	f    *edgeFold
	w    kv.SortedWriter
	rest []EdgeType // not begun yet

	t    EdgeType // begun, 0 if none is
	out  *edgeBlockWriter
	old  edgeRow // the next one that there is, if more
	more bool
	next func() (edgeRow, error, bool)
	stop func()
}

// begin ends the types before t, and begins with t; 0 ends all.
func (m *edgeMerge) begin(t EdgeType) error {
	for m.t != t || t == 0 {
		if err := m.end(); err != nil {
			return err
		}
		if len(m.rest) == 0 {
			return nil
		}
		next := m.rest[0]
		prefix := layout.EdgesOfType(layout.TagEdgeBlock, m.f.before.g, uint32(next))
		if err := m.w.DeleteRange(prefix, layout.Next(prefix)); err != nil {
			return err
		}
		m.t, m.rest = next, m.rest[1:]
		m.out = newEdgeBlockWriter(m.f.before.g, m.t, m.f.most, m.w.Set)
		m.next, m.stop = iter.Pull2(m.f.before.rowsOf(m.t))
		if err := m.advance(); err != nil {
			return err
		}
	}
	return nil
}

func (m *edgeMerge) advance() (err error) {
	m.old, err, m.more = m.next()
	return err
}

// add adds an edge of the type that is begun, after those before it that there are.
func (m *edgeMerge) add(row edgeRow) error {
	if err := m.copyUpTo(&row.at); err != nil {
		return err
	}
	return m.out.add(row.at, row.props)
}

// copyUpTo writes the edges that there are before one, or all, and leaves that one out.
func (m *edgeMerge) copyUpTo(e *Edge) error {
	for m.more {
		c := -1
		if e != nil {
			c = orderEdges(m.old.at, *e)
		}
		if c > 0 {
			return nil
		}
		if c < 0 {
			if err := m.out.add(m.old.at, m.old.props); err != nil {
				return err
			}
		}
		if err := m.advance(); err != nil {
			return err
		}
	}
	return nil
}

// end writes what is left of the type that is begun.
func (m *edgeMerge) end() error {
	if m.t == 0 {
		return nil
	}
	err := m.copyUpTo(nil)
	if err == nil {
		err = m.out.flush()
	}
	m.close()
	return err
}

// close ends the reading of the type that is begun, if any.
func (m *edgeMerge) close() {
	if m.t != 0 {
		m.stop()
		m.t = 0
	}
}

// noRows is the news of a fold that adds nothing.
func noRows(func(row edgeRow) error) error { return nil }

// foldEdges writes records of edges into blocks, where blocks have become old or records
// are many. It changes nothing that can be read, so it moves neither the epoch nor a
// version; each type of edges is a commit of its own.
func (db *DB) foldEdges(ctx context.Context) error {
	graphs, _, err := listGraphs(ctx, db.store, "")
	if err != nil {
		return err
	}
	for i := range graphs {
		st, err := db.graphState(ctx, graphs[i].graph, graphs[i].name)
		if err != nil {
			return err
		}
		for _, t := range st.namesOf(layout.KindEdgeType) {
			if err := db.foldType(ctx, st, EdgeType(t)); err != nil {
				return err
			}
		}
	}
	return nil
}

// foldType folds one type of edges of a graph.
func (db *DB) foldType(ctx context.Context, st *graphState, t EdgeType) (err error) {
	if err := db.lockWriter(ctx); err != nil {
		return err
	}
	defer db.unlockWriter()
	snap, err := db.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, snap.Close()) }()
	before := &reader{ctx: ctx, kv: snap, g: st.id}
	records, err := before.countKeys(layout.TagEdge, t, db.opts.BlockEdges)
	if err != nil || records == 0 {
		return err
	}
	blocks, err := before.countKeys(layout.TagEdgeBlock, t, 1)
	if err != nil || blocks == 0 && records < db.opts.BlockEdges {
		return err
	}
	f := edgeFold{before: before, most: db.opts.BlockEdges, types: []EdgeType{t}, news: noRows}
	st.blocks.Store(true)
	err = db.ingest(ctx, func(w kv.SortedWriter) error { return firstError(f.dropRecords(w), f.writeBlocks(w)) })
	if errors.Is(err, ErrTxTooLarge) { // a store in memory, where a commit is a batch
		return nil
	}
	return err
}

// countKeys returns how many keys of a family a type of edges has, at most limit.
func (r *reader) countKeys(tag layout.Tag, t EdgeType, limit int) (n int, err error) {
	it, err := r.firstOfType(tag, t)
	if err != nil {
		return 0, err
	}
	for ; n < limit && it.Valid(); n++ {
		it.Next()
	}
	return n, firstError(it.Err(), it.Close())
}
