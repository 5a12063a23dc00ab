package graphops

import (
	"math"

	"github.com/ragdb/ragdb/engine"
)

// Modularity returns how much more of the weight of the edges lies inside
// clusters than would if edges were drawn at random between nodes of the same
// strengths: the sum over clusters of e/m - resolution (k/2m)^2, where e is the
// weight of the edges inside, k the strength of the nodes and m the weight of
// all edges. It is at most 1. A higher resolution, which must not be negative,
// favours smaller clusters; 1 is the usual one.
//
// Only the nodes that are in a cluster and the edges between them count. A loop is
// inside, and counts twice in the strength of its node, as in networkx and igraph.
// Without such edges it is 0. The projection must be symmetric and no weight
// negative, else the error is [engine.ErrInvalid]. It is O(n + m).
//
// Source: Newman and Girvan, "Finding and evaluating community structure in
// networks", 2004; the resolution: Reichardt and Bornholdt, 2006.
func Modularity(p *Projection, part *Partition, resolution float64) (float64, error) {
	q, err := quality(p, part, false, resolution)
	if err != nil {
		return 0, phase.Errorf("modularity: %w", err)
	}
	return q, nil
}

func quality(p *Projection, part *Partition, cpm bool, resolution float64) (float64, error) {
	if !(resolution >= 0) || math.IsInf(resolution, 0) {
		return 0, phase.Mark(engine.ErrInvalid, "resolution %v", resolution)
	}
	if !p.symmetric {
		return 0, phase.Mark(engine.ErrInvalid, "the projection is directed")
	}
	if err := part.validate(p.Len()); err != nil {
		return 0, err
	}
	mass := make([]float64, part.Count)
	inside, all := 0.0, 0.0
	if err := p.checkLoops(); err != nil {
		return 0, err
	}
	rows := rowSource{p: p}
	for u, c := range part.Of {
		if c == None {
			continue
		}
		to, w := rows.row(uint32(u))
		in, sum, at := insideOf(part.Of, c, to, w)
		if at >= 0 {
			return 0, p.weightError(uint32(u), to[at], w[at])
		}
		_, loop := p.Loop(uint32(u))
		inside += in + loop
		sum += loop
		all += sum
		if cpm {
			sum = 1
		}
		mass[c] += sum
	}
	if cpm {
		pairs := 0.0
		for _, s := range mass {
			pairs += float64(s * (s - 1) / 2)
		}
		return float64(inside/2) - float64(resolution*pairs), nil
	}
	if all == 0 {
		return 0, nil
	}
	squares := 0.0
	for _, k := range mass {
		squares += float64(k / all * (k / all))
	}
	return inside/all - float64(resolution*squares), nil
}

// insideOf returns the weight of a row that leads to nodes of cluster c, and
// that which leads to nodes of any. bad is where a weight is negative, -1 if none is.
func insideOf(cluster []uint32, c uint32, to []uint32, w []float32) (in, sum float64, bad int) {
	if w == nil {
		n, m := 0, 0
		for _, u := range to {
			d := cluster[u]
			if d == c {
				n++
			}
			if d != None {
				m++
			}
		}
		return float64(n), float64(m), -1
	}
	for i, u := range to {
		x := float64(w[i])
		if x < 0 {
			return 0, 0, i
		}
		d := cluster[u]
		if d == c {
			in += x
		}
		if d != None {
			sum += x
		}
	}
	return in, sum, -1
}
