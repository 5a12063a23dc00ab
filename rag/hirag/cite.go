package hirag

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// maxCited bounds the chunks that an entity or relation is said to rest on,
// maxMembers those of a summary and a report, which may rest on all, and maxEnds
// those of the relation of a summary, which is said to rest on its ends.
const (
	maxCited   = 16
	maxMembers = 8
	maxEnds    = 4
)

// cite is [method.System.Cite]: a chunk rests on itself, an entity or relation
// on the chunks that it was found in, a summary and a report on those of their
// members, of which the first are named. Each node and what it rests on
// is read once.
func (s *system) cite(v *engine.View) func(it query.Item) ([]string, error) {
	c := &citing{v: v, nodes: map[engine.NodeID]citedNode{}, sources: map[engine.Target][]engine.NodeID{}}
	c.chunk, _ = v.NodeType(method.ChunkNodeType)
	return c.cite
}

// citing walks from what is cited to its chunks.
type citing struct {
	v       *engine.View
	chunk   engine.TypeID
	nodes   map[engine.NodeID]citedNode
	sources map[engine.Target][]engine.NodeID

	// Of the item that is being cited.
	most int
	out  []string
	seen map[engine.NodeID]bool
}

// citedNode is what citing wants of a node.
type citedNode struct {
	kind engine.TypeID
	key  string
}

func (c *citing) node(id engine.NodeID) (citedNode, error) {
	if n, ok := c.nodes[id]; ok {
		return n, nil
	}
	n, err := c.v.Node(id)
	if err != nil {
		return citedNode{}, err
	}
	c.nodes[id] = citedNode{n.Type, n.Key}
	return c.nodes[id], nil
}

func (c *citing) cite(it query.Item) ([]string, error) {
	c.most, c.out, c.seen = maxCited, nil, map[engine.NodeID]bool{}
	if it.ID != 0 {
		n, err := c.node(it.ID)
		if err != nil {
			return nil, err
		}
		if n.kind == c.chunk {
			return []string{n.key}, nil
		}
		if c.v.NodeTypeName(n.kind) != typeEntity {
			c.most = maxMembers
		}
		err = c.from(engine.NodeTarget(it.ID))
		return c.out, err
	}
	if err := c.from(engine.EdgeTarget(it.Edge.From, it.Edge.To, it.Edge.Type)); err != nil || len(c.out) > 0 {
		return c.out, err
	}
	// The relation of a summary has no sources of its own: it rests on what its
	// ends rest on. The member is older than what sums it up.
	c.most = maxEnds
	for _, id := range []engine.NodeID{min(it.Edge.From, it.Edge.To), max(it.Edge.From, it.Edge.To)} {
		if err := c.from(engine.NodeTarget(id)); err != nil {
			return nil, err
		}
	}
	return c.out, nil
}

// from adds the chunks that a target rests on, those of its sources that are no
// chunks in their turn.
func (c *citing) from(t engine.Target) error {
	if len(c.out) >= c.most {
		return nil
	}
	sources, err := c.sourcesOf(t)
	if err != nil {
		return err
	}
	for _, id := range sources {
		if len(c.out) >= c.most {
			return nil
		}
		if c.seen[id] {
			continue
		}
		c.seen[id] = true
		n, err := c.node(id)
		if err != nil {
			return err
		}
		if n.kind == c.chunk {
			c.out = append(c.out, n.key)
			continue
		}
		if err := c.from(engine.NodeTarget(id)); err != nil {
			return err
		}
	}
	return nil
}

// sourcesOf returns the sources of a target, ascending.
func (c *citing) sourcesOf(t engine.Target) ([]engine.NodeID, error) {
	if ids, ok := c.sources[t]; ok {
		return ids, nil
	}
	set, err := c.v.Sources(t)
	if err != nil {
		return nil, err
	}
	c.sources[t] = graph.IDs(set)
	return c.sources[t], nil
}
