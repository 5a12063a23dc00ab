package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
)

// Edges of one type from one node to another have numbers, and each has a key of
// family 23 at either end, unless the one with the number 0 is alone: then the lists of
// neighbours say all that there is. They hold the sum of the weights of several.

// numbered is one of several parallel edges.
type numbered struct {
	n      uint32
	weight float32
}

// several returns the parallel edges of a pair in order of their numbers, none if the
// pair has no edge or the one with the number 0 alone. e is in its stored form.
func (r *reader) several(e Edge) ([]numbered, error) {
	if !r.graph.st.parallel.Load() {
		return nil, nil
	}
	var out []numbered
	for p, err := range scan(r.ctx, r.kv, layout.ParallelPrefix(layout.Out, r.g, uint64(e.From), uint32(e.Type), uint64(e.To))) {
		if err != nil {
			return nil, err
		}
		w, err := decodeWeight(p.value)
		if err != nil {
			return nil, corrupt(p.key, err)
		}
		out = append(out, numbered{layout.ParallelOf(p.key).N, w})
	}
	return out, nil
}

// decodeWeight reads the weight of a parallel edge.
func decodeWeight(b []byte) (float32, error) {
	if len(b) != 4 {
		return 0, fmt.Errorf("a weight of %d bytes", len(b))
	}
	w := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if !finite(w) {
		return 0, fmt.Errorf("weight %v", w)
	}
	return w, nil
}

// sumOf returns the weight that lists of neighbours hold for parallel edges: that of
// the others, in order, and then that of the number 0.
func sumOf(list []numbered) float32 {
	first := float32(0)
	if len(list) > 0 && list[0].n == 0 {
		first = list[0].weight
	}
	return weightOf(restOf(list) + float64(first))
}

// restOf returns the sum of the weights of all but the number 0.
func restOf(list []numbered) (rest float64) {
	for _, x := range list {
		if x.n > 0 {
			rest += float64(x.weight)
		}
	}
	return rest
}

// weightOf returns a sum as lists of neighbours hold it.
func weightOf(sum float64) float32 {
	return float32(min(max(sum, -math.MaxFloat32), math.MaxFloat32))
}

// span returns the least and greatest numbers of the parallel edges of a pair, and how
// many there are: 0, 1 or 2 for more. e is in its stored form.
func (r *reader) span(e Edge) (least, most uint32, some int, err error) {
	if !r.graph.st.parallel.Load() {
		return 0, 0, 0, nil
	}
	prefix := layout.ParallelPrefix(layout.Out, r.g, uint64(e.From), uint32(e.Type), uint64(e.To))
	it, err := r.kv.Iter(r.ctx, prefix, layout.Next(prefix))
	if err != nil {
		return 0, 0, 0, err
	}
	if it.First() {
		least, some = layout.ParallelOf(it.Key()).N, 1
	}
	if some == 1 && it.Next() {
		some = 2
	}
	if some > 0 && it.Last() {
		most = layout.ParallelOf(it.Key()).N
	}
	return least, most, some, firstError(it.Err(), it.Close())
}

// edge returns the weight of one edge.
func (r *reader) edge(e Edge) (weight float32, ok bool, err error) {
	if r.graph.st.parallel.Load() {
		s := e.stored()
		key := layout.Parallel(layout.Out, r.g, uint64(s.From), uint32(s.Type), uint64(s.To), s.N)
		b, err := r.kv.Get(r.ctx, key, nil)
		if err == nil {
			if weight, err = decodeWeight(b); err != nil {
				return 0, false, corrupt(key, err)
			}
			return weight, true, nil
		}
		if !errors.Is(err, ErrNotFound) {
			return 0, false, err
		}
		if _, _, some, err := r.span(s); err != nil || some > 0 {
			return 0, false, err
		}
	}
	if e.N > 0 {
		return 0, false, nil
	}
	return r.HasEdge(e.From, e.To, e.Type)
}

// EdgeWeight returns the weight of one edge, and whether it is there. Unlike HasEdge
// it tells parallel edges apart.
func (r *reader) EdgeWeight(e Edge) (weight float32, ok bool, err error) {
	weight, ok, err = r.edge(e)
	return weight, ok, r.wrap(fmt.Sprintf("edge %d-%d", e.From, e.To), err)
}

// pair returns what all edges of e's type between its ends have in common.
func (e Edge) pair() Edge {
	e = e.identity()
	e.N = 0
	return e
}

// pairAt names a pair of nodes in the lists of one of them.
type pairAt struct {
	dir   layout.Direction
	etype EdgeType
	other uint64
}

// at returns where the lists of a node have one of its edges.
func (e Edge) at(id NodeID) pairAt {
	e = e.stored()
	if e.From == id {
		return pairAt{layout.Out, e.Type, uint64(e.To)}
	}
	return pairAt{layout.In, e.Type, uint64(e.From)}
}

// Parallel returns some edges of a node with every parallel edge in place of what the
// lists of neighbours have for them: in the same order, parallel edges by their
// numbers. If there are none, it returns edges itself. It costs a seek for each type
// and direction in a graph that has parallel edges, else nothing.
func (r *reader) Parallel(id NodeID, edges []Edge) ([]Edge, error) {
	if !r.graph.st.parallel.Load() || len(edges) == 0 {
		return edges, nil
	}
	out, err := r.parallel(id, edges)
	return out, r.wrap(fmt.Sprintf("parallel edges of %d", id), err)
}

func (r *reader) parallel(id NodeID, edges []Edge) ([]Edge, error) {
	if err := r.settle(); err != nil {
		return nil, err
	}
	ends := map[pairAt][2]uint64{} // by list, the least and greatest other end
	for _, e := range edges {
		at := e.at(id)
		list := pairAt{dir: at.dir, etype: at.etype}
		span, ok := ends[list]
		if !ok {
			span = [2]uint64{at.other, at.other}
		}
		ends[list] = [2]uint64{min(span[0], at.other), max(span[1], at.other)}
	}
	found := map[pairAt][]numbered{}
	for list, span := range ends {
		lo := layout.ParallelPrefix(list.dir, r.g, uint64(id), uint32(list.etype), span[0])
		hi := layout.Next(layout.ParallelPrefix(list.dir, r.g, uint64(id), uint32(list.etype), span[1]))
		for p, err := range scanRange(r.ctx, r.kv, lo, hi) {
			if err != nil {
				return nil, err
			}
			w, err := decodeWeight(p.value)
			if err != nil {
				return nil, corrupt(p.key, err)
			}
			k := layout.ParallelOf(p.key)
			list.other = k.Other
			found[list] = append(found[list], numbered{k.N, w})
		}
	}
	if len(found) == 0 {
		return edges, nil
	}
	var out []Edge
	for _, e := range edges {
		list, ok := found[e.at(id)]
		if !ok {
			out = append(out, e)
			continue
		}
		for _, x := range list {
			e.N, e.Weight = x.n, x.weight
			out = append(out, e)
		}
	}
	return out, nil
}
