package graphops

import (
	"cmp"
	"math"
	"slices"

	"github.com/ragdb/ragdb/internal/topk"
)

// Scored is a node of an [Adjacency] with a score.
type Scored struct {
	Node  uint32
	Score float64
}

// compareScored orders by falling score, then by node.
func compareScored(a, b Scored) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Node, b.Node))
}

// ranked returns the nodes of positive score in order of falling score and
// rising node, at most limit of them; 0 is all. score is by place.
func ranked(m *nodeMap, score []float64, limit int, keys *[]uint64) []Scored {
	n := 0
	for _, x := range score {
		if x > 0 {
			n++
		}
	}
	if limit > 0 && limit < n/4 {
		best := make([]Scored, 0, limit)
		for place, x := range score {
			if s := (Scored{m.nodes[place], x}); x > 0 && (len(best) < limit || compareScored(s, best[0]) < 0) {
				best = topk.Take(best, limit, s, compareScored)
			}
		}
		slices.SortFunc(best, compareScored)
		return best
	}
	// Positive numbers are ordered as their bits are. Sorting integers of the
	// upper half of a score and the node is several times faster than sorting
	// by a function, and leaves little to mend.
	k := (*keys)[:0]
	for place, x := range score {
		if x > 0 {
			k = append(k, uint64(^uint32(math.Float64bits(x)>>32))<<32|uint64(m.nodes[place]))
		}
	}
	*keys = k
	slices.Sort(k)
	out := make([]Scored, n)
	for i, key := range k {
		place, _ := m.find(uint32(key))
		out[i] = Scored{uint32(key), score[place]}
	}
	for i := 0; i < n; {
		begin := i
		for i++; i < n && k[i]>>32 == k[begin]>>32; i++ {
		}
		if run := out[begin:i]; !slices.IsSortedFunc(run, compareScored) {
			slices.SortFunc(run, compareScored)
		}
	}
	if limit > 0 && limit < n {
		return slices.Clone(out[:limit])
	}
	return out
}
