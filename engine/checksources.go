package engine

import (
	"errors"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// contributionCheck verifies contributions and the sets of sources, one after
// the other, and then against each other.
type contributionCheck struct {
	c *checker
	n *nodeSets
	// sums of a hash of each pair of source and target, as the contributions
	// and as the sources have them.
	given, listed uint64
}

func mixTarget(source uint64, t layout.Target) uint64 {
	return mixAll(source, uint64(t.Kind), t.A, uint64(t.Type), t.B)
}

// contributions verifies that sources and nodes exist, and that every derived
// node has a source. Edges, which have many sources, follow by target.
func (s *contributionCheck) contributions(v *View) error {
	c := s.c
	supported := roaring.New()
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagContribution, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagContribution); err != nil {
			return err
		}
		source, t := layout.ContributionOf(p.key)
		s.given += mixTarget(source, t)
		if t.Kind == layout.OfNode && t.A < idLimit {
			supported.Add(uint32(t.A))
		}
		why := ""
		switch {
		case !s.n.has(source):
			why = "the source is not there"
		case t.Kind == layout.OfNode && !s.n.has(t.A):
			why = "the node is not there"
		case t.Kind != layout.OfNode && t.Kind != layout.OfEdge:
			why = "a contribution to neither a node nor an edge"
		}
		if why != "" {
			if err := c.find(p.key, fix{}, "%s", why); err != nil {
				return err
			}
		}
	}
	return eachID(roaring.AndNot(s.n.derived, supported), func(id uint64) error {
		return c.find(layout.Node(v.g, id), fix{}, "a derived node without a source")
	})
}

// sources sums the sets of sources.
func (s *contributionCheck) sources(v *View) error {
	return s.eachSource(v, func(_ []byte, t layout.Target, source uint64) error {
		s.listed += mixTarget(source, t)
		return nil
	})
}

// eachSource calls fn with every listed source, by target.
func (s *contributionCheck) eachSource(v *View, fn func(key []byte, t layout.Target, source uint64) error) error {
	var set layout.Set
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagSources, v.g)) {
		if err != nil {
			return err
		}
		if err := s.c.step(layout.TagSources); err != nil {
			return err
		}
		set.Reset()
		if layout.ReadSet(p.value, &set) != nil {
			continue // found by checkKeys
		}
		t, container := layout.SourcesOf(p.key)
		for _, low := range set.IDs {
			if err := fn(p.key, t, container<<16|low); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare looks for the pairs in which contributions and sources differ, where
// the sums do.
func (s *contributionCheck) compare(v *View) error {
	if s.given == s.listed {
		return nil
	}
	c := s.c
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagContribution, v.g)) {
		if err != nil {
			return err
		}
		source, t := layout.ContributionOf(p.key)
		key := layout.Sources(v.g, t, layout.Container(source))
		ok, err := v.inSet(key, source&0xFFFF)
		if err != nil {
			return err
		}
		if !ok {
			f := c.mergeOne(layout.TagContribution, key, source&0xFFFF, true)
			if err := c.find(p.key, f, "the source is not among those of its target"); err != nil {
				return err
			}
		}
	}
	return s.eachSource(v, func(key []byte, t layout.Target, source uint64) error {
		_, err := v.kv.Get(v.ctx, layout.Contribution(v.g, source, t), nil)
		if !isNotFound(err) {
			return err
		}
		f := c.mergeOne(layout.TagContribution, key, source&0xFFFF, false)
		return c.find(key, f, "source %d is listed, but contributes nothing", source)
	})
}

// inSet reports whether the set under a key has an id; a set that cannot be
// read has none.
func (r *reader) inSet(key []byte, id uint64) (bool, error) {
	b, err := r.kv.Get(r.ctx, key, nil)
	if isNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, ok, err := layout.SetHas(b, id)
	return ok && err == nil, nil
}

// edges verifies that the edges that have contributions exist, with the sum of
// the contributions as their weight.
func (s *contributionCheck) edges(v *View) error {
	// If sources and contributions differ the sums would be wrong for a
	// reason that was found.
	agree := (s.given == s.listed || s.c.o.Repair && !s.c.unsure) && !s.c.damaged[family{v.g, layout.TagContribution}]
	var at layout.Target
	var sum weightSum
	err := s.eachSource(v, func(_ []byte, t layout.Target, source uint64) error {
		if t.Kind != layout.OfEdge {
			return nil
		}
		if t != at {
			if err := s.edge(v, at, sum, agree); err != nil {
				return err
			}
			at, sum = t, weightSum{}
		}
		if !agree {
			return nil
		}
		x, err := v.contribution(source, t)
		sum.add(x.Weight)
		return err
	})
	if err != nil {
		return err
	}
	return s.edge(v, at, sum, agree)
}

func (s *contributionCheck) edge(v *View, t layout.Target, sum weightSum, agree bool) error {
	if t.Kind != layout.OfEdge {
		return nil
	}
	w, ok, err := v.hasEdge(layout.Out, t.A, t.B, EdgeType(t.Type))
	if errors.Is(err, ErrCorrupt) {
		return nil // found by checkKeys
	}
	if err != nil {
		return err
	}
	key := layout.Adjacency(layout.Out, v.g, t.A, t.Type)
	if !ok {
		return s.c.find(key, fix{}, "no edge %d-%d, to which sources contribute", t.A, t.B)
	}
	if want := sum.weight(); agree && math.Float32bits(w) != math.Float32bits(want) {
		return s.c.find(key, fix{}, "the edge %d-%d has weight %v, its sources add up to %v", t.A, t.B, w, want)
	}
	return nil
}
