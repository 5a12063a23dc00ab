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

// TopPerType keeps for each quota the first nodes of a set that are of its
// types, in the set's order. A type that several quotas have counts for the
// first; what is of no quota's type, edges and nodes of other graphs are left
// out.
type TopPerType struct {
	In     Op
	Graph  *engine.Graph
	Quotas []TypeQuota
	Source string
}

// Run implements [Op].
func (o *TopPerType) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	lists := make([][]string, len(o.Quotas))
	left := make([]int, len(o.Quotas))
	open := 0
	for i, q := range o.Quotas {
		lists[i] = q.Types
		if left[i] = q.Most; q.Most > 0 {
			open++
		}
	}
	types := e.nodeTypes(e.view(ctx, o.Graph), lists...)
	var out Set
	for _, it := range in.Items {
		if open == 0 {
			break
		}
		if it.ID == 0 || it.Graph != o.Graph.ID() {
			continue
		}
		i, err := types.list(it.ID)
		if err != nil {
			return Set{}, err
		}
		if i < 0 || left[i] <= 0 {
			continue
		}
		if left[i]--; left[i] == 0 {
			open--
		}
		out.Items = append(out.Items, it)
	}
	return out, nil
}

// Explain implements [Op].
func (o *TopPerType) Explain() Explanation {
	return Explanation{Op: "TopPerType", Args: []string{arg("graph", o.Graph.Name()), arg("quotas", o.Quotas)}, Source: o.Source}
}

// Inputs implements [Op].
func (o *TopPerType) Inputs() []Op { return []Op{o.In} }

// TopPerGroup keeps the first nodes of a set that belong to each of some
// groups, such as the best entities of each community: group by group in the
// groups' order, those of one in the set's, each node once, with the score
// that it has in the set. A node of several groups counts for each of them and
// stands with the first. Belonging is an edge that the query may see.
type TopPerGroup struct {
	In    Op
	Of    Op // the groups: nodes of Graph
	Graph *engine.Graph
	// Types are the names of the edge types of membership; nil is all.
	// Direction leads from the groups to their members.
	Types     []string
	Direction engine.Direction
	// Most is how many of each group are kept; none where it is below 1.
	Most int
	// AllIfNone takes the first Most nodes of the set where there are no
	// groups.
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
	groups, err := e.nodesSeen(ctx, o.Graph, of.Items)
	if err != nil {
		return Set{}, err
	}
	if len(groups) == 0 && o.AllIfNone {
		return Set{Items: pool[:max(0, min(o.Most, len(pool)))]}, nil
	}
	v := e.view(ctx, o.Graph)
	filter, ok := edgeFilter(v, o.Types, o.Direction)
	if !ok {
		return Set{}, nil
	}
	at := make(map[engine.NodeID]int, len(pool)) // place in pool
	for i := range pool {
		at[pool[i].ID] = i
	}
	var out Set
	placed := map[int]int{} // place in pool -> in out
	var page []engine.Edge
	for g := range groups {
		group := &groups[g]
		var members []int // places in pool
		err := eachEdge(ctx, v, group.ID, filter, &page, func(edge engine.Edge) error {
			other := edge.Other(group.ID)
			i, ok := at[other]
			if !ok || len(members) > 0 && members[len(members)-1] == i {
				return nil
			}
			may, err := e.mayEdge(ctx, v, other, edge)
			if may {
				members = append(members, i)
			}
			return err
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
