package vecindex

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

const (
	// sampleBytes bounds the rows that lists are found in; perList is how many there
	// are of them for each list if that lets.
	sampleBytes = 64 << 20
	perList     = 12
	// meanRows is how many vectors the mean is of.
	meanRows = 4096
	// refines is how often all vectors are put to their nearest lists, and the lists
	// moved to the means of theirs.
	refines = 2
	// blockVectors is how many vectors a goroutine takes at a time.
	blockVectors = 256
)

// listsMaking is the work of making all lists from the vectors of a snapshot. What it
// makes is a function of vectors, ids and the seed: vectors are drawn by their ids, and
// sums are of integers.
type listsMaking struct {
	*lister
	r    kv.Reader
	head meta
	top  float32 // largest element of turned vectors of the sample
}

// makeLists makes the lists from all vectors, beside those in use.
func (ix *Index) makeLists(ctx context.Context, commit Committer) error {
	rec, _, err := ix.readListsRecord(ctx, ix.store)
	if err != nil {
		return err
	}
	ix.lastLister = nil
	record := listsRecord{}
	if rec != nil {
		record = listsRecord{edition: 1 - rec.edition, state: rec.state}
	}
	m := &listsMaking{lister: &lister{
		ix: ix, ctx: ctx, commit: commit, record: record, hidden: true, counts: map[uint32]int{}, where: map[uint32]ivf.List{},
	}}
	// What an Auto index gets and loses from here on is marked: the snapshot is of
	// later.
	defer ix.making.Store(false)
	err = commit(ctx, func(b kv.Batch) error {
		m.clear(b, record.edition)
		ix.making.Store(true)
		return nil
	})
	if err != nil {
		return err
	}
	return ix.snapshot(ctx, func(r kv.Reader, head meta) error {
		m.r, m.head = r, head
		return m.run(rec)
	})
}

func (m *listsMaking) run(old *listsRecord) error {
	lists, err := m.train()
	if err != nil {
		return err
	}
	for range refines {
		if lists, err = m.refine(lists); err != nil {
			return err
		}
	}
	if err := m.store(lists); err != nil {
		return err
	}
	if err := m.placeAll(); err != nil {
		return err
	}
	touched := map[uint32]bool{}
	for list := range m.where {
		touched[list] = true
	}
	if err := m.balance(touched); err != nil {
		return err
	}
	return m.swap(old)
}

// clear removes all records of an edition.
func (m *listsMaking) clear(b kv.Batch, edition uint8) {
	t := m.ix.cfg.Table
	for _, prefix := range [][]byte{append(t.Prefix(layout.TagCode), edition), append(t.Prefix(layout.TagLinks), edition)} {
		b.DeleteRange(prefix, layout.Next(prefix))
	}
	b.Delete(t.Meta(codecName(edition)))
}

// block is some vectors of a scan.
type block struct {
	nodes []groupNode
	rows  []float32
}

// everyBlock calls do with all vectors, on the goroutines that link.
func (m *listsMaking) everyBlock(do func(t *turner, b *block) error) error {
	d := m.ix.cfg.Dim
	g, ctx := errgroup.WithContext(m.ctx)
	full := make(chan *block, m.ix.listers())
	free := sync.Pool{New: func() any { return &block{rows: make([]float32, 0, blockVectors*d)} }}
	g.Go(func() error {
		defer close(full)
		b := free.Get().(*block)
		send := func() error {
			select {
			case full <- b:
				b = free.Get().(*block)
				b.nodes, b.rows = b.nodes[:0], b.rows[:0]
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err := m.ix.in(m.r).scan(ctx, func(rec slotRecord, slot uint32, key, raw []byte) error {
			b.nodes = append(b.nodes, groupNode{slot, rec})
			b.rows = b.rows[:len(b.rows)+d]
			if err := m.ix.cfg.Element.read(key, raw, b.rows[len(b.rows)-d:]); err != nil {
				return err
			}
			if len(b.nodes) == blockVectors {
				return send()
			}
			return nil
		})
		if err == nil && len(b.nodes) > 0 {
			err = send()
		}
		return err
	})
	for range m.ix.listers() {
		g.Go(func() error {
			t := m.turners.get()
			defer m.turners.put(t)
			for b := range full {
				if err := do(t, b); err != nil {
					return err
				}
				free.Put(b)
			}
			return nil
		})
	}
	return g.Wait()
}

// store writes the codec and the lists.
func (m *listsMaking) store(lists []ivf.List) error {
	t := m.ix.cfg.Table
	w := &recordWriter{ctx: m.ctx, commit: m.commit}
	w.set(t.Meta(codecName(m.record.edition)), m.now.codec.AppendRecord(nil))
	for i := range lists {
		x := &lists[i]
		m.record.nextList, m.record.nextGroup = max(m.record.nextList, x.ID+1), max(m.record.nextGroup, x.Group+1)
		m.where[x.ID] = ivf.List{ID: x.ID, Group: x.Group, Layer: x.Layer}
		m.counts[x.ID] = 0
		w.set(t.Code(m.record.edition, x.ID), appendList(nil, x))
	}
	m.now = &routed{record: m.record, codec: m.now.codec, router: ivf.NewRouter(m.ix.cfg.Dim, lists)}
	return w.flush()
}

// placeAll writes the postings of all vectors.
func (m *listsMaking) placeAll() error {
	d := m.ix.cfg.Dim
	var mu sync.Mutex
	return m.everyBlock(func(t *turner, b *block) error {
		entries := make([]entry, len(b.nodes))
		for i, n := range b.nodes {
			entries[i] = entry{slot: n.slot, rec: n.rec}
			t.turn(b.rows[i*d : i*d+d])
			m.fill(t, &entries[i], placed{})
		}
		mu.Lock()
		for i := range entries {
			for _, list := range entries[i].at.lists[:entries[i].at.n] {
				m.counts[list]++
			}
		}
		m.record.listed += uint32(len(entries))
		defer mu.Unlock()
		err := m.commit(m.ctx, func(batch kv.Batch) error {
			for i := range entries {
				m.set(batch, &entries[i])
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("write lists: %w", err)
		}
		return nil
	})
}

// swap makes the lists those of the index.
func (m *listsMaking) swap(old *listsRecord) error {
	ix, t := m.ix, m.ix.cfg.Table
	if old != nil {
		now, _, err := ix.readListsRecord(m.ctx, ix.store)
		if err != nil || now == nil || *now != *old {
			return errors.Join(err, fmt.Errorf("%w: the lists changed while they were made again", ErrUnsettled))
		}
	}
	m.record.flags = 0
	m.record.state++
	m.record.made, m.record.madeOf = m.record.state, m.record.listed
	x := &routed{record: m.record, codec: m.now.codec, router: m.now.router}
	err := m.commit(m.ctx, func(b kv.Batch) error {
		b.Set(t.Meta(listsName), appendLists(nil, &m.record))
		if old != nil {
			m.clear(b, old.edition)
		}
		if m.head.next > 0 {
			b.DeleteRange(t.Pending(false, 0), t.Pending(false, m.head.next))
		}
		ix.route(x)
		return nil
	})
	if err != nil {
		ix.unroute()
		return fmt.Errorf("write lists: %w", err)
	}
	ix.wait(-int64(m.record.listed))
	ix.grown()
	return nil
}

// settleLists is Settle of an index with lists.
func (ix *Index) settleLists(ctx context.Context, commit Committer) error {
	end, err := ix.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	ix.beside = false
	for {
		if err := ix.workLists(ctx, commit, true); err != nil {
			return err
		}
		due, err := ix.listsDue(ctx)
		if err != nil || due.rec == nil && due.waiting == 0 {
			return err
		}
		if due.rec != nil && (due.rec.flags&listsImpure == 0 && due.waiting == 0 || due.rec.listed == 0) {
			return nil
		}
		if err := ix.makeLists(ctx, commit); err != nil {
			return err
		}
	}
}
