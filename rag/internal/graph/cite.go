package graph

import (
	"cmp"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/method"
)

// Citing says how a method cites: an item rests on the chunks that its sources lead
// down to, and a chunk on itself. The zero value cites all of them, in the order in
// which they are met: sources are followed in order of id, the first one down to its
// chunks before the second.
type Citing struct {
	// Most bounds the chunks of a node or edge by its type; a type that is missing
	// has the bound Else, and 0 is no bound.
	Most map[string]int
	Else int
	// Ends bounds the chunks of an edge without sources, which rests on its ends; 0
	// cites none. The end with the lesser id comes first.
	Ends int
	// Sorted cites in order of id. The last source is then followed first: of more
	// chunks than the bound, the newest are cited.
	Sorted bool
	// Shared is a type of nodes whose chunks are cited in another order: first those
	// that most of the nodes below rest on. At most Members of these are looked at.
	Shared  string
	Members int
}

// Cite is [method.System.Cite]. Each node and its sources are read once.
func (o Citing) Cite(v *engine.View) func(it query.Item) ([]string, error) {
	c := &citing{Citing: o, v: v, nodes: map[engine.NodeID]cited{}, sources: map[engine.Target][]engine.NodeID{}}
	return c.cite
}

// citing cites items of one view.
type citing struct {
	Citing
	v       *engine.View
	nodes   map[engine.NodeID]cited
	sources map[engine.Target][]engine.NodeID

	// Of the item that is being cited:
	most    int
	shared  bool
	members int
	out     []engine.NodeID
	seen    map[engine.NodeID]int // nodes that were met; of chunks how often
}

// cited is what citing wants of a node.
type cited struct{ kind, key string }

func (c *citing) cite(it query.Item) ([]string, error) {
	t := engine.NodeTarget(it.ID)
	kind := c.v.EdgeTypeName(it.Edge.Type)
	if it.ID == 0 {
		t = engine.EdgeTarget(it.Edge.From, it.Edge.To, it.Edge.Type)
	} else {
		if err := c.read(it.ID); err != nil {
			return nil, err
		}
		n := c.nodes[it.ID]
		if n.kind == method.ChunkNodeType {
			return []string{n.key}, nil
		}
		kind = n.kind
	}
	most, ok := c.Most[kind]
	if !ok {
		most = c.Else
	}
	c.most, c.shared, c.members = most, it.ID != 0 && kind == c.Shared, 0
	c.out, c.seen = nil, map[engine.NodeID]int{it.ID: 1}
	if err := c.ahead(t); err != nil {
		return nil, err
	}
	if err := c.walk(t); err != nil {
		return nil, err
	}
	if c.most = c.Ends; it.ID == 0 && len(c.out) == 0 && c.Ends > 0 {
		for _, id := range []engine.NodeID{min(t.From, t.To), max(t.From, t.To)} {
			if err := c.walk(engine.NodeTarget(id)); err != nil {
				return nil, err
			}
		}
	}
	return c.keys(), nil
}

// aheadNodes bounds the nodes that are read ahead for one item.
const aheadNodes = 1024

// ahead reads ahead what a target rests on, in the order of walk, one level of sources
// after the other.
func (c *citing) ahead(t engine.Target) error {
	if _, ok := c.sources[t]; ok {
		return nil
	}
	return c.v.Ahead(1, func(v *engine.View, _ int) error {
		left := aheadNodes
		return c.below(v, t, &left)
	})
}

// below reads what a target rests on, left nodes at most.
func (c *citing) below(v *engine.View, t engine.Target, left *int) error {
	set, err := v.Sources(t)
	if err != nil {
		return err
	}
	ids := IDs(set)
	if c.Sorted {
		slices.Reverse(ids)
	}
	if ids = ids[:min(len(ids), *left)]; !c.shared && c.most > 0 {
		ids = ids[:min(len(ids), max(c.most, readAhead))]
	}
	*left -= len(ids)
	return v.Ahead(len(ids), func(v *engine.View, i int) error {
		n, err := v.Node(ids[i])
		if err == nil && v.NodeTypeName(n.Type) == method.ChunkNodeType {
			return nil
		}
		// What a node that is not read yet rests on is read with it.
		return errors.Join(err, c.below(v, engine.NodeTarget(ids[i]), left))
	})
}

// walk adds the chunks that a target rests on.
func (c *citing) walk(t engine.Target) error {
	ids, ok := c.sources[t]
	if !ok {
		set, err := c.v.Sources(t)
		if err != nil {
			return err
		}
		if ids = IDs(set); c.Sorted {
			slices.Reverse(ids)
		}
		c.sources[t] = ids
	}
	supported := false
	for i, id := range ids {
		if !c.shared && c.most > 0 && len(c.out) >= c.most || c.shared && c.members >= c.Members {
			return nil
		}
		if err := c.read(ids[i:min(len(ids), i+readAhead)]...); err != nil {
			return err
		}
		c.seen[id]++
		switch {
		case c.nodes[id].kind == method.ChunkNodeType:
			supported = true
			if c.seen[id] == 1 {
				c.out = append(c.out, id)
			}
		case c.seen[id] == 1:
			if err := c.walk(engine.NodeTarget(id)); err != nil {
				return err
			}
		}
	}
	if supported {
		c.members++
	}
	return nil
}

// readAhead is how many sources are read at once.
const readAhead = 16

// read reads nodes, the first of which is needed, if it is not known.
func (c *citing) read(ids ...engine.NodeID) error {
	if _, ok := c.nodes[ids[0]]; ok {
		return nil
	}
	nodes, err := Read(c.v, ids)
	for _, n := range nodes {
		c.nodes[n.ID] = cited{c.v.NodeTypeName(n.Type), n.Key}
	}
	return err
}

// keys returns the keys of the chunks that were met, in the order that is wanted.
func (c *citing) keys() []string {
	switch {
	case c.shared:
		slices.SortFunc(c.out, func(a, b engine.NodeID) int {
			return cmp.Or(cmp.Compare(c.seen[b], c.seen[a]), cmp.Compare(c.nodes[a].key, c.nodes[b].key))
		})
	case c.Sorted:
		slices.Sort(c.out)
	}
	var out []string
	for _, id := range c.out {
		out = append(out, c.nodes[id].key)
	}
	return out
}
