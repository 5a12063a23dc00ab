package query

import (
	"maps"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// nameGraph joins the nodes that share names, for walks: a step goes from a
// node to one of its names, the likelier the rarer that is (by idf) and the
// more the node is about it, and on to another node with the name, the likelier
// the more that one is about it.
type nameGraph struct {
	keptRows
	x        *nameIndex // nil: no node has a name
	postings map[string][]engine.Posting
}

func newNameGraph(x *nameIndex) *nameGraph {
	g := &nameGraph{x: x, postings: map[string][]engine.Posting{}}
	g.keptRows = newKeptRows(g.read)
	return g
}

var _ graphops.Adjacency = (*nameGraph)(nil)

// Len implements [graphops.Adjacency].
func (g *nameGraph) Len() int { return math.MaxUint32 }

func (g *nameGraph) read(id engine.NodeID) (r keptRow, err error) {
	if g.x == nil {
		return r, nil
	}
	terms, err := g.x.l.termsOf(g.x.names, id)
	if err != nil {
		return r, err
	}
	weight := map[engine.NodeID]float64{}
	for _, t := range terms {
		idf, err := g.x.shared(t.Term)
		if err != nil {
			return r, err
		}
		if idf == 0 {
			continue
		}
		have, ok := g.postings[t.Term]
		if !ok {
			if have, err = g.x.postings(t.Term); err != nil {
				return r, err
			}
			g.postings[t.Term] = have
		}
		all := 0.0
		for _, p := range have {
			if p.ID != id {
				all += float64(p.Freq)
			}
		}
		for _, p := range have {
			if p.ID != id {
				weight[p.ID] += float64(float64(min(t.Freq, MostAbout))*idf) * float64(p.Freq) / all
			}
		}
	}
	for _, to := range slices.Sorted(maps.Keys(weight)) {
		r.ids, r.w = append(r.ids, uint32(to)), append(r.w, float32(weight[to]))
	}
	return r, nil
}
