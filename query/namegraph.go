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
// the more that one is about it. Numbers are node ids. Rows are made when they
// are asked for, and kept; the first error is kept too: nodes have no
// neighbours from then on.
type nameGraph struct {
	x        *nameIndex // nil: no node has a name
	rows     map[uint32]visibleRow
	postings map[string][]engine.Posting
	err      error
}

var _ graphops.Adjacency = (*nameGraph)(nil)

// Err returns the first error of reading.
func (g *nameGraph) Err() error { return g.err }

// Len implements [graphops.Adjacency].
func (g *nameGraph) Len() int { return math.MaxUint32 }

// Degree implements [graphops.Adjacency].
func (g *nameGraph) Degree(u uint32) int { return len(g.row(u).ids) }

// Neighbors implements [graphops.Adjacency].
func (g *nameGraph) Neighbors(u uint32, ids []uint32, w []float32) ([]uint32, []float32) {
	r := g.row(u)
	return append(ids, r.ids...), append(w, r.w...)
}

func (g *nameGraph) row(u uint32) visibleRow {
	r, ok := g.rows[u]
	if ok || g.err != nil || g.x == nil {
		return r
	}
	if r, g.err = g.read(engine.NodeID(u)); g.err != nil {
		return visibleRow{}
	}
	g.rows[u] = r
	return r
}

func (g *nameGraph) read(id engine.NodeID) (r visibleRow, err error) {
	terms, err := g.x.v.TermsOf(g.x.names, id)
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
