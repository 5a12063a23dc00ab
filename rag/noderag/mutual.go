package noderag

import (
	"cmp"
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// nearPair is two nodes with the cosine of their vectors; a is the smaller id.
type nearPair struct {
	a, b   engine.NodeID
	cosine float64
}

// keptVectors bounds the memory of vectors that are kept while pairs are read; each other
// one is read for each of its pairs.
const keptVectors = 256 << 20

// cosines returns the linked pairs of a space of unit vectors.
func cosines(ctx context.Context, vecs *vecindex.View, keep int) ([]nearPair, error) {
	kept := map[uint64][]float32{}
	for e, err := range vecs.All(ctx) {
		if err != nil {
			return nil, err
		}
		if keep -= 4 * len(e.Vector); keep < 0 {
			break
		}
		kept[e.ID] = slices.Clone(e.Vector)
	}
	read := func(id uint64, into *[]float32) (vec []float32, err error) {
		if vec, ok := kept[id]; ok {
			return vec, nil
		}
		*into, err = vecs.Vector(ctx, id, (*into)[:0])
		return *into, err
	}
	var out []nearPair
	var from, first, second []float32
	last := uint64(0) // the node of from
	for l, err := range vecs.Links(ctx) {
		if err != nil {
			return nil, err
		}
		if l.A != last || from == nil {
			if from, err = read(l.A, &first); err != nil {
				return nil, err
			}
			last = l.A
		}
		with, err := read(l.B, &second)
		if err != nil {
			return nil, err
		}
		sum := 0.0
		for i, x := range from {
			sum += float64(x) * float64(with[i])
		}
		out = append(out, nearPair{engine.NodeID(l.A), engine.NodeID(l.B), sum})
	}
	return out, nil
}

// mutual keeps the pairs of which each is among the other's most nearest: the
// greatest cosines first, of equal ones the least id. A cosine of 0 or less is not
// near. A pair then weighs its cosine over the greater of the sums of the cosines that
// its two nodes keep, times weight: all near edges of a node together weigh as much at
// most, where an edge of another type weighs 1. The order is that of the pairs.
func mutual(pairs []nearPair, most int, weight float64) []nearPair {
	type end struct {
		to     engine.NodeID
		cosine float64
	}
	of := map[engine.NodeID][]end{}
	for _, p := range pairs {
		if p.cosine > 0 {
			of[p.a] = append(of[p.a], end{p.b, p.cosine})
			of[p.b] = append(of[p.b], end{p.a, p.cosine})
		}
	}
	chosen := make(map[[2]engine.NodeID]bool, len(pairs)) // by who chose whom
	for id, ends := range of {
		slices.SortFunc(ends, func(x, y end) int {
			return cmp.Or(cmp.Compare(y.cosine, x.cosine), cmp.Compare(x.to, y.to))
		})
		for _, e := range ends[:min(most, len(ends))] {
			chosen[[2]engine.NodeID{id, e.to}] = true
		}
	}
	var out []nearPair
	sums := map[engine.NodeID]float64{}
	for _, p := range pairs {
		if chosen[[2]engine.NodeID{p.a, p.b}] && chosen[[2]engine.NodeID{p.b, p.a}] {
			out = append(out, p)
			sums[p.a] += p.cosine
			sums[p.b] += p.cosine
		}
	}
	for i := range out {
		out[i].cosine *= weight / max(sums[out[i].a], sums[out[i].b])
	}
	return out
}
