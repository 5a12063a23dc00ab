package hirag

import (
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// head is what relations tell of a node at their end.
type head struct {
	name   string
	degree int
}

// heads are those of the nodes that the reports of a level have met: a node is
// in one community of the level, and at the end of relations of many. They are
// of one snapshot. It is safe for concurrent use.
type heads struct {
	mu    sync.Mutex
	known map[engine.NodeID]head
}

func newHeads() *heads { return &heads{known: map[engine.NodeID]head{}} }

// fill adds to ends those of the edges that are not among them. What it gets and
// what it has read are known from then on.
func (h *heads) fill(v engine.Reader, ends map[engine.NodeID]head, edges []engine.Edge, filter engine.EdgeFilter) error {
	nodes, err := graph.Read(v, h.unknown(ends, edges))
	if err != nil {
		return err
	}
	for _, n := range nodes {
		var x head
		if x.name, err = nameOf(v, n); err != nil {
			return err
		}
		if x.degree, err = v.Degree(n.ID, filter); err != nil {
			return err
		}
		ends[n.ID] = x
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, x := range ends {
		h.known[id] = x
	}
	return nil
}

// unknown adds to ends what is known of those of the edges, and returns the
// others, once each.
func (h *heads) unknown(ends map[engine.NodeID]head, edges []engine.Edge) (out []engine.NodeID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	missing := map[engine.NodeID]bool{}
	for _, e := range edges {
		if _, ok := ends[e.To]; ok || missing[e.To] {
			continue
		}
		if x, ok := h.known[e.To]; ok {
			ends[e.To] = x
			continue
		}
		missing[e.To] = true
		out = append(out, e.To)
	}
	return out
}
