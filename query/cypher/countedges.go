package cypher

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// countEdges counts the edges of a node in place of following them: each row stands
// for as many rows as there are edges. The first few nodes are looked up one by one.
// If there are more, the degrees of all nodes are read at once, which the statements
// of a session share.
type countEdges struct {
	planned
	hop
	rows *int64 // how many rows the one at hand stands for
	many bool   // all nodes of a label come, so that degrees are read at once
	// beside counts edges of the same node that may be the same as these, nil for none.
	beside *countEdges

	page    []engine.Edge
	looked  int
	read    bool // degrees were asked for
	degrees []uint32
	// shared are the numbers of edges that both the step and the one beside it count.
	shared []uint32
	n      int64 // edges of the row at hand
}

func (c *countEdges) open(x *exec, next sink) sink {
	if c.page == nil {
		c.page = x.page()
	}
	*c.rows = 1
	return stream(next, func(r row) error {
		from := r[c.from]
		if from.kind != KindNode {
			return nil
		}
		rows, err := c.count(x, from.AsNode())
		if err != nil || rows == 0 {
			return err
		}
		before := *c.rows
		*c.rows = rows
		err = next.push(r)
		*c.rows = before
		return err
	})
}

// count returns how many rows the one at hand stands for with the edges of a node.
func (c *countEdges) count(x *exec, id engine.NodeID) (rows int64, err error) {
	if err := x.tick(); err != nil {
		return 0, err
	}
	if err := c.prepare(x); err != nil {
		return 0, err
	}
	if c.n, err = c.edges(x, id); err != nil {
		return 0, err
	}
	rows = *c.rows * c.n
	if c.beside != nil && rows > 0 {
		same, err := c.same(x, id)
		if err != nil {
			return 0, err
		}
		rows -= *c.rows / c.beside.n * same
	}
	return rows, nil
}

// prepare reads the degrees if they are worth it.
func (c *countEdges) prepare(x *exec) error {
	if c.read {
		return nil
	}
	c.looked++
	worth, err := x.graph.worthAll(c.looked)
	if err != nil || !worth && !c.many {
		return err
	}
	c.read = true
	f, ok := c.test.filter(x)
	if !ok {
		return nil
	}
	if c.degrees, err = x.degrees(f, &c.label); err != nil || c.degrees == nil || c.beside == nil {
		return err
	}
	c.shared, err = c.sharedDegrees(x, f)
	return err
}

// edges returns how many edges of a node may be matched.
func (c *countEdges) edges(x *exec, id engine.NodeID) (n int64, err error) {
	f, ok := c.test.filter(x)
	if !ok {
		return 0, nil
	}
	if c.degrees == nil {
		err := x.eachEdge(id, f, c.page, func(e engine.Edge) error {
			ok := len(c.others) == 0 || c.m.free(identity(e), c.others)
			if ok && !c.label.any() {
				var err error
				if ok, err = c.label.has(x, e.Other(id)); err != nil {
					return err
				}
			}
			if ok {
				n++
			}
			return nil
		})
		return n, err
	}
	if int(id) < len(c.degrees) {
		n = int64(c.degrees[id])
	}
	for i, place := range c.others {
		for j, e := range c.m.edges[place] {
			if c.seen(e, i, j) || !incident(e, id, f) {
				continue
			}
			ok, err := c.label.has(x, e.Other(id))
			if err != nil {
				return 0, err
			}
			if ok {
				n--
			}
		}
	}
	return n, nil
}

// seen reports whether an edge stands before one of the places in m too.
func (c *countEdges) seen(e engine.Edge, i, j int) bool {
	for k, place := range c.others[:i+1] {
		list := c.m.edges[place]
		if k == i {
			list = list[:j]
		}
		if slices.ContainsFunc(list, func(have engine.Edge) bool { return sameEdge(have, e) }) {
			return true
		}
	}
	return false
}

// incident reports whether an edge, in its stored form, is one of a node's that a
// filter lets pass.
func incident(e engine.Edge, id engine.NodeID, f engine.EdgeFilter) bool {
	if f.Types != nil && !slices.Contains(f.Types, e.Type) {
		return false
	}
	either := f.Direction == engine.Both || !e.Type.Directed()
	return e.From == id && (either || f.Direction == engine.Out) || e.To == id && (either || f.Direction == engine.In)
}

// same returns how many edges of a node both the step and the one beside it count.
func (c *countEdges) same(x *exec, id engine.NodeID) (n int64, err error) {
	if c.shared != nil {
		if int(id) < len(c.shared) {
			n = int64(c.shared[id])
		}
		return n, nil
	}
	f, _ := c.test.filter(x)
	other, _ := c.beside.test.filter(x)
	err = x.eachEdge(id, f, c.page, func(e engine.Edge) error {
		if !incident(identity(e), id, other) {
			return nil
		}
		for _, label := range []*nodeTest{&c.label, &c.beside.label} {
			if ok, err := label.has(x, e.Other(id)); err != nil || !ok {
				return err
			}
		}
		n++
		return nil
	})
	return n, err
}

// sharedDegrees returns by node how many edges both the step and the one beside it
// count, nil if that is not worth it.
func (c *countEdges) sharedDegrees(x *exec, f engine.EdgeFilter) ([]uint32, error) {
	other, _ := c.beside.test.filter(x)
	both := engine.EdgeFilter{Types: f.Types, Direction: f.Direction}
	switch {
	case f.Types == nil:
		both.Types = other.Types
	case other.Types != nil:
		both.Types = slices.DeleteFunc(slices.Clone(f.Types), func(t engine.EdgeType) bool { return !slices.Contains(other.Types, t) })
	}
	to := c.label.and(&c.beside.label)
	switch {
	case f.Direction == engine.Both:
		both.Direction = other.Direction
	case other.Direction != engine.Both && other.Direction != f.Direction:
		return x.eitherWay(both.Types, &to)
	}
	return x.degrees(both, &to)
}

// eitherWay returns by node how many edges are followed both out and in: loops and
// those of undirected types.
func (x *exec) eitherWay(types []engine.EdgeType, to *nodeTest) ([]uint32, error) {
	var sum []uint32
	for _, dir := range []engine.Direction{engine.Out, engine.In, engine.Both} {
		of, err := x.degrees(engine.EdgeFilter{Types: types, Direction: dir}, to)
		if err != nil || of == nil {
			return nil, err
		}
		if sum == nil {
			sum = slices.Clone(of)
			continue
		}
		for i, n := range of {
			if dir == engine.Both {
				n = -n
			}
			sum[i] += n
		}
	}
	return sum, nil
}
