package engine

import (
	"errors"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
)

// checkParallel verifies the keys of parallel edges: that either end has the same, that
// no edge with the number 0 is alone, and that the lists of neighbours have the sum of
// their weights.
func (c *checker) checkParallel(v *View) error {
	var pair layout.ParallelKey // at hand, of the direction Out
	var list []numbered
	var first []byte
	end := func() error {
		err := c.checkPair(v, pair, list, first)
		list = list[:0]
		return err
	}
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagParallel, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagParallel); err != nil {
			return err
		}
		w, err := decodeWeight(p.value)
		if err != nil {
			continue // found by checkKeys
		}
		k := layout.ParallelOf(p.key)
		if k.Dir > layout.In {
			if err := c.find(p.key, fix{}, "direction %d", k.Dir); err != nil {
				return err
			}
			continue
		}
		mirror := layout.Parallel(1-k.Dir, v.g, k.Other, k.Type, k.Node, k.N)
		other, err := v.kv.Get(v.ctx, mirror, nil)
		if err != nil && !isNotFound(err) {
			return err
		}
		if string(other) != string(p.value) {
			if err := c.find(p.key, fix{}, "the other end has another weight, or none"); err != nil {
				return err
			}
		}
		if k.Dir == layout.In {
			continue
		}
		if len(list) > 0 && (k.Node != pair.Node || k.Type != pair.Type || k.Other != pair.Other) {
			if err := end(); err != nil {
				return err
			}
		}
		if len(list) == 0 {
			pair, first = k, append(first[:0], p.key...)
		}
		list = append(list, numbered{k.N, w})
	}
	if len(list) > 0 {
		return end()
	}
	return nil
}

// checkPair verifies the parallel edges of a pair against the list of neighbours.
func (c *checker) checkPair(v *View, k layout.ParallelKey, list []numbered, key []byte) error {
	if len(list) == 1 && list[0].n == 0 {
		if err := c.find(key, fix{}, "an edge that has no parallel one"); err != nil {
			return err
		}
	}
	w, ok, err := v.hasEdge(layout.Out, k.Node, k.Other, EdgeType(k.Type))
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return err
	}
	if err == nil && (!ok || math.Float32bits(w) != math.Float32bits(sumOf(list))) {
		return c.find(key, fix{}, "parallel edges of weight %v in all, the list of neighbours has %v", sumOf(list), w)
	}
	return nil
}

// checkEdgeRecords verifies that records are of edges.
func (c *checker) checkEdgeRecords(v *View) error {
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagEdge, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagEdge); err != nil {
			return err
		}
		props, err := decodeEdge(p.value)
		if err != nil {
			continue // found by checkKeys
		}
		from, t, to, n := layout.EdgeOf(p.key)
		e := Edge{From: NodeID(from), To: NodeID(to), Type: EdgeType(t), N: n}
		_, ok, err := v.edge(e)
		if err == nil && len(props) == 0 {
			if _, ok, err = v.blockProps(e); err == nil && !ok {
				err = c.find(p.key, fix{}, "a record without properties, of an edge that no block has")
			}
		} else if err == nil && !ok {
			err = c.find(p.key, fix{}, "properties of an edge that is not there")
		}
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return err
		}
		for _, x := range props {
			if v.nameOf(layout.KindProperty, x.id) == "" {
				if err := c.find(p.key, fix{}, "property %d has no name", x.id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
