package query

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// PathRows orders edges among and around the nodes of a path: those that the path goes
// along, then those between two of its nodes, then those around it, then those of a
// group's members, at most Members of each group. Each part is by likeness,
//
//	(s(a)/d(a) + s(b)/d(b)) / 2
//
// of the ends a and b, s being the score of a node in Near, 0 if it is not there, and d
// the number of binary digits of its degree over Types: a hub that is like every
// question says little. That is an edge's score.
type PathRows struct {
	In Op // the edges
	// Path are the nodes of the path, Near nodes with their likeness.
	Path, Near Op
	Graph      *engine.Graph
	// Types are the names of the types of edges that count as degree.
	Types []string
	// Group is the name of the type of groups: an edge at one is of a member.
	Group   string
	Members int
	Source  string
}

// pathRow is an edge with what it is ordered by.
type pathRow struct {
	Item
	part  int
	group engine.NodeID // of partGroup
}

// The parts of PathRows, in their order.
const (
	partPath = iota
	partBetween
	partAround
	partGroup
)

// Run implements [Op].
func (o *PathRows) Run(ctx context.Context, e *Env) (Set, error) {
	var sets [3]Set
	for i, op := range o.Inputs() {
		var err error
		if sets[i], err = e.Eval(ctx, op); err != nil {
			return Set{}, err
		}
	}
	near := map[engine.NodeID]float64{}
	for _, it := range nodesOf(o.Graph, sets[2].Items) {
		near[it.ID] = max(0, it.Score)
	}
	path := nodesOf(o.Graph, sets[1].Items)
	along, on := alongPath(path), map[engine.NodeID]bool{}
	for _, it := range path {
		on[it.ID] = true
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	filter, ok := l.edgeFilter(o.Types, engine.Both)
	if !ok {
		return Set{}, nil
	}
	groups, types := l.nodeTypes([]string{o.Group}), typesKey(o.Types)
	err = e.Ahead(ctx, 2*len(sets[0].Items), func(e *Env, i int) error {
		it := sets[0].Items[i/2]
		if it.ID != 0 || it.Graph != o.Graph.ID() {
			return nil
		}
		l, err := e.lens(ctx, o.Graph)
		if err != nil {
			return err
		}
		id := []engine.NodeID{it.Edge.From, it.Edge.To}[i%2]
		_, _, err = l.typeOf(id)
		_, err2 := l.degree(id, filter, types)
		return errors.Join(err, err2)
	})
	if err != nil {
		return Set{}, err
	}
	rows := make([]pathRow, 0, len(sets[0].Items))
	for _, it := range sets[0].Items {
		if it.ID != 0 || it.Graph != o.Graph.ID() {
			continue
		}
		r := pathRow{Item: it, part: partAround}
		ends := [2]engine.NodeID{min(it.Edge.From, it.Edge.To), max(it.Edge.From, it.Edge.To)}
		switch {
		case along[ends]:
			r.part = partPath
		case on[ends[0]] && on[ends[1]]:
			r.part = partBetween
		}
		r.Score = 0
		for _, id := range ends {
			group, err := groups.list(id)
			if err != nil {
				return Set{}, err
			}
			if group == 0 {
				r.part, r.group = partGroup, id
			}
			degree, err := l.degree(id, filter, types)
			if err != nil {
				return Set{}, err
			}
			r.Score += near[id] / float64(max(1, bits.Len(uint(degree)))) / 2
		}
		r.Why = append(slices.Clip(it.Why), Step{Op: "likeness", Score: r.Score, Note: [...]string{"on the path", "between two of its nodes", "around it", "of a group"}[r.part]})
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b pathRow) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(b.Score, a.Score),
			cmp.Compare(a.Edge.From, b.Edge.From), cmp.Compare(a.Edge.To, b.Edge.To))
	})
	var out Set
	of := map[engine.NodeID]int{}
	for _, r := range rows {
		if r.part == partGroup {
			if of[r.group]++; of[r.group] > o.Members {
				continue
			}
		}
		out.Items = append(out.Items, r.Item)
	}
	return out, nil
}

// alongPath returns the pairs of nodes, the lesser first, that a path goes along:
// the last step of each of its nodes names the node before.
func alongPath(path []Item) map[[2]engine.NodeID]bool {
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

// Explain implements [Op].
func (o *PathRows) Explain() Explanation {
	return Explanation{Op: "PathRows", Args: []string{
		arg("graph", o.Graph.Name()), arg("types", o.Types), arg("group", o.Group), arg("members", o.Members),
	}, Source: o.Source}
}

// Inputs implements [Op].
func (o *PathRows) Inputs() []Op { return []Op{o.In, o.Path, o.Near} }
