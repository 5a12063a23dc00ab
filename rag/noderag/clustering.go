package noderag

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/community"
)

const (
	// leidenSeed decides the order of refinement.
	leidenSeed = 1
	// outgrown is how many times the largest community of the last whole
	// clustering one may have before it is clustered for itself.
	outgrown = 1.5
	// leastOutgrown is the size below which none is.
	leastOutgrown = 64
)

// clustering is a division in the making.
type clustering struct {
	s     *system
	g     *content
	p     *graphops.Projection
	old   map[engine.NodeID]member
	state communityState
	// of has the community of each node, none if it has none.
	of []uint64
	// all says that all was clustered.
	all bool
}

const none = ^uint64(0)

func (c *clustering) leiden(ctx context.Context, nodes []uint32) (*graphops.LeidenResult, error) {
	return graphops.Leiden(ctx, c.p, graphops.LeidenOptions{
		Resolution: c.s.p.Resolution, Seed: leidenSeed, DropIsolated: true, Nodes: nodes,
	})
}

// whole divides everything again. A community of the same nodes as one that
// there was keeps its number.
func (c *clustering) whole(ctx context.Context) error {
	r, err := c.leiden(ctx, nil)
	if err != nil {
		return err
	}
	before := map[string]uint64{}
	for number, nodes := range c.grouped(func(i int) uint64 {
		if m, ok := c.old[c.g.nodes[i].id]; ok {
			return m.Community
		}
		return none
	}) {
		before[c.membersKey(nodes)] = number
	}
	sizes := map[uint64]int{} // of old communities with nodes that are gone too
	for _, m := range c.old {
		sizes[m.Community]++
	}
	off, nodes := r.Members()
	c.state.Largest = 0
	for i := range c.of {
		c.of[i] = none
	}
	for k := range r.Count {
		in := nodes[off[k]:off[k+1]]
		number, ok := before[c.membersKey(in)]
		if !ok || sizes[number] != len(in) {
			number = c.state.Next
			c.state.Next++
		}
		for _, i := range in {
			c.of[i] = number
		}
		c.state.Largest = max(c.state.Largest, len(in))
	}
	c.all = true
	return nil
}

// grouped returns the nodes by community, ascending.
func (c *clustering) grouped(of func(i int) uint64) map[uint64][]uint32 {
	out := map[uint64][]uint32{}
	for i := range c.g.nodes {
		if number := of(i); number != none {
			out[number] = append(out[number], uint32(i))
		}
	}
	return out
}

// membersKey identifies a set of nodes.
func (c *clustering) membersKey(nodes []uint32) string {
	b := make([]byte, 0, 4*len(nodes))
	for _, i := range nodes {
		b = binary.BigEndian.AppendUint32(b, i)
	}
	return string(b)
}

// grow places what is new or has changed.
func (c *clustering) grow(ctx context.Context) error {
	numbers := map[uint64]bool{}
	for _, n := range c.g.nodes {
		if m, ok := c.old[n.id]; ok {
			numbers[m.Community] = true
		}
	}
	known := slices.Sorted(maps.Keys(numbers)) // by place in part
	part := graphops.Partition{Of: make([]uint32, len(c.g.nodes)), Count: len(known)}
	var joining []uint32
	for i, n := range c.g.nodes {
		m, ok := c.old[n.id]
		degree := c.p.Degree(uint32(i))
		if part.Of[i] = graphops.None; degree == 0 {
			continue
		}
		if ok {
			at, _ := slices.BinarySearch(known, m.Community)
			part.Of[i] = uint32(at)
		}
		if !ok || int(m.Degree) != degree {
			joining = append(joining, uint32(i))
		}
	}
	if err := community.Join(ctx, c.p, &part, joining, community.Options{Resolution: c.s.p.Resolution}); err != nil {
		return err
	}
	for len(known) < part.Count {
		known = append(known, c.state.Next)
		c.state.Next++
	}
	for i, at := range part.Of {
		if c.of[i] = none; at != graphops.None {
			c.of[i] = known[at]
		}
	}
	return c.divide(ctx)
}

// divide clusters the communities that are too large, each on its own graph.
// The largest part of each keeps the number.
func (c *clustering) divide(ctx context.Context) error {
	limit := max(leastOutgrown, int(outgrown*float64(c.state.Largest)))
	all := c.grouped(func(i int) uint64 { return c.of[i] })
	numbers := make([]uint64, 0, len(all))
	for number := range all {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		if len(all[number]) <= limit {
			continue
		}
		r, err := c.leiden(ctx, all[number])
		if err != nil {
			return err
		}
		off, nodes := r.Members()
		largest := 0
		for k := range r.Count {
			if off[k+1]-off[k] > off[largest+1]-off[largest] {
				largest = k
			}
		}
		for k := range r.Count {
			if k == largest {
				continue
			}
			for _, i := range nodes[off[k]:off[k+1]] {
				c.of[i] = c.state.Next
			}
			c.state.Next++
		}
	}
	return nil
}

// changes compares with what is stored.
func (c *clustering) changes() (clustered, error) {
	out := clustered{Set: []member{}, Gone: []engine.NodeID{}, Ended: []uint64{}}
	there := map[uint64]bool{}
	part := graphops.Partition{Of: make([]uint32, len(c.of))}
	numbers := map[uint64]uint32{}
	c.state.Nodes = 0
	for i, number := range c.of {
		part.Of[i] = graphops.None
		if number == none {
			continue
		}
		c.state.Nodes++
		there[number] = true
		k, ok := numbers[number]
		if !ok {
			k = uint32(len(numbers))
			numbers[number] = k
		}
		part.Of[i] = k
		m := member{c.g.nodes[i].id, number, uint32(c.p.Degree(uint32(i)))}
		old, ok := c.old[m.Node]
		if old != m {
			out.Set = append(out.Set, m)
		}
		if !ok || old.Community != number {
			c.state.Moved++
		}
	}
	part.Count = len(numbers)
	c.state.Communities = len(numbers)
	ended := map[uint64]bool{}
	for id, m := range c.old {
		if i, ok := c.g.at[id]; !ok || c.of[i] == none {
			out.Gone = append(out.Gone, id)
		}
		if !there[m.Community] {
			ended[m.Community] = true
		}
	}
	slices.Sort(out.Gone)
	for number := range ended {
		out.Ended = append(out.Ended, number)
	}
	slices.Sort(out.Ended)
	slices.SortFunc(out.Set, func(a, b member) int { return cmp.Compare(a.Node, b.Node) })
	q, err := graphops.Modularity(c.p, &part, c.s.p.Resolution)
	if err != nil {
		return out, err
	}
	c.state.Now = q
	if c.all {
		c.state.Whole, c.state.Moved = q, 0
	}
	out.State = c.state
	return out, nil
}
