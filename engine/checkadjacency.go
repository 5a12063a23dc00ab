package engine

import (
	"errors"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
)

// adjacencyCheck verifies the two directions of the edges of a graph, one
// after the other, and then against each other.
type adjacencyCheck struct {
	c *checker
	n *nodeSets
	// sums holds, by edge type, the sum modulo 2^64 of a hash of each edge with
	// its weight: equal for both directions if they hold the same edges, in
	// whatever order they are met.
	sums [2]map[uint32]uint64
	// again are the types to compare edge by edge whatever the sums say.
	again map[uint32]bool
}

// mix hashes a number (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

// mixAll hashes a sequence of numbers.
func mixAll(xs ...uint64) uint64 {
	h := uint64(0)
	for _, x := range xs {
		h = mix(h + 0x9E3779B97F4A7C15 + x)
	}
	return h
}

// walk reads the lists of one direction.
func (a *adjacencyCheck) walk(v *View, dir layout.Direction) error {
	if a.again == nil {
		a.again = map[uint32]bool{}
	}
	a.sums[dir] = map[uint32]uint64{}
	tag := layout.TagOut + layout.Tag(dir)
	var set layout.Set
	var inline layout.AdjacencyKey // the last list under one key
	var inlineKey []byte
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(tag, v.g)) {
		if err != nil {
			return err
		}
		if err := a.c.step(tag); err != nil {
			return err
		}
		key, _ := layout.ReadAdjacency(p.key)
		set.Reset()
		if layout.ReadSet(p.value, &set) != nil || len(set.IDs) == 0 {
			continue // found by checkKeys, or left behind by a removal
		}
		if key.Inline {
			if err := a.inlineEnds(v, inline, inlineKey); err != nil {
				return err
			}
			inline, inlineKey = key, append(inlineKey[:0], p.key...)
		} else if inline.Inline && inline.Node == key.Node && inline.Type == key.Type {
			if err := a.twoForms(key, p.key); err != nil {
				return err
			}
			inline.Inline = false
		} else if !promotedIn(v, key) {
			f := a.c.mergeOne(layout.TagOut, layout.Promoted(v.g, dir, key.Type, layout.Container(key.Node)), key.Node&0xFFFF, true)
			err := a.c.find(p.key, f, "the list is in containers, but not in the set of those that are")
			if err != nil {
				return err
			}
		}
		if err := a.list(v, key, p.key, &set); err != nil {
			return err
		}
	}
	return a.inlineEnds(v, inline, inlineKey)
}

func promotedIn(v *View, key layout.AdjacencyKey) bool {
	rb := v.graph.st.promoted[promotedKey{key.Dir, key.Type}]
	return rb != nil && key.Node < idLimit && rb.Contains(uint32(key.Node))
}

// inlineEnds verifies the list that is under one key, when it is known that no
// containers follow it.
func (a *adjacencyCheck) inlineEnds(v *View, inline layout.AdjacencyKey, key []byte) error {
	if !inline.Inline || !promotedIn(v, inline) {
		return nil
	}
	set := layout.Promoted(v.g, inline.Dir, inline.Type, layout.Container(inline.Node))
	return a.c.find(key, a.c.mergeOne(layout.TagOut, set, inline.Node&0xFFFF, false),
		"the list is under one key, but in the set of those that are in containers")
}

// twoForms reports a list that is under one key and in containers too.
func (a *adjacencyCheck) twoForms(key layout.AdjacencyKey, at []byte) error {
	const what = "the list is under one key and in containers too"
	if key.Dir == layout.Out {
		a.c.damaged[family{key.Graph, layout.TagOut}] = true
		return a.c.find(at, fix{}, what)
	}
	a.again[key.Type] = true
	return a.c.find(at, a.c.fixable(layout.TagOut, func(v *TxView) error {
		lo := layout.Adjacency(layout.In, key.Graph, key.Node, key.Type)
		v.transact.overlay.DeleteRange(lo, layout.Next(lo))
		// Its edges come back one by one, into the form that is in the set.
		return nil
	}), what)
}

// list verifies the edges of one list or container and adds them to the sums.
func (a *adjacencyCheck) list(v *View, key layout.AdjacencyKey, at []byte, set *layout.Set) error {
	t := EdgeType(key.Type)
	primary := key.Dir == layout.Out
	if primary && v.EdgeTypeName(t) == "" {
		if err := a.c.find(at, fix{}, "edge type %d has no name", t); err != nil {
			return err
		}
	}
	if primary && !a.n.has(key.Node) {
		if err := a.c.find(at, fix{}, "node %d is not there", key.Node); err != nil {
			return err
		}
	}
	sum := a.sums[key.Dir][key.Type]
	base := key.Container << 16
	for i, low := range set.IDs {
		other := base + low
		from, to := key.Node, other
		if !primary {
			from, to = other, key.Node
		}
		sum += mixAll(from, to, uint64(math.Float32bits(set.Weight(i))))
		if !primary {
			continue
		}
		if !a.n.has(other) {
			if err := a.c.find(at, fix{}, "an edge to node %d, which is not there", other); err != nil {
				return err
			}
		}
		if !t.Directed() && key.Node > other {
			if err := a.c.find(at, fix{}, "the undirected edge to %d is stored at its greater end", other); err != nil {
				return err
			}
		}
	}
	a.sums[key.Dir][key.Type] = sum
	return nil
}

// compare looks for the edges in which the directions differ, of the types
// whose sums do.
func (a *adjacencyCheck) compare(v *View) error {
	differ := EdgeFilter{Types: []EdgeType{}}
	for _, dir := range a.sums {
		for t := range dir {
			if a.sums[0][t] != a.sums[1][t] || a.again[t] {
				differ.Types = append(differ.Types, EdgeType(t))
			}
		}
	}
	if len(differ.Types) == 0 {
		return nil
	}
	for _, dir := range []layout.Direction{layout.Out, layout.In} {
		if err := a.compareFrom(v, dir, differ); err != nil {
			return err
		}
	}
	return nil
}

// compareFrom looks in the other direction for the edges of one.
func (a *adjacencyCheck) compareFrom(v *View, dir layout.Direction, f EdgeFilter) error {
	tag := layout.TagOut + layout.Tag(dir)
	var set layout.Set
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(tag, v.g)) {
		if err != nil {
			return err
		}
		if err := a.c.step(tag); err != nil {
			return err
		}
		key, _ := layout.ReadAdjacency(p.key)
		set.Reset()
		if !f.has(EdgeType(key.Type)) || layout.ReadSet(p.value, &set) != nil {
			continue
		}
		base := key.Container << 16
		for i, low := range set.IDs {
			from, to := key.Node, base+low
			if dir == layout.In {
				from, to = to, from
			}
			if err := a.compareEdge(v, dir, from, to, EdgeType(key.Type), set.Weight(i), p.key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *EdgeFilter) has(t EdgeType) bool {
	for _, x := range f.Types {
		if x == t {
			return true
		}
	}
	return false
}

// compareEdge looks for an edge of one direction in the other. If they differ, the
// repair changes the in-list.
func (a *adjacencyCheck) compareEdge(v *View, dir layout.Direction, from, to uint64, t EdgeType, w float32, at []byte) error {
	other, node, neighbour := layout.In, to, from
	if dir == layout.In {
		other, node, neighbour = layout.Out, from, to
	}
	have, ok, err := v.hasEdge(other, node, neighbour, t)
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return err
	}
	list := listKey{layout.In, to, uint32(t)}
	switch {
	case dir == layout.Out && !ok:
		return a.c.find(at, a.putIn(list, from, w), "the edge %d-%d is not among the in-edges of %d", from, to, to)
	case dir == layout.Out && math.Float32bits(have) != math.Float32bits(w):
		return a.c.find(at, a.putIn(list, from, w), "the edge %d-%d has weight %v, among the in-edges of %d it has %v", from, to, w, to, have)
	case dir == layout.In && !ok:
		return a.c.find(at, a.c.fixable(layout.TagOut, func(v *TxView) error {
			return v.applyList(list, &layout.Set{}, []uint64{from})
		}), "the edge %d-%d is not among the out-edges of %d", from, to, from)
	}
	return nil
}

// putIn returns the repair that adds an edge to an in-list.
func (a *adjacencyCheck) putIn(list listKey, from uint64, w float32) fix {
	return a.c.fixable(layout.TagOut, func(v *TxView) error {
		var add layout.Set
		add.Push(from, w)
		return v.applyList(list, &add, nil)
	})
}
