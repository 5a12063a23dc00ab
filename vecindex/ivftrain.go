package vecindex

import (
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

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
		centroids, err := ivf.Train(m.ctx, rows, size, m.ix.cfg.Seed+uint64(layer), m.ix.listers())
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
	for i, g := range ivf.Groups(rows, m.ix.cfg.Seed, m.ix.listers()) {
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
