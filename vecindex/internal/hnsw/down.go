package hnsw

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// DownLevel is the level of a ListKey that stands for a node's link to the
// layer below.
const DownLevel = 255

const (
	// downEf is the width of the search for the node below.
	downEf = 64
	// upEf is how many nodes of the layer above are looked at when a node
	// comes: it may be nearer to them than the one they lead to.
	upEf = 48
)

// Down returns the node of the layer below to which a node leads.
func (v *Version) Down(slot uint32) (below uint32, ok bool) {
	c, i := v.at(slot)
	if c.down == nil {
		return 0, false
	}
	d := c.down[i].Load()
	return d - 1, d != 0
}

func (v *Version) setDown(slot, below uint32) {
	c, i := v.at(slot)
	c.down[i].Store(below + 1)
}

// improvement is a node of a layer above to which another one is near.
type improvement struct {
	above uint32
	to    Candidate // of the layer below, by its distance to above
}

// LinkDown leads nodes that were just linked, in whatever layers, to the layers
// below, and what stands above them to them if they are nearer. It returns
// the keys of the links that changed, in order.
func (g *Graph) LinkDown(ctx context.Context, nodes []Node, workers int) ([]ListKey, error) {
	b := &batch{g: g, v: g.current.Load(), workers: max(1, workers), touched: map[ListKey]struct{}{}}
	layers := map[uint8]bool{}
	fresh := make(map[uint32]bool, len(nodes))
	slots := make([]uint32, len(nodes))
	for i, n := range nodes {
		slots[i] = n.Slot
		fresh[n.Slot] = true
		layers[b.v.LayerOf(n.Slot)] = true
	}
	// If a layer was empty before, all that stands above it has no link down.
	slots = append(slots, b.stray(layers, fresh)...)
	better, err := b.lookUp(ctx, nodes)
	if err != nil {
		return nil, err
	}
	if err := b.lookDown(ctx, slots); err != nil {
		for layer := range layers {
			g.astray[min(int(layer)+1, 255)] = true // those that were not led down
			g.astray[layer] = true
		}
		return nil, err
	}
	for _, x := range better {
		if fresh[x.above] {
			continue // found its own
		}
		if now, ok := b.v.Down(x.above); ok && b.estimate(x.above, now) <= x.to {
			continue
		}
		b.v.setDown(x.above, x.to.Slot())
		b.touched[ListKey{x.above, DownLevel}] = struct{}{}
	}
	return b.keys(), nil
}

// stray returns the nodes, fresh ones left out, that lead to no layer below
// and stand above one of the layers.
func (b *batch) stray(layers map[uint8]bool, fresh map[uint32]bool) (slots []uint32) {
	found := false
	for layer := range layers {
		if layer < 255 && b.g.astray[layer+1] {
			found, b.g.astray[layer+1] = true, false // until one is found again
		}
	}
	if !found {
		return nil
	}
	for slot := range b.v.n {
		if !fresh[slot] && b.v.lost(slot) && layers[b.v.LayerOf(slot)-1] {
			slots = append(slots, slot)
		}
	}
	return slots
}

// lost reports whether a slot holds a linked node, shown or not, that leads to
// no layer below though it is not of the lowest.
func (v *Version) lost(slot uint32) bool {
	c, i := v.at(slot)
	layer := c.layer[i]
	if layer == 0 || c.down == nil || c.down[i].Load() != 0 {
		return false
	}
	l := v.Layer(layer)
	return c.parent[i] != none || l.Linked > 0 && l.Root == slot
}

func (b *batch) keys() []ListKey {
	keys := make([]ListKey, 0, len(b.touched))
	for k := range b.touched {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, ListKey.Compare)
	return keys
}

// estimate returns a node as a candidate for another.
func (b *batch) estimate(slot, other uint32) Candidate {
	s := b.g.Searcher()
	defer b.g.Release(s)
	q := b.g.codec.NewStored()
	q.FillStored(b.v.Code(slot))
	return s.Measure(b.v, &q, []uint32{other}, nil)[0]
}

// lookDown leads nodes to the nearest of the layer below.
func (b *batch) lookDown(ctx context.Context, slots []uint32) error {
	found := make([]uint32, len(slots))
	err := b.each(ctx, len(slots), func(s *Searcher, i int) {
		found[i] = none
		layer := b.v.LayerOf(slots[i])
		if layer == 0 {
			return
		}
		s.query.FillStored(b.v.Code(slots[i]))
		all, _ := s.SearchAccepted(b.v, s.query, layer-1, nil, downEf, math.MaxInt, b.alive)
		if len(all) > 0 {
			found[i] = all[0].Slot()
		}
	})
	if err != nil {
		return err
	}
	for i, slot := range slots {
		if b.v.LayerOf(slot) == 0 {
			continue
		}
		c, row := b.v.at(slot)
		c.down[row].Store(0)
		if found[i] != none {
			b.v.setDown(slot, found[i])
		} else {
			b.g.astray[b.v.LayerOf(slot)] = true
		}
		b.touched[ListKey{slot, DownLevel}] = struct{}{}
	}
	return nil
}

// alive reports whether a node is linked and not dead, shown or not.
func (b *batch) alive(slot uint32) bool { return !b.v.dead(slot) }

// lookUp returns the nodes of the layers above that nodes are near to, those
// of one node by distance, so that the last word has the nearest.
func (b *batch) lookUp(ctx context.Context, nodes []Node) ([]improvement, error) {
	found := make([][]improvement, len(nodes))
	err := b.each(ctx, len(nodes), func(s *Searcher, i int) {
		x := nodes[i].Slot
		layer := b.v.LayerOf(x)
		if layer == 255 || b.v.Layer(layer+1).Linked == 0 {
			return
		}
		s.query.FillStored(b.v.Code(x))
		for _, c := range s.Search(b.v, s.query, layer+1, nil, upEf) {
			found[i] = append(found[i], improvement{c.Slot(), candidate(quant.KeyOf(c.Distance()), x)})
		}
	})
	all := slices.Concat(found...)
	slices.SortFunc(all, func(x, y improvement) int {
		return cmp.Or(cmp.Compare(x.above, y.above), cmp.Compare(x.to, y.to))
	})
	return slices.CompactFunc(all, func(x, y improvement) bool { return x.above == y.above }), err
}

// mendDown leads the nodes that lead to dead ones elsewhere.
func (r *repair) mendDown(ctx context.Context) error {
	if !r.b.g.p.Down {
		return nil
	}
	var slots []uint32
	for slot := range r.b.v.n {
		if !r.b.v.held(slot) || r.gone[slot] {
			continue
		}
		if below, ok := r.b.v.Down(slot); ok && r.gone[below] {
			slots = append(slots, slot)
		}
	}
	return r.b.lookDown(ctx, slots)
}
