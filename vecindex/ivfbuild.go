package vecindex

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

const (
	// sampleBytes bounds the rows that lists are found in; perList is how many there
	// are of them for each list if that lets.
	sampleBytes = 256 << 20
	perList     = 24
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
	return ix.snapshot(ctx, func(r kv.Reader, head meta) error {
		m := &listsMaking{r: r, head: head}
		record := listsRecord{}
		if rec != nil {
			record = listsRecord{edition: 1 - rec.edition, state: rec.state}
		}
		m.lister = &lister{ix: ix, ctx: ctx, commit: commit, record: record, hidden: true, counts: map[uint32]int{}, where: map[uint32]ivf.List{}}
		return m.run(rec)
	})
}

func (m *listsMaking) run(old *listsRecord) error {
	if err := m.commit(m.ctx, func(b kv.Batch) error { m.clear(b, m.record.edition); return nil }); err != nil {
		return err
	}
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

// chance is a number from 0 to 1 that a node has.
func chance(id uint64) float64 {
	id = (id ^ id>>31) * 0x9e3779b97f4a7c15
	id = (id ^ id>>29) * 0xbf58476d1ce4e5b9
	return float64((id^id>>32)>>11) / (1 << 53)
}

// train chooses the codec and the first lists, from a sample.
func (m *listsMaking) train() ([]ivf.List, error) {
	var counts [256]int
	if err := m.ix.in(m.r).scanSlots(m.ctx, func(_ uint32, rec slotRecord) { counts[rec.layer]++ }); err != nil {
		return nil, err
	}
	d := m.ix.cfg.Dim
	n := float64(max(m.head.live, 1))
	share := min(float64(perList)/listSize, sampleBytes/float64(d)/n)
	var shares [256]float64
	for layer, count := range counts {
		// Of few vectors all are drawn: lists are as good as what they are found in.
		if shares[layer] = share; float64(count)*share < 4*perList*listSize {
			shares[layer] = min(1, 4*perList*listSize/float64(max(count, 1)))
		}
	}
	var sample []groupNode
	err := m.ix.in(m.r).scanSlots(m.ctx, func(slot uint32, rec slotRecord) {
		if chance(rec.id) < shares[rec.layer] {
			sample = append(sample, groupNode{slot, rec})
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(sample, func(a, b groupNode) int { return compareIDs(a.rec.id, b.rec.id) })
	codec, err := m.codec(sample)
	if err != nil {
		return nil, err
	}
	m.turners = m.ix.newTurners(codec)
	m.now = &routed{record: m.record, codec: codec}
	var layers [256]*ivf.Rows
	t := m.turners.get()
	defer m.turners.put(t)
	err = m.fetch(sample, func(i int, x []float32) {
		t.turn(x)
		m.top = max(m.top, t.row.Scale*127)
		layer := sample[i].rec.layer
		if layers[layer] == nil {
			layers[layer] = ivf.NewRows(d, int(1.01*float64(counts[layer])*min(shares[layer], 1))+64)
		}
		layers[layer].Add(t.row)
	})
	if err != nil {
		return nil, err
	}
	var out []ivf.List
	for layer, rows := range layers {
		if counts[layer] == 0 {
			continue
		}
		if rows == nil { // none was drawn of very few: their first vector is the list's
			return nil, fmt.Errorf("layer %d of %d vectors has no sample", layer, counts[layer])
		}
		size := max(listSize*rows.Len()/counts[layer], min(perList/2, listSize))
		centroids, err := ivf.Train(m.ctx, rows, size, m.ix.cfg.Seed+uint64(layer), m.ix.goroutines())
		if err != nil {
			return nil, err
		}
		out = m.appendLists(out, uint8(layer), centroids)
	}
	return out, nil
}

// appendLists appends the lists of a layer, numbered on, in groups of their own.
func (m *listsMaking) appendLists(out []ivf.List, layer uint8, centroids [][]float32) []ivf.List {
	rows := ivf.NewRows(m.ix.cfg.Dim, len(centroids))
	for _, c := range centroids {
		rows.AddVector(c)
	}
	base := uint32(0)
	for _, l := range out {
		base = max(base, l.Group+1)
	}
	first := uint32(len(out))
	for i, g := range ivf.Groups(rows, m.ix.cfg.Seed, m.ix.goroutines()) {
		out = append(out, ivf.List{ID: first + uint32(i), Group: base + g, Layer: layer, Row: rows.Row(i)})
	}
	return out
}

// codec returns the codec about the mean of some of the sample.
func (m *listsMaking) codec(sample []groupNode) (*quant.Codec, error) {
	d := m.ix.cfg.Dim
	some := sample
	if len(sample) > meanRows {
		some = nil
		for i := range meanRows {
			some = append(some, sample[i*len(sample)/meanRows])
		}
	}
	sums := make([]float64, d)
	rows := make([]float32, 0, len(some)*d)
	at := make([]int, len(some))
	err := m.fetch(some, func(i int, x []float32) {
		at[i] = len(rows)
		rows = append(rows, x...)
	})
	if err != nil {
		return nil, err
	}
	for _, from := range at {
		for j, x := range rows[from : from+d] {
			sums[j] += float64(x)
		}
	}
	mean := make([]float32, d)
	for j, s := range sums {
		mean[j] = float32(s / float64(max(len(some), 1)))
	}
	return quant.Around(mean, m.ix.cfg.Metric == InnerProduct, m.ix.cfg.Seed), nil
}

// fetch calls fn with the vectors of nodes, in their order.
func (m *listsMaking) fetch(nodes []groupNode, fn func(i int, x []float32)) error {
	d, table := m.ix.cfg.Dim, m.ix.cfg.Table
	rows := make([]float32, blockVectors*d)
	keys := make([][]byte, 0, blockVectors)
	for from := 0; from < len(nodes); from += blockVectors {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		some := nodes[from:min(from+blockVectors, len(nodes))]
		keys = keys[:0]
		for _, n := range some {
			keys = append(keys, table.Slot(layout.TagVector, n.slot))
		}
		err := m.r.MultiGet(m.ctx, keys, func(i int, b []byte) error {
			if b == nil {
				return corrupt(keys[i], "slot without a vector")
			}
			return m.ix.cfg.Element.read(keys[i], b, rows[i*d:i*d+d])
		})
		if err != nil {
			return err
		}
		for i := range some {
			fn(from+i, rows[i*d:i*d+d])
		}
	}
	return nil
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
	full := make(chan *block, m.ix.goroutines())
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
	for range m.ix.goroutines() {
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

// refine returns the lists about the means of the vectors nearest to each. Those that are
// hardly nearest to any are left out.
func (m *listsMaking) refine(lists []ivf.List) ([]ivf.List, error) {
	d := m.ix.cfg.Dim
	router := ivf.NewRouter(d, lists)
	sums := ivf.NewSums(d, len(lists), m.top)
	err := m.everyBlock(func(t *turner, b *block) error {
		for i, n := range b.nodes {
			t.turn(b.rows[i*d : i*d+d])
			t.near = router.Nearest(&t.route, t.row, false, n.rec.layer, 1, placeGroups, t.near[:0])
			sums.Add(int(t.near[0].ID), t.turned)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []ivf.List
	for from := 0; from < len(lists); {
		layer := lists[from].Layer
		to := from
		for to < len(lists) && lists[to].Layer == layer {
			to++
		}
		var means [][]float32
		most := from
		for i := from; i < to; i++ {
			if sums.Count(i) > sums.Count(most) {
				most = i
			}
			if sums.Count(i) >= shortList/2 {
				mean := make([]float32, d)
				sums.Mean(i, mean)
				means = append(means, mean)
			}
		}
		if len(means) == 0 {
			mean := make([]float32, d)
			sums.Mean(most, mean)
			means = append(means, mean)
		}
		out = m.appendLists(out, layer, means)
		from = to
	}
	return out, nil
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
	return nil
}

// settleLists is Settle of an index with lists.
func (ix *Index) settleLists(ctx context.Context, commit Committer) error {
	end, err := ix.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	for {
		if err := ix.workLists(ctx, commit, true); err != nil {
			return err
		}
		rec, waiting, err := ix.listsDue(ctx)
		if err != nil || rec == nil && waiting == 0 {
			return err
		}
		if rec != nil && rec.flags&listsImpure == 0 && waiting == 0 {
			return nil
		}
		if rec != nil && rec.listed == 0 {
			return nil
		}
		if err := ix.makeLists(ctx, commit); err != nil {
			return err
		}
	}
}
