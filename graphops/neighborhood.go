package graphops

import (
	"cmp"
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// ExpandOptions tune [Expand]. The zero value is the seeds and their
// neighbours.
type ExpandOptions struct {
	// Hops is how many edges a node may be away from the nearest seed. The
	// default, 0, is 1.
	Hops int
	// MaxNodes is how many nodes are returned, seeds included; 0 is any number
	// on a Projection and 50,000 on the store.
	MaxNodes int
	// MaxNeighbors is how many neighbours of each node are followed: those of
	// the greatest weight, of equal ones those of the least number. 0 is all.
	MaxNeighbors int
}

func (o *ExpandOptions) ensureDefaults(a Adjacency) ExpandOptions {
	out := *o
	out.Hops = cmp.Or(out.Hops, 1)
	if out.MaxNodes == 0 {
		out.MaxNodes = maxNodes(a)
	}
	return out
}

// maxNodes returns how many nodes of a are returned if nothing is said.
func maxNodes(a Adjacency) int {
	if _, ok := a.(*Projection); ok {
		return 0
	}
	return maxLocalReads
}

func (o *ExpandOptions) validate() error {
	switch {
	case o.Hops < 0:
		return phase.Mark(engine.ErrInvalid, "Hops %d", o.Hops)
	case o.MaxNodes < 0:
		return phase.Mark(engine.ErrInvalid, "MaxNodes %d", o.MaxNodes)
	case o.MaxNeighbors < 0:
		return phase.Mark(engine.ErrInvalid, "MaxNeighbors %d", o.MaxNeighbors)
	}
	return nil
}

// Neighborhood is the nodes around some others.
type Neighborhood struct {
	// Nodes are the nodes by hop, those of one hop ascending.
	Nodes []uint32
	// Begin says where hops begin: those of hop h are
	// Nodes[Begin[h]:Begin[h+1]]. The last hop may be empty only as hop 0.
	Begin []int
	// Via has for each of Nodes the one before it on a path of the fewest
	// edges from a seed, the least of those that were followed; a seed is its
	// own.
	Via []uint32
	// Truncated says that MaxNodes kept some out.
	Truncated bool
}

// Expand returns the nodes within some hops of the seeds, each with the least
// number of edges that lead to it, as the rows lead. If there are more than
// MaxNodes, the seeds are taken in ascending order, then the neighbours of the
// first seed, of the second, and so on, until there are enough, so that no more
// nodes are read than are returned. Seeds may repeat; one that a Projection
// does not have is an error. The time is O(entries read + n log n) for n nodes.
func Expand(ctx context.Context, a Adjacency, seeds []uint32, o ExpandOptions) (*Neighborhood, error) {
	o = o.ensureDefaults(a)
	n, err := expand(ctx, a, seeds, &o)
	if err != nil {
		return nil, phase.Errorf("expand: %w", err)
	}
	return n, nil
}

func expand(ctx context.Context, a Adjacency, seeds []uint32, o *ExpandOptions) (*Neighborhood, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, release := borrow(a)
	defer release()
	e := &expander{rowReader: newRowReader(ctx, "expand", a, 0), seen: &s.seen, most: o.MaxNodes, perNode: o.MaxNeighbors}
	e.limit = 0 // the bound on nodes bounds the reads
	e.ids, e.w = s.ids, s.w
	defer func() { s.ids, s.w = e.ids, e.w }()

	n := &Neighborhood{Begin: []int{0}}
	for _, u := range distinct(seeds) {
		if err := e.check(u); err != nil {
			return nil, err
		}
		e.take(u, u)
	}
	for hop := 0; ; hop++ {
		begin := n.Begin[hop]
		found := e.seen.nodes[begin:]
		if hop > 0 && len(found) == 0 {
			break
		}
		n.Nodes = append(n.Nodes, found...)
		slices.Sort(n.Nodes[begin:])
		n.Begin = append(n.Begin, len(n.Nodes))
		if hop == o.Hops {
			break
		}
		for _, u := range n.Nodes[begin:] {
			if e.truncated {
				break
			}
			if err := e.follow(u); err != nil {
				return nil, err
			}
		}
	}
	n.Via = make([]uint32, len(n.Nodes))
	for i, u := range n.Nodes {
		place, _ := e.seen.find(u)
		n.Via[i] = e.via[place]
	}
	n.Truncated = e.truncated
	return n, nil
}

// An expander collects the nodes around others.
type expander struct {
	rowReader
	seen      *nodeMap
	via       []uint32 // by place
	most      int      // 0: any number
	perNode   int      // 0: any number
	truncated bool
	order     []int
}

// take adds a node that was met from via, if there is room for it.
func (e *expander) take(u, via uint32) {
	if e.most > 0 && e.seen.len() >= e.most {
		if _, ok := e.seen.find(u); !ok {
			e.truncated = true
		}
		return
	}
	if _, fresh := e.seen.add(u); fresh {
		e.via = append(e.via, via)
	}
}

// follow adds the neighbours of u.
func (e *expander) follow(u uint32) error {
	row, w, err := e.row(u)
	if err != nil {
		return err
	}
	if e.perNode > 0 && len(row) > e.perNode {
		row = e.heaviest(row, w)
	}
	for _, v := range row {
		if e.take(v, u); e.truncated {
			return nil
		}
	}
	return nil
}

// heaviest returns the neighbours that are followed, ascending.
func (e *expander) heaviest(row []uint32, w []float32) []uint32 {
	if w == nil {
		return row[:e.perNode]
	}
	e.order = e.order[:0]
	for i := range row {
		e.order = append(e.order, i)
	}
	slices.SortFunc(e.order, func(i, j int) int { return cmp.Or(cmp.Compare(w[j], w[i]), i-j) })
	best := make([]uint32, e.perNode)
	for k := range best {
		best[k] = row[e.order[k]]
	}
	slices.Sort(best)
	return best
}
