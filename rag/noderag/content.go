package noderag

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// content is a part of the method's graph with the nodes numbered by type and
// key, so that what is computed of it is a function of what the corpus says,
// and not of the order in which it came.
type content struct {
	nodes []contentNode
	at    map[engine.NodeID]uint32
	edges []graphops.WeightedEdge // From < To, each pair once, in order
	// digest identifies the nodes and edges.
	digest [32]byte
}

type contentNode struct {
	id   engine.NodeID
	kind int // place in the list of types
	key  string
}

// read reads the nodes of some types and the edges of some types among them.
func (s *system) read(ctx context.Context, v *engine.View, types, edges []string) (*content, error) {
	c := &content{at: map[engine.NodeID]uint32{}}
	for kind, name := range types {
		for n, err := range graph.ReadAll(v, name) {
			if err != nil {
				return nil, err
			}
			c.nodes = append(c.nodes, contentNode{n.ID, kind, n.Key})
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(c.nodes, func(a, b contentNode) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.key, b.key))
	})
	for i, n := range c.nodes {
		c.at[n.id] = uint32(i)
	}
	filter := engine.EdgeFilter{Types: []engine.EdgeType{}}
	for _, name := range edges {
		if t, ok := v.EdgeType(name); ok {
			filter.Types = append(filter.Types, t)
		}
	}
	if len(filter.Types) > 0 {
		for e, err := range v.Edges(filter) {
			if err != nil {
				return nil, err
			}
			from, ok := c.at[e.From]
			to, ok2 := c.at[e.To]
			if ok && ok2 {
				c.edges = append(c.edges, graphops.WeightedEdge{From: min(from, to), To: max(from, to), Weight: 1})
			}
		}
	}
	slices.SortFunc(c.edges, func(a, b graphops.WeightedEdge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	c.edges = slices.Compact(c.edges)
	c.sum()
	return c, nil
}

// sum makes the digest.
func (c *content) sum() {
	h := sha256.New()
	var b []byte
	for _, n := range c.nodes {
		b = binary.AppendUvarint(b[:0], uint64(n.kind))
		b = binary.AppendUvarint(b, uint64(len(n.key)))
		h.Write(append(b, n.key...))
	}
	for _, e := range c.edges {
		b = binary.AppendUvarint(b[:0], uint64(e.From))
		h.Write(binary.AppendUvarint(b, uint64(e.To)))
	}
	h.Sum(c.digest[:0])
}

func (c *content) hex() string { return hex.EncodeToString(c.digest[:]) }

// project returns the graph without weights.
func (c *content) project() (*graphops.Projection, error) {
	return graphops.FromEdges(len(c.nodes), c.edges, graphops.EdgeOptions{})
}

// entities tells what entities are called and what they weigh, and reads each
// once: a stage that weighs what is next to a node meets the same entities
// again and again. It is of one snapshot, and safe for concurrent use.
type entities struct {
	known  graph.Memo[engine.NodeID, entity]
	around graph.Memo[engine.NodeID, uint64] // by node, the weights next to it
}

// entity is what is known of one. Its weight is how many units list it.
type entity struct {
	label  string
	weight uint64
}

// of returns an entity.
func (e *entities) of(v engine.Reader, id engine.NodeID) (entity, error) {
	return e.known.Get(id, func() (entity, error) {
		total, err := v.Total(engine.NodeTarget(id))
		return entity{total.Label, total.Count}, err
	})
}

// weightAround returns the sum of the weights of the entities next to a node.
func (e *entities) weightAround(v engine.Reader, id engine.NodeID) (uint64, error) {
	return e.around.Get(id, func() (sum uint64, err error) {
		for _, kind := range []string{schema.Mentions, schema.Relates} {
			ids, err := graph.Neighbors(v, id, kind, engine.Both)
			if err != nil {
				return 0, err
			}
			for _, id := range ids {
				n, err := e.of(v, id)
				if err != nil {
					return 0, err
				}
				sum += n.weight
			}
		}
		return sum, nil
	})
}
