package noderag

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// maxCited bounds the chunks that an item cites: an element may rest on
// hundreds, none of which says more of it than another.
const maxCited = 32

// cite is [method.System.Cite]: a chunk rests on itself, all else on the chunks
// that it was made from, an overview on those of its elements; the first of
// them in order of id. Each node and what it rests on
// is read once.
func (s *system) cite(v *engine.View) func(it query.Item) ([]string, error) {
	c := &citing{v: v, known: map[engine.NodeID][]string{}}
	c.chunk, _ = v.NodeType(typeText)
	return func(it query.Item) ([]string, error) { return c.chunks(it.ID) }
}

// citing finds the chunks that nodes rest on.
type citing struct {
	v     *engine.View
	chunk engine.TypeID
	known map[engine.NodeID][]string
}

// chunks returns the keys of a node's chunks.
func (c *citing) chunks(id engine.NodeID) ([]string, error) {
	if keys, ok := c.known[id]; ok {
		return keys, nil
	}
	n, err := c.v.Node(id)
	if err != nil {
		return nil, err
	}
	keys := []string{n.Key}
	if n.Type != c.chunk {
		if keys, err = c.sources(id); err != nil {
			return nil, err
		}
	}
	keys = slices.Clip(keys)
	c.known[id] = keys
	return keys, nil
}

// sources returns the keys of the chunks that a node's sources rest on.
func (c *citing) sources(id engine.NodeID) (out []string, err error) {
	set, err := c.v.Sources(engine.NodeTarget(id))
	if err != nil {
		return nil, err
	}
	for src := set.Iterator(); src.HasNext() && len(out) < maxCited; {
		keys, err := c.chunks(engine.NodeID(src.Next()))
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out, nil
}
