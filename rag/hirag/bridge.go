package hirag

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// memberRows is how many members of one summary the bridge names.
const memberRows = 3

// bridgeRows orders relations at the nodes of a path and at the entities next to the
// question: those that the path goes along, then those between two nodes of the path,
// then the others, then what belongs to a summary, at most memberRows rows of each
// summary. Each part is by likeness to the question,
//
//	(s(a)/d(a) + s(b)/d(b)) / 2
//
// of the ends a and b, s being the likeness of a node, 0 if it is not near, and d the
// number of binary digits of its degree, the number of its relations: a hub that is
// like every question says little.
type bridgeRows struct {
	In query.Op // the relations
	// Path are the nodes of the path, Near nodes with their likeness to the question.
	Path, Near query.Op
	Graph      *engine.Graph
	// Types are the names of the types of relations.
	Types []string
}

// The parts of the bridge, in order.
const (
	partPath = iota
	partBetween
	partAround
	partSummary
)

// bridgeRow is a relation with what it is ordered by.
type bridgeRow struct {
	query.Item
	part    int
	summary engine.NodeID // of partSummary
}

// Run implements [query.Op].
func (o *bridgeRows) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	var sets [3]query.Set
	for i, op := range o.Inputs() {
		var err error
		if sets[i], err = e.Eval(ctx, op); err != nil {
			return query.Set{}, err
		}
	}
	near := make(map[engine.NodeID]float64, len(sets[2].Items))
	for _, it := range sets[2].Items {
		near[it.ID] = max(0, it.Score)
	}
	along := alongPath(sets[1].Items)
	on := make(map[engine.NodeID]bool, len(sets[1].Items))
	for _, it := range sets[1].Items {
		on[it.ID] = true
	}
	v := e.Snap.Graph(o.Graph)
	summary, _ := v.NodeType(typeSummary)
	rows := make([]bridgeRow, 0, len(sets[0].Items))
	for _, it := range sets[0].Items {
		r := bridgeRow{Item: it, part: partAround}
		ends := [2]engine.NodeID{min(it.Edge.From, it.Edge.To), max(it.Edge.From, it.Edge.To)}
		switch {
		case along[ends]:
			r.part = partPath
		case on[ends[0]] && on[ends[1]]:
			r.part = partBetween
		}
		r.Score = 0
		for _, id := range ends {
			n, err := e.Node(ctx, o.Graph, id)
			if err != nil {
				return query.Set{}, err
			}
			if summary != 0 && n.Type == summary {
				r.part, r.summary = partSummary, id
			}
			degree, err := e.Degree(ctx, o.Graph, id, o.Types...)
			if err != nil {
				return query.Set{}, err
			}
			r.Score += near[id] / float64(max(1, bits.Len(uint(degree)))) / 2
		}
		r.Why = append(slices.Clip(it.Why), query.Step{Op: "likeness", Score: r.Score, Note: [...]string{"on the path", "between two of its nodes", "around it", "of a summary"}[r.part]})
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b bridgeRow) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(b.Score, a.Score),
			cmp.Compare(a.Edge.From, b.Edge.From), cmp.Compare(a.Edge.To, b.Edge.To))
	})
	var out query.Set
	of := map[engine.NodeID]int{}
	for _, r := range rows {
		if r.part == partSummary {
			if of[r.summary]++; of[r.summary] > memberRows {
				continue
			}
		}
		out.Items = append(out.Items, r.Item)
	}
	return out, nil
}

// alongPath returns the pairs of nodes, the lesser first, that a path goes along:
// the last step of each of its nodes names the node before.
func alongPath(path []query.Item) map[[2]engine.NodeID]bool {
	out := map[[2]engine.NodeID]bool{}
	for _, it := range path {
		if len(it.Why) == 0 {
			continue
		}
		if from := it.Why[len(it.Why)-1].From.ID; from != 0 && from != it.ID {
			out[[2]engine.NodeID{min(from, it.ID), max(from, it.ID)}] = true
		}
	}
	return out
}

// Explain implements [query.Op].
func (o *bridgeRows) Explain() query.Explanation {
	return query.Explanation{Op: "BridgeRows", Args: []string{"graph=" + o.Graph.Name(), "by=path,likeness/digits(degree)", fmt.Sprint("members=", memberRows)}}
}

// Inputs implements [query.Op].
func (o *bridgeRows) Inputs() []query.Op { return []query.Op{o.In, o.Path, o.Near} }
