package graphops

import (
	"context"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// pathStatus says how the search for a path ended.
type pathStatus uint8

const (
	pathFound pathStatus = iota
	pathNone
	pathNotWithin // there may be one beyond the limits of the search
)

// Path is what the search for a path from one node to another returns.
type Path struct {
	// Found reports whether there is a path. If there is none within the limits
	// of the search, but there may be one beyond them, Limited is true.
	Found, Limited bool
	// Nodes are the nodes from one end to the other, both included; a path
	// from a node to itself has one. They are nil if none was found.
	Nodes []uint32
	// Edges are those between consecutive nodes, with the weights that the
	// adjacency has, 1 if it has none.
	Edges []WeightedEdge
	// Length is the number of edges, or the sum of their lengths if these
	// count.
	Length float64
	// Visits is the number of nodes whose neighbours were read.
	Visits int
}

// PathOptions tune [ShortestPath], [WeightedPath] and [PathChain]. The zero
// value is right for most.
type PathOptions struct {
	// MaxDepth is how many edges a path of ShortestPath or PathChain may have;
	// 0 is any number.
	MaxDepth int
	// MaxLength is how long a path of WeightedPath may be; 0 is any length.
	MaxLength float64
	// MaxVisits is the number of nodes whose neighbours may be read in the
	// search for one path. 0 is 50,000 on the store and no bound on a
	// Projection.
	MaxVisits int
}

func (o *PathOptions) validate() error {
	switch {
	case o.MaxDepth < 0:
		return phase.Mark(engine.ErrInvalid, "MaxDepth %d", o.MaxDepth)
	case !(o.MaxLength >= 0):
		return phase.Mark(engine.ErrInvalid, "MaxLength %v", o.MaxLength)
	case o.MaxVisits < 0:
		return phase.Mark(engine.ErrInvalid, "MaxVisits %d", o.MaxVisits)
	}
	return nil
}

// ShortestPath returns a path of the fewest edges, each counting 1 whatever its
// weight and followed as the rows lead. Of several it is the one whose second
// node is the least, of those the one whose third is, and so on: which it is
// depends on the graph and its numbers alone, not on options or on the search.
// If there is no path, it returns none and no error. An end that a Projection does not have is
// an error; on the store it is a node without edges.
//
// It is a breadth-first search from both ends, of which the one goes on that
// has less before it: fewer entries of rows in memory, fewer nodes to read on
// the store. For a graph with directions the search from the target needs
// reversed rows, see [Reversible]; without them it goes from the start alone and visits more. The time is O(entries read),
// memory 28 bytes for each node met.
func ShortestPath(ctx context.Context, a Adjacency, from, to uint32, o PathOptions) (*Path, error) {
	p, err := shortestPath(ctx, a, from, to, &o)
	if err != nil {
		return nil, phase.Errorf("shortest path %d-%d: %w", from, to, err)
	}
	return p, nil
}

func shortestPath(ctx context.Context, a Adjacency, from, to uint32, o *PathOptions) (*Path, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s, release := borrow(a)
	defer release()
	f := newPathFinder(a, s)
	return f.shortest(ctx, from, to, o)
}

// pathScratch is what searches for paths work in.
type pathScratch struct {
	parent     []uint32 // place of the node that this one was met from
	fromTarget []bool   // met from the target
	front      [2][]uint32
	labels     []pathLabel
	heap       [2][]pathEntry
}

// forth and back are the two sides of a search: from the start, and from the
// target.
const (
	forth = 0
	back  = 1
)

// The ends of a search are met first. A start that is the target has its place
// alone.
const (
	startPlace  = 0
	targetPlace = 1
)

// A pathFinder searches for paths in one graph, one after the other.
type pathFinder struct {
	*pathScratch
	scratch *localScratch
	seen    *nodeMap
	graph   [2]Adjacency // by side; [back] is nil if there is none
	rows    [2]rowReader
	visits  int
	limit   int
}

func newPathFinder(a Adjacency, s *localScratch) *pathFinder {
	return &pathFinder{pathScratch: &s.path, scratch: s, seen: &s.seen, graph: [2]Adjacency{a, reverseOf(a)}}
}

// begin prepares for one search and refuses ends that are not there.
func (f *pathFinder) begin(ctx context.Context, from, to uint32, maxVisits int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.visits = 0
	for side, a := range f.graph {
		if a != nil {
			f.rows[side] = newRowReader(ctx, "path", a, maxVisits)
		}
	}
	f.limit = f.rows[forth].limit
	f.seen.reset()
	for _, u := range []uint32{from, to} {
		if err := f.rows[forth].check(u); err != nil {
			return err
		}
	}
	return nil
}

// errVisits ends a search that may read no more.
var errVisits = errors.New("too many visits")

// row reads the neighbours of u on a side.
func (f *pathFinder) row(side int, u uint32) (to []uint32, w []float32, err error) {
	if f.limit > 0 && f.visits >= f.limit {
		return nil, nil, errVisits
	}
	f.visits++
	return f.peek(side, u)
}

// peek is row whatever the limit.
func (f *pathFinder) peek(side int, u uint32) (to []uint32, w []float32, err error) {
	r := &f.rows[side]
	r.ids, r.w = f.scratch.ids, f.scratch.w
	to, w, err = r.peek(u)
	f.scratch.ids, f.scratch.w = r.ids, r.w
	return to, w, err
}

// shortest is ShortestPath.
func (f *pathFinder) shortest(ctx context.Context, from, to uint32, o *PathOptions) (*Path, error) {
	if err := f.begin(ctx, from, to, o.MaxVisits); err != nil {
		return nil, err
	}
	status, last, next, err := f.meet(from, to, o.MaxDepth)
	p, err := f.outcome(status, err)
	if err != nil || !p.Found {
		return p, err
	}
	p.Nodes = f.join(last, next)
	p.Length = float64(len(p.Nodes) - 1)
	return p, f.edges(p)
}

// outcome returns what a search comes to, still without nodes. One that may
// read no more ends as one that found nothing within its limits.
func (f *pathFinder) outcome(status pathStatus, err error) (*Path, error) {
	if errors.Is(err, errVisits) {
		status, err = pathNotWithin, nil
	}
	if err != nil {
		return nil, err
	}
	return &Path{Found: status == pathFound, Limited: status == pathNotWithin, Visits: f.visits}, nil
}

// join returns the nodes from the start to the place last, and on from the
// place next to the target.
func (f *pathFinder) join(last, next uint32) []uint32 {
	nodes := []uint32{f.seen.nodes[last]}
	for i := last; i != startPlace; {
		i = f.parent[i]
		nodes = append(nodes, f.seen.nodes[i])
	}
	slices.Reverse(nodes)
	if f.seen.len() == 1 {
		return nodes
	}
	nodes = append(nodes, f.seen.nodes[next])
	for i := next; i != targetPlace; {
		i = f.parent[i]
		nodes = append(nodes, f.seen.nodes[i])
	}
	return nodes
}

// edges reads the edges of a path whose nodes are known.
func (f *pathFinder) edges(p *Path) error {
	p.Edges = make([]WeightedEdge, len(p.Nodes)-1)
	for i := range p.Edges {
		u, v := p.Nodes[i], p.Nodes[i+1]
		to, w, err := f.peek(forth, u)
		if err != nil {
			return err
		}
		k, ok := slices.BinarySearch(to, v)
		if !ok {
			return phase.Mark(engine.ErrInvalid, "edge %d-%d is only in the reversed graph", u, v)
		}
		p.Edges[i] = WeightedEdge{From: u, To: v, Weight: weightAt(w, k)}
	}
	return nil
}

// meet searches from both ends, level by level, until the sides meet. The path
// leads along the parents of last to the start, and from next, which is
// adjacent or last itself, along parents to the target.
//
// The places of one level on the way forth are in the order of the least paths
// to them: the level before was walked in that order, and rows are ascending.
// On the way back the parent of a node is the least of those that are nearer.
// Together that makes the path found the least.
func (f *pathFinder) meet(from, to uint32, maxDepth int) (status pathStatus, last, next uint32, err error) {
	f.parent, f.fromTarget = f.parent[:0], f.fromTarget[:0]
	f.place(from, startPlace, false)
	if from == to {
		return pathFound, startPlace, startPlace, nil
	}
	f.place(to, targetPlace, true)
	f.front[forth] = append(f.front[forth][:0], startPlace)
	f.front[back] = append(f.front[back][:0], targetPlace)
	for depth := 1; ; depth++ {
		if maxDepth > 0 && depth > maxDepth {
			return pathNotWithin, 0, 0, nil
		}
		var found bool
		if f.graph[back] == nil || f.cost(forth) <= f.cost(back) {
			last, next, found, err = f.advance()
		} else {
			last, next, found, err = f.retreat()
		}
		switch {
		case err != nil:
			return 0, 0, 0, err
		case found:
			return pathFound, last, next, nil
		case len(f.front[forth]) == 0 || len(f.front[back]) == 0:
			return pathNone, 0, 0, nil
		}
	}
}

// place notes a node that was met from the one at parent, and returns where.
func (f *pathFinder) place(u, parent uint32, fromTarget bool) (place uint32, fresh bool) {
	place, fresh = f.seen.add(u)
	if fresh {
		f.parent = append(f.parent, parent)
		f.fromTarget = append(f.fromTarget, fromTarget)
	}
	return place, fresh
}

// cost returns what it takes to walk the front of a side on.
func (f *pathFinder) cost(side int) int {
	front := f.front[side]
	n := len(front)
	if p := f.rows[side].p; p != nil {
		for _, i := range front {
			n += p.Degree(f.seen.nodes[i])
		}
	}
	return n
}

// advance walks the side of the start one level on. It ends at the first node
// that is the target's: the least path leads there.
func (f *pathFinder) advance() (last, next uint32, found bool, err error) {
	front := f.front[forth]
	begin := uint32(f.seen.len())
	for _, i := range front {
		row, _, err := f.row(forth, f.seen.nodes[i])
		if err != nil {
			return 0, 0, false, err
		}
		for _, v := range row {
			if j, fresh := f.place(v, i, false); !fresh && f.fromTarget[j] {
				return i, j, true, nil
			}
		}
	}
	f.front[forth] = f.level(front, begin)
	return 0, 0, false, nil
}

// retreat walks the side of the target one level on, to the end: of the nodes
// of the start's side that it meets, the one on the least path has the least
// place.
func (f *pathFinder) retreat() (last, next uint32, found bool, err error) {
	front := f.front[back]
	begin := uint32(f.seen.len())
	for _, i := range front {
		u := f.seen.nodes[i]
		row, _, err := f.row(back, u)
		if err != nil {
			return 0, 0, false, err
		}
		for _, v := range row {
			j, fresh := f.place(v, i, true)
			switch {
			case fresh:
			case !f.fromTarget[j]:
				if !found || j < last || j == last && u < f.seen.nodes[next] {
					last, next, found = j, i, true
				}
			case j >= begin && u < f.seen.nodes[f.parent[j]]:
				f.parent[j] = i
			}
		}
	}
	f.front[back] = f.level(front, begin)
	return last, next, found, nil
}

// level returns the places from begin on in the memory of a front.
func (f *pathFinder) level(front []uint32, begin uint32) []uint32 {
	front = front[:0]
	for i := begin; i < uint32(f.seen.len()); i++ {
		front = append(front, i)
	}
	return front
}
