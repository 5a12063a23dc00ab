package query

import (
	"cmp"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// of returns the sources of an item, in order.
func (r *sourcesRun) of(it *Item) ([]source, error) {
	set, err := r.set(it)
	if err != nil {
		return nil, err
	}
	if r.place != nil {
		out := allOf(set, nil)
		slices.SortStableFunc(out, func(a, b source) int { return cmp.Compare(r.placeOf(a), r.placeOf(b)) })
		if r.o.Most > 0 {
			out = out[:min(len(out), r.o.Most)]
		}
		return out, nil
	}
	ranks := r.ranks && it.ID != 0 && set.GetCardinality() > 1
	count := map[engine.NodeID]int{}
	if ranks && r.o.At == nil {
		if count, err = r.countEdges(it.ID); err != nil {
			return nil, err
		}
	}
	out := r.first(set, count)
	if !ranks {
		return out, nil
	}
	if r.o.At != nil {
		err = r.countNodes(it.ID, out)
	}
	slices.SortFunc(out, func(a, b source) int { return cmp.Or(cmp.Compare(b.near, a.near), cmp.Compare(a.id, b.id)) })
	return out, err
}

// ahead reads what a visit of an item is going to read.
func (r *sourcesRun) ahead(e *Env, it Item) error {
	if it.Graph != r.o.Graph.ID() {
		return nil
	}
	l, err := e.lens(r.l.ctx, r.o.Graph)
	if err != nil {
		return err
	}
	own := *r
	own.l, own.found = l, map[engine.NodeID]*roaring.Bitmap{}
	sources, err := own.of(&it)
	if err != nil || r.o.Tokens == 0 {
		return err
	}
	sources = sources[:min(len(sources), aheadItems)]
	return e.Ahead(r.l.ctx, len(sources), func(e *Env, i int) error {
		_, err := r.o.Size(r.l.ctx, e, Item{Graph: it.Graph, ID: sources[i].id})
		return err
	})
}

// placeOf returns the place of a source in the set of Order, after all others if it
// is not there.
func (r *sourcesRun) placeOf(s source) int {
	if place, ok := r.place[s.id]; ok {
		return place
	}
	return math.MaxInt
}

// placesOf returns the places of the nodes of a graph in a set.
func placesOf(g *engine.Graph, s Set) map[engine.NodeID]int {
	out := make(map[engine.NodeID]int, len(s.Items))
	for i := range s.Items {
		if it := &s.Items[i]; it.ID != 0 && it.Graph == g.ID() {
			out[it.ID] = i
		}
	}
	return out
}

// first returns the nodes of a set with how often they were counted: all, or of more
// than Most those that were counted, then those with the least ids, so many at most.
func (r *sourcesRun) first(set *roaring.Bitmap, count map[engine.NodeID]int) []source {
	if r.o.Most <= 0 || set.GetCardinality() <= uint64(r.o.Most) {
		return allOf(set, count)
	}
	var out []source
	for id, near := range count {
		if set.Contains(uint32(id)) {
			out = append(out, source{id, near})
		}
	}
	slices.SortFunc(out, func(a, b source) int { return cmp.Or(cmp.Compare(b.near, a.near), cmp.Compare(a.id, b.id)) })
	out = out[:min(len(out), r.o.Most)]
	for ids := set.Iterator(); ids.HasNext() && len(out) < r.o.Most; {
		if id := engine.NodeID(ids.Next()); count[id] == 0 {
			out = append(out, source{id: id})
		}
	}
	return out
}

// allOf returns the nodes of a set with how often they were counted.
func allOf(set *roaring.Bitmap, count map[engine.NodeID]int) []source {
	out := make([]source, 0, set.GetCardinality())
	for ids := set.Iterator(); ids.HasNext(); {
		id := engine.NodeID(ids.Next())
		out = append(out, source{id, count[id]})
	}
	return out
}

// set returns the nodes that an item rests on.
func (r *sourcesRun) set(it *Item) (*roaring.Bitmap, error) {
	nodes := []engine.NodeID{it.ID}
	switch {
	case r.o.Through != nil:
		var err error
		if nodes, err = r.o.Through(r.l.ctx, r.l.e, *it); err != nil {
			return nil, err
		}
	case it.ID == 0 && r.o.Types != nil:
		return roaring.New(), nil
	case it.ID == 0:
		return r.l.sources(engine.EdgeTarget(it.Edge.From, it.Edge.To, it.Edge.Type))
	}
	var out *roaring.Bitmap
	for _, id := range nodes {
		var set *roaring.Bitmap
		var err error
		if r.o.Types != nil {
			set, err = r.l.neighborSet(id, r.to)
		} else {
			set, err = r.l.sources(engine.NodeTarget(id))
		}
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = set
		} else {
			out.Or(set)
		}
	}
	if out == nil {
		out = roaring.New()
	}
	return out, nil
}

// countNodes counts for each source the neighbours of an item that are found in
// it.
func (r *sourcesRun) countNodes(id engine.NodeID, sources []source) error {
	near, err := r.l.neighborSet(id, r.near)
	if err != nil {
		return err
	}
	err = r.l.e.Ahead(r.l.ctx, len(sources), func(e *Env, i int) error {
		l, err := e.lens(r.l.ctx, r.o.Graph)
		if err == nil && r.found[sources[i].id] == nil {
			_, err = l.neighborSet(sources[i].id, r.back)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := range sources {
		s := &sources[i]
		found := r.found[s.id]
		if found == nil {
			if found, err = r.l.neighborSet(s.id, r.back); err != nil {
				return err
			}
			r.found[s.id] = found
		}
		s.near = int(found.AndCardinality(near))
	}
	return nil
}

// countEdges counts for each source the edges of an item that it contributed to.
func (r *sourcesRun) countEdges(id engine.NodeID) (map[engine.NodeID]int, error) {
	if err := r.aheadEdges(id); err != nil {
		return nil, err
	}
	count := map[engine.NodeID]int{}
	looked := 0
	err := r.l.edges(id, r.near, func(edge engine.Edge) error {
		if looked++; r.o.Most > 0 && looked > r.o.Most {
			return errEnough
		}
		set, err := r.l.sources(engine.EdgeTarget(edge.From, edge.To, edge.Type))
		if err != nil {
			return err
		}
		ids := set.Iterator()
		for n := 0; ids.HasNext() && (r.o.Most <= 0 || n < r.o.Most); n++ {
			count[engine.NodeID(ids.Next())]++
		}
		return nil
	})
	if err == errEnough {
		err = nil
	}
	return count, err
}

// aheadEdges reads the sources of the edges of an item that countEdges looks at.
func (r *sourcesRun) aheadEdges(id engine.NodeID) error {
	return r.l.e.Ahead(r.l.ctx, 1, func(e *Env, _ int) error {
		l, err := e.lens(r.l.ctx, r.o.Graph)
		if err != nil {
			return err
		}
		var edges []engine.Edge
		err = l.edges(id, r.near, func(edge engine.Edge) error {
			if edges = append(edges, edge); r.o.Most > 0 && len(edges) == r.o.Most {
				return errEnough
			}
			return nil
		})
		if err != nil && err != errEnough {
			return err
		}
		return e.Ahead(r.l.ctx, len(edges), func(e *Env, i int) error {
			l, err := e.lens(r.l.ctx, r.o.Graph)
			if err == nil {
				_, err = l.sources(engine.EdgeTarget(edges[i].From, edges[i].To, edges[i].Type))
			}
			return err
		})
	})
}
