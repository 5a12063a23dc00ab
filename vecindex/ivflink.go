package vecindex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

const (
	// listSize is the number of vectors that lists are made for, of which each is in
	// two lists.
	listSize = 72
	// longList and shortList are the postings above which a list is divided, and
	// below which its vectors go to others.
	longList, shortList = 4 * listSize, listSize / 4
	// smallLists is the number of vectors up to which lists are made again, from all
	// vectors, when there are twice as many as they were made of. That costs a third of
	// dividing one after the other, but takes all vectors at once. Until then lists may be
	// longList times youngList long.
	smallLists, youngList = 1 << 18, 3
	// listGroup is how many vectors are put into lists at a time.
	listGroup = 1024
)

// lister changes the lists of an index. There is one at a time.
type lister struct {
	ix      *Index
	ctx     context.Context
	commit  Committer
	now     *routed
	record  listsRecord
	turners *turners
	// hidden says that the lists are not those of the index yet: its record stays.
	hidden bool
	// counts are the postings of lists, of those that were counted.
	counts map[uint32]int
	where  map[uint32]ivf.List // lists by id, without their rows
}

func (ix *Index) newLister(ctx context.Context, commit Committer, now *routed) *lister {
	l := &lister{ix: ix, ctx: ctx, commit: commit, now: now, record: now.record, turners: ix.newTurners(now.codec)}
	l.counts, l.where = map[uint32]int{}, map[uint32]ivf.List{}
	for _, layer := range now.router.Layers() {
		for _, x := range now.router.All(layer) {
			l.where[x.ID] = ivf.List{ID: x.ID, Group: x.Group, Layer: x.Layer}
		}
	}
	return l
}

// entry is a vector on its way into lists.
type entry struct {
	slot     uint32
	rec      slotRecord
	at       placed
	postings [2][]byte
}

// step takes dead vectors out of the lists and puts new ones in, in one commit.
func (l *lister) step() (touched map[uint32]bool, n int, err error) {
	ix, t := l.ix, l.ix.cfg.Table
	var gone []uint32
	var places []placed
	var entries []entry
	var vectors []float32
	err = ix.snapshot(l.ctx, func(r kv.Reader, m meta) error {
		loader := &loader{ix: ix, r: r, meta: m}
		if gone, err = loader.marks(l.ctx, 1, 0, listGroup, nil); err != nil {
			return err
		}
		if places, err = l.placesOf(r, gone); err != nil || len(gone) == listGroup {
			return err
		}
		err := ix.in(r).pending(l.ctx, 0, func(slot uint32, rec slotRecord, x []float32) error {
			if len(entries) == listGroup {
				return errEnough
			}
			entries = append(entries, entry{slot: slot, rec: rec})
			vectors = append(vectors, x...)
			return nil
		})
		if errors.Is(err, errEnough) {
			err = nil
		}
		return err
	})
	if err != nil || len(gone)+len(entries) == 0 {
		return nil, 0, err
	}
	if err := l.newLayers(entries, vectors); err != nil {
		return nil, 0, err
	}
	l.place(entries, vectors)

	next := l.record
	next.state++
	next.flags |= listsImpure
	touched = map[uint32]bool{}
	change := map[uint32]int{}
	for _, p := range places {
		for _, list := range p.lists[:p.n] {
			change[list]--
		}
		if p.n > 0 {
			next.listed--
		}
	}
	for i := range entries {
		for _, list := range entries[i].at.lists[:entries[i].at.n] {
			change[list]++
		}
		next.listed++
	}
	for list := range change {
		if _, ok := l.where[list]; ok {
			touched[list] = true
		}
	}
	if err := l.count(touched); err != nil {
		return nil, 0, err
	}
	err = l.commit(l.ctx, func(b kv.Batch) error {
		for i, slot := range gone {
			for _, list := range places[i].lists[:places[i].n] {
				b.Delete(t.Posting(next.edition, list, slot))
			}
			b.Delete(t.Links(next.edition, placeLevel, slot))
			b.Delete(t.Pending(true, slot))
		}
		for i := range entries {
			l.set(b, &entries[i])
		}
		if n := len(entries); n > 0 {
			// The marks of all slots below were of this group.
			b.DeleteRange(t.Pending(false, 0), t.Pending(false, entries[n-1].slot+1))
		}
		b.Set(t.Meta(listsName), appendLists(nil, &next))
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("write lists: %w", err)
	}
	for list := range touched {
		l.counts[list] += change[list]
	}
	l.record = next
	ix.wait(-int64(len(entries)))
	return touched, len(gone) + len(entries), nil
}

// set puts the postings of an entry into a batch.
func (l *lister) set(b kv.Batch, e *entry) {
	t, edition := l.ix.cfg.Table, l.record.edition
	for i, list := range e.at.lists[:e.at.n] {
		if e.postings[i] != nil {
			b.Set(t.Posting(edition, list, e.slot), e.postings[i])
		}
	}
	b.Set(t.Links(edition, placeLevel, e.slot), appendPlaced(nil, e.at))
}

// placesOf reads which lists slots are in; there are none of those that are in none.
func (l *lister) placesOf(r kv.Reader, slots []uint32) ([]placed, error) {
	keys := make([][]byte, len(slots))
	for i, slot := range slots {
		keys[i] = l.ix.cfg.Table.Links(l.record.edition, placeLevel, slot)
	}
	out := make([]placed, len(slots))
	err := r.MultiGet(l.ctx, keys, func(i int, b []byte) (err error) {
		if b != nil {
			out[i], err = readPlaced(keys[i], b)
		}
		return err
	})
	return out, err
}

// newLayers makes a first list for layers that have none yet.
func (l *lister) newLayers(entries []entry, vectors []float32) error {
	d := l.ix.cfg.Dim
	var fresh []ivf.List
	for i := range entries {
		layer := entries[i].rec.layer
		if l.now.router.Count(layer) > 0 || slices.ContainsFunc(fresh, func(x ivf.List) bool { return x.Layer == layer }) {
			continue
		}
		t := l.turners.get()
		t.turn(vectors[i*d : i*d+d])
		row := ivf.Row{Q: slices.Clone(t.row.Q), Scale: t.row.Scale, Norm: t.row.Norm}
		l.turners.put(t)
		fresh = append(fresh, ivf.List{ID: l.record.nextList + uint32(len(fresh)), Group: l.record.nextGroup + uint32(len(fresh)), Layer: layer, Row: row})
	}
	if len(fresh) == 0 {
		return nil
	}
	return l.change(nil, fresh, func(kv.Batch) {})
}

// place finds the lists of vectors and makes their postings.
func (l *lister) place(entries []entry, vectors []float32) {
	d := l.ix.cfg.Dim
	l.ix.each(len(entries), func(next func() (int, bool)) {
		t := l.turners.get()
		defer l.turners.put(t)
		for i, ok := next(); ok; i, ok = next() {
			t.turn(vectors[i*d : i*d+d])
			l.fill(t, &entries[i], placed{})
		}
	})
}

// fill finds the lists of the vector last turned, and makes the postings that those of
// old do not have.
func (l *lister) fill(t *turner, e *entry, old placed) {
	at, n := t.place(l.now.router, e.rec.layer)
	e.at = placed{n: n}
	for i := range n {
		list := &t.near[at[i]].List
		e.at.lists[i] = list.ID
		if !old.has(list.ID) {
			e.postings[i] = t.append(nil, e.rec.id, list)
		}
	}
}

// listers returns how many goroutines change lists: in the background, half of the
// processors are left to those who search and write.
func (ix *Index) listers() int {
	n := ix.goroutines()
	if ix.beside {
		n = max(1, n/2)
	}
	return n
}

// each runs do on the goroutines that link; next gives each the numbers below n.
func (ix *Index) each(n int, do func(next func() (int, bool))) {
	var at atomic.Int64
	next := func() (int, bool) {
		i := int(at.Add(1)) - 1
		return i, i < n
	}
	workers := min(ix.listers(), (n+15)/16)
	if workers < 2 {
		do(next)
		return
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { do(next) })
	}
	wg.Wait()
}

// count counts the postings of lists that were not counted yet.
func (l *lister) count(lists map[uint32]bool) (err error) {
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(lists)), func(list uint32) bool {
		_, ok := l.counts[list]
		return ok
	})
	if len(unknown) == 0 {
		return nil
	}
	return l.overPostings(l.ix.store, func(it kv.Iterator) error {
		for _, list := range unknown {
			n := 0
			prefix := l.ix.cfg.Table.Links(l.record.edition, postingLevel, list)
			for ok := it.SeekGE(prefix); ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
				n++
			}
			l.counts[list] = n
		}
		return it.Err()
	})
}

// overPostings calls fn with an iterator over all postings.
func (l *lister) overPostings(r kv.Reader, fn func(it kv.Iterator) error) (err error) {
	prefix := append(l.ix.cfg.Table.Prefix(layout.TagLinks), l.record.edition, postingLevel)
	it, err := r.Iter(l.ctx, prefix, layout.Next(prefix))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	return fn(it)
}
