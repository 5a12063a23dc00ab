package hnsw

import "fmt"

// Verify returns what is wrong with the graph, nil if nothing is: lists lead
// to nodes of their layer, no node to itself or twice to one; every node has
// the lists of its level; and each leads to the root of its layer by parents
// that have a link to it (invariant T). It is O(n M).
func (v *Version) Verify() error {
	nodes := make([]int, 256)
	leads := make([]bool, v.n) // to the root
	var chain []uint32
	for slot := range v.n {
		if !v.held(slot) {
			continue
		}
		layer := v.LayerOf(slot)
		nodes[layer]++
		for level := range v.level(slot) + 1 {
			if err := v.verifyList(slot, level); err != nil {
				return fmt.Errorf("slot %d, level %d: %w", slot, level, err)
			}
		}
		root := v.Layer(layer).Root
		chain = chain[:0]
		for y := slot; !leads[y]; y = v.parent(y) {
			chain = append(chain, y)
			if y == root {
				break
			}
			p := v.parent(y)
			if p >= v.n || !v.held(p) {
				return fmt.Errorf("slot %d has no parent", y)
			}
			if !contains(v.links(p, 0), y) {
				return fmt.Errorf("slot %d: its parent %d has no link to it", y, p)
			}
			if len(chain) > v.linked {
				return fmt.Errorf("slot %d: its parents are a circle", slot)
			}
		}
		for _, y := range chain {
			leads[y] = true
		}
	}
	for slot := range v.n {
		if err := v.verifyDown(slot); err != nil {
			return fmt.Errorf("slot %d: %w", slot, err)
		}
	}
	for layer, n := range nodes {
		l := v.Layer(uint8(layer))
		if n != l.Linked {
			return fmt.Errorf("layer %d has %d nodes, not %d", layer, n, l.Linked)
		}
		if n > 0 && (!v.held(l.Entry) || !v.held(l.Root) || v.level(l.Entry) != l.Top) {
			return fmt.Errorf("layer %d: entry %d of level %d, root %d", layer, l.Entry, l.Top, l.Root)
		}
	}
	return nil
}

// verifyDown checks that a node leads to one of the layer below, if that has
// any.
func (v *Version) verifyDown(slot uint32) error {
	if !v.g.p.Down || !v.held(slot) {
		return nil
	}
	layer := v.LayerOf(slot)
	below, ok := v.Down(slot)
	switch {
	case !ok && layer > 0 && v.Layer(layer-1).Linked > int(v.g.dead.Load()):
		return fmt.Errorf("no link to layer %d", layer-1)
	case ok && (below >= v.n || !v.held(below) || layer == 0 || v.LayerOf(below) != layer-1):
		return fmt.Errorf("a link down to slot %d, which is not of the layer below", below)
	}
	return nil
}

func (v *Version) verifyList(slot uint32, level int) error {
	list := v.links(slot, level)
	for i, n := range list {
		switch {
		case n >= v.n || !v.held(n):
			return fmt.Errorf("a link to slot %d, which is empty", n)
		case n == slot:
			return fmt.Errorf("a link to itself")
		case contains(list[:i], n):
			return fmt.Errorf("two links to %d", n)
		case v.LayerOf(n) != v.LayerOf(slot):
			return fmt.Errorf("a link to %d in another layer", n)
		case v.level(n) < level:
			return fmt.Errorf("a link to %d, which is below the level", n)
		}
	}
	return nil
}

func contains(list []uint32, n uint32) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}
