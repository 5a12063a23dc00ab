package cypher

import (
	"math"
	"math/bits"

	"github.com/ragdb/ragdb/engine"
)

// move is a decision of the planner: to find a node, to bind the ends of a
// bound edge, or to follow an edge.
type move struct {
	access *access
	edge   int     // where access is nil
	from   int     // the node that an edge is followed from
	rows   float64 // expected of one
}

// matchState is the set of nodes and edges that some moves have bound, with
// their cost.
type matchState struct {
	nodes, edges uint64
	rows, cost   float64
}

// search returns the moves of a MATCH from a state on. Moves that are always
// best come first (see next). If no edge is left to follow, it tries each node
// of the next part of the pattern and enters at the cheapest.
func (g *patternGraph) search(s matchState) ([]move, error) {
	var moves []move
	for {
		then, after, err := g.follows(s)
		if err != nil {
			return nil, err
		}
		moves, s = append(moves, then...), after
		if bits.OnesCount64(s.nodes) == len(g.nodes) {
			return moves, nil
		}
		start, err := g.start(s)
		if err != nil {
			return nil, err
		}
		moves, s = append(moves, start), g.apply(s, start)
	}
}

// follows returns the moves that next makes from a state on.
func (g *patternGraph) follows(s matchState) ([]move, matchState, error) {
	var moves []move
	for {
		m, ok, err := g.next(s)
		if err != nil || !ok {
			return moves, s, err
		}
		moves, s = append(moves, m), g.apply(s, m)
	}
}

// start returns the node to find next.
func (g *patternGraph) start(s matchState) (move, error) {
	ways := make([]*access, len(g.nodes))
	cheapest := -1
	for at := range g.nodes {
		if s.nodes&(1<<at) != 0 {
			continue
		}
		all, err := g.accesses(at, s.nodes, s.edges)
		if err != nil {
			return move{}, err
		}
		ways[at] = all[0]
		if cheapest < 0 || ways[at].rows < ways[cheapest].rows {
			cheapest = at
		}
	}
	best := move{access: ways[cheapest], rows: ways[cheapest].rows}
	bestCost := math.Inf(1)
	part := g.connected(cheapest)
	for at, a := range ways {
		if a == nil || part&(1<<at) == 0 {
			continue
		}
		m := move{access: a, rows: a.rows}
		_, after, err := g.follows(g.apply(s, m))
		if err != nil {
			return move{}, err
		}
		if after.cost < bestCost {
			best, bestCost = m, after.cost
		}
	}
	byEdge, err := g.edgeAccesses(s)
	if err != nil {
		return move{}, err
	}
	for _, a := range byEdge {
		if part&(1<<a.node) == 0 {
			continue
		}
		m := move{access: a, rows: a.rows}
		_, after, err := g.follows(g.apply(s, m))
		if err != nil {
			return move{}, err
		}
		if after.cost < bestCost {
			best, bestCost = m, after.cost
		}
	}
	return best, nil
}

// connected returns the bits of the nodes that edges lead to from a node.
func (g *patternGraph) connected(at int) uint64 {
	part := uint64(1) << at
	for grown := true; grown; {
		grown = false
		for _, e := range g.edges {
			ends := uint64(1)<<e.from | uint64(1)<<e.to
			if part&ends != 0 && part&ends != ends {
				part |= ends
				grown = true
			}
		}
	}
	return part
}

// next returns a move that is best regardless of the moves after it, if there
// is one.
func (g *patternGraph) next(s matchState) (move, bool, error) {
	if err := g.pl.watch.now(); err != nil {
		return move{}, false, err
	}
	for i, e := range g.edges {
		if s.edges&(1<<i) != 0 {
			continue
		}
		ends := uint64(1)<<e.from | uint64(1)<<e.to
		switch {
		case e.bound && !e.Var, e.bound && s.nodes&(1<<e.from) != 0:
			return move{edge: i, from: e.from, rows: 1}, true, nil
		case e.bound && s.nodes&(1<<e.to) != 0:
			return move{edge: i, from: e.to, rows: 1}, true, nil
		case e.bound:
			continue
		}
		if s.nodes&ends == ends {
			return move{edge: i, from: e.from, rows: 0.5}, true, nil
		}
	}
	for at := range g.nodes {
		if s.nodes&(1<<at) != 0 {
			continue
		}
		ways, err := g.accesses(at, s.nodes, s.edges)
		if err != nil {
			return move{}, false, err
		}
		for _, a := range ways {
			if a.unique() {
				return move{access: a, rows: a.rows}, true, nil
			}
		}
	}
	best, bestRows, found := move{}, math.Inf(1), false
	for i, e := range g.edges {
		if s.edges&(1<<i) != 0 || e.shortest != notShortest {
			continue
		}
		for _, from := range [2]int{e.from, e.to} {
			if s.nodes&(1<<from) == 0 {
				continue
			}
			rows, err := g.fanout(e, from)
			if err != nil {
				return move{}, false, err
			}
			m := move{edge: i, from: from, rows: rows}
			if after := g.apply(s, m); after.rows < bestRows {
				best, bestRows, found = m, after.rows, true
			}
		}
	}
	return best, found, nil
}

// apply returns the state after a move and the conditions that it makes
// decidable.
func (g *patternGraph) apply(s matchState, m move) matchState {
	before := s
	if m.access != nil {
		s.nodes |= 1 << m.access.node
		if at := m.access.edge(); at >= 0 {
			s.edges |= 1 << at
			s.nodes |= 1<<g.edges[at].from | 1<<g.edges[at].to
		}
		if m.access.scan != nil {
			s.cost += m.access.scan.all / edgesPerStep
		}
		s.cost += m.access.table / nodesPerStep
	} else {
		s.edges |= 1 << m.edge
		s.nodes |= 1<<g.edges[m.edge].from | 1<<g.edges[m.edge].to
	}
	s.rows *= m.rows
	s.cost += s.rows
	s.rows *= g.selectivity(before, s, m.access)
	return s
}

// selectivity estimates the share of rows that pass the conditions which a move
// makes decidable, except the condition that an access uses.
func (g *patternGraph) selectivity(before, after matchState, by *access) float64 {
	share := 1.0
	for _, c := range g.conds {
		if by != nil && by.uses(c) || c.paths != 0 || c.nodes&^after.nodes != 0 || c.edges&^after.edges != 0 ||
			c.nodes&^before.nodes == 0 && c.edges&^before.edges == 0 {
			continue
		}
		if b, ok := c.expr.(*binaryExpr); ok && b.Op == opEqual {
			share *= 0.1
		} else {
			share *= 0.5
		}
	}
	return share
}

// fanout returns how many rows following an edge from a node is expected to
// make of one.
func (g *patternGraph) fanout(e *patEdge, from int) (float64, error) {
	to := e.from + e.to - from
	f := engine.EdgeFilter{Direction: e.direction(from)}
	types, any := g.pl.graph.edgeTypes(e.Types)
	if !any {
		f.Types = append([]engine.EdgeType{}, types...)
	}
	degree, err := g.pl.stats.degree(g.pl.graph, g.nodes[from].labels, f)
	if err != nil {
		return 0, err
	}
	share := 1.0
	if any && g.nodes[to].labels != nil {
		some, err := g.pl.stats.count(g.pl.graph, g.nodes[to].labels)
		if err != nil {
			return 0, err
		}
		all, err := g.pl.stats.count(g.pl.graph, nil)
		if err != nil {
			return 0, err
		}
		share = (some + 1) / (all + 1)
	}
	if !e.Var {
		return degree * share, nil
	}
	longest := e.Max
	if longest < 0 || longest > e.Min+3 {
		longest = e.Min + 3
	}
	rows := 0.0
	for n := e.Min; n <= longest; n++ {
		rows += math.Pow(degree, float64(n))
	}
	return min(rows*share, 1e12), nil
}

// direction returns how edges of the pattern are followed from a node.
func (e *patEdge) direction(from int) engine.Direction {
	switch {
	case e.Dir == dirBoth:
		return engine.Both
	case (e.Dir == dirOut) == (from == e.from):
		return engine.Out
	}
	return engine.In
}
