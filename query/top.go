package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// TypeQuota is how many nodes of some types are wanted.
type TypeQuota struct {
	Types []string
	Most  int
}

// String returns the quota as type+type:most.
func (q TypeQuota) String() string {
	s := ""
	for i, t := range q.Types {
		if i > 0 {
			s += "+"
		}
		s += t
	}
	return fmt.Sprintf("%s:%d", s, q.Most)
}

// TopPerGroup keeps the first nodes of a set that belong to each of some
// groups, such as the best entities of each community: group by group in the
// groups' order, those of one in the set's, each node once, with the score
// that it has in the set. A node of several groups counts for each of them and
// stands with the first. A node belongs to a group if the query may see the edge that joins them.
type TopPerGroup struct {
	In    Op
	Of    Op // the groups: nodes of Graph
	Graph *engine.Graph
	// Types are the names of the edge types of membership; nil is all.
	// Direction leads from the groups to their members.
	Types     []string
	Direction engine.Direction
	// Most is how many of each group are kept; none if it is below 1.
	Most int
	// AllIfNone takes the first Most nodes of the set if there are no groups.
	AllIfNone bool
	Source    string
}

// Run implements [Op].
func (o *TopPerGroup) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	of, err := e.Eval(ctx, o.Of)
	if err != nil {
		return Set{}, err
	}
	pool := nodesOf(o.Graph, in.Items)
	groups := nodesOf(o.Graph, of.Items)
	if len(groups) == 0 && o.AllIfNone {
		return Set{Items: pool[:max(0, min(o.Most, len(pool)))]}, nil
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	filter, ok := l.edgeFilter(o.Types, o.Direction)
	if !ok {
		return Set{}, nil
	}
	if err := l.aheadEdges(groups, filter); err != nil {
		return Set{}, err
	}
	at := make(map[engine.NodeID]int, len(pool)) // place in pool
	for i := range pool {
		at[pool[i].ID] = i
	}
	var out Set
	placed := map[int]int{} // place in pool -> in out
	for g := range groups {
		group := &groups[g]
		var members []int // places in pool
		err := l.edges(group.ID, filter, func(edge engine.Edge) error {
			if i, ok := at[edge.Other(group.ID)]; ok && (len(members) == 0 || members[len(members)-1] != i) {
				members = append(members, i)
			}
			return nil
		})
		if err != nil {
			return Set{}, err
		}
		slices.Sort(members)
		for _, i := range members[:max(0, min(o.Most, len(members)))] {
			step := Step{Op: "member", From: group.Ref(), Score: pool[i].Score}
			if n, ok := placed[i]; ok {
				out.Items[n].Why = append(out.Items[n].Why, step)
				continue
			}
			placed[i] = len(out.Items)
			it := pool[i]
			it.Why = append(slices.Clip(it.Why), step)
			out.Items = append(out.Items, it)
		}
	}
	return out, nil
}

// Explain implements [Op].
func (o *TopPerGroup) Explain() Explanation {
	return Explanation{Op: "TopPerGroup", Args: append(graphArgs(o.Graph, o.Types), arg("most", o.Most)), Source: o.Source}
}

// Inputs implements [Op].
func (o *TopPerGroup) Inputs() []Op { return []Op{o.In, o.Of} }
