package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// listIter walks adjacency lists. Those of a snapshot are used again: making
// an iterator costs as much as what it is then used for.
type listIter struct {
	ctx  context.Context // of the reader that uses it
	kv   kv.Iterator
	key  layout.AdjacencyKey // where the list at hand begins
	set  layout.Set
	seek []byte
	// edges is what Neighbors collects in.
	edges []Edge
}

// maxIdleLists is how many unused iterators a snapshot keeps.
const maxIdleLists = 16

// listIter returns an iterator over all adjacency lists.
func (r *reader) listIter() (*listIter, error) {
	if r.snap != nil {
		if l := r.snap.idleLists(); l != nil {
			l.ctx = r.ctx
			return l, r.ctx.Err()
		}
	}
	// The iterator may outlive the reader, whose context it must then not heed.
	it, err := r.kv.Iter(context.WithoutCancel(r.ctx), []byte{byte(layout.TagOut)}, []byte{byte(layout.TagPromoted)})
	if err != nil {
		return nil, err
	}
	return &listIter{ctx: r.ctx, kv: it}, r.ctx.Err()
}

// release gives an iterator back. In a transaction it is closed: it does not
// see what is written after it was opened.
func (r *reader) release(l *listIter) error {
	if r.snap != nil && l.kv.Err() == nil && r.snap.keepLists(l) {
		return nil
	}
	return l.kv.Close()
}

// idleLists returns an unused iterator, or nil.
func (s *Snapshot) idleLists() *listIter {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.idle)
	if n == 0 {
		return nil
	}
	l := s.idle[n-1]
	s.idle = s.idle[:n-1]
	return l
}

// keepLists keeps an iterator for the next read that needs one, and reports
// whether there was room.
func (s *Snapshot) keepLists(l *listIter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done || len(s.idle) == maxIdleLists {
		return false
	}
	s.idle = append(s.idle, l)
	return true
}

// next moves to the next key, unless the context has ended.
func (l *listIter) next() bool { return l.ctx.Err() == nil && l.kv.Next() }

func (l *listIter) err() error { return firstError(l.ctx.Err(), l.kv.Err()) }

// same reports whether a key is of the list at hand.
func (l *listIter) same(key layout.AdjacencyKey) bool {
	return key.Node == l.key.Node && key.Type == l.key.Type && key.Dir == l.key.Dir && key.Graph == l.key.Graph
}

// from calls fn with the neighbours >= lo of the list at hand and their
// weights, ascending, until fn returns false.
func (l *listIter) from(lo uint64, fn func(other uint64, w float32) bool) error {
	return l.parts(lo, func(base uint64, ids []uint64, weights []float32) bool {
		for i, id := range ids {
			w := float32(1)
			if weights != nil {
				w = weights[i]
			}
			if !fn(base+id, w) {
				return false
			}
		}
		return true
	})
}

// parts calls fn with the neighbours >= lo of the list at hand, a key's worth
// at a time: what to add to the ids, the ids, and weights if any is not 1.
// They are good until fn returns; false ends the walk.
func (l *listIter) parts(lo uint64, fn func(base uint64, ids []uint64, weights []float32) bool) error {
	if l.key.Inline {
		_, err := l.part(0, lo, fn)
		return err
	}
	if c := layout.Container(lo); c > l.key.Container {
		// Seek past the containers below lo.
		l.seek = layout.AppendAdjacencyContainer(l.seek[:0], l.key.Dir, l.key.Graph, l.key.Node, l.key.Type, c)
		if !l.kv.SeekGE(l.seek) {
			return l.kv.Err()
		}
	}
	for {
		key, ok := layout.ReadAdjacency(l.kv.Key())
		if !ok || !l.same(key) {
			return nil
		}
		more, err := l.part(key.Container<<16, lo, fn)
		if err != nil || !more || !l.next() {
			return firstError(err, l.err())
		}
	}
}

// part calls fn with the neighbours >= lo under the current key.
func (l *listIter) part(base, lo uint64, fn func(base uint64, ids []uint64, weights []float32) bool) (more bool, err error) {
	l.set.Reset()
	if err := layout.ReadSet(l.kv.Value(), &l.set); err != nil {
		return false, firstError(l.kv.Err(), corrupt(l.kv.Key(), err))
	}
	ids, weights := l.set.IDs, l.set.Weights
	if lo > base {
		i, _ := slices.BinarySearch(ids, lo-base)
		ids = ids[i:]
		if weights != nil {
			weights = weights[i:]
		}
	}
	return len(ids) == 0 || fn(base, ids, weights), nil
}

// eachList calls fn with every list of a node in one direction that the filter
// wants, in order of type. fn need not exhaust the list.
func (r *reader) eachList(dir layout.Direction, id NodeID, f *EdgeFilter, fn func(t EdgeType, l *listIter) error) (err error) {
	l, err := r.listIter()
	if l == nil {
		return err
	}
	if err == nil {
		err = l.each(dir, r.g, id, f, r.graph.st.lastType.Load(), fn)
	}
	return errors.Join(err, r.release(l))
}

// each is eachList; there are no edge types greater than last.
func (l *listIter) each(dir layout.Direction, g uint32, id NodeID, f *EdgeFilter, last uint32, fn func(t EdgeType, l *listIter) error) error {
	l.seek = layout.AppendAdjacencyPrefix(l.seek[:0], dir, g, uint64(id))
	ok := l.kv.SeekPrefix(l.seek)
	for ok {
		key, valid := layout.ReadAdjacency(l.kv.Key())
		if !valid {
			return corrupt(l.kv.Key(), errors.New("not an adjacency key"))
		}
		if key.Node != uint64(id) || key.Graph != g || key.Dir != dir {
			return nil
		}
		l.key = key
		if t := EdgeType(key.Type); f.reads(dir, t) {
			if err := fn(t, l); err != nil {
				return err
			}
		}
		if key.Type >= last {
			break
		}
		if key.Inline {
			// The walk of an inline list does not move the iterator, and no
			// container of the same list follows one.
			ok = l.next()
			continue
		}
		l.seek = layout.AppendAdjacency(l.seek[:0], dir, g, uint64(id), key.Type+1)
		ok = l.kv.SeekGE(l.seek)
	}
	return l.err()
}
