package noderag

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag"
)

// communityStage divides S, N, R and A into communities by Leiden, modularity,
// one level, without weights (spec A.2.7). Nodes without edges are in none.
//
// Where there are communities already they stay: a node that is new, or whose
// edges have changed, goes to the neighbouring community by which modularity
// gains most, or has one of its own; and a community that has outgrown all
// that there were after the last whole clustering by half is clustered for
// itself.
//
// The bucket holds
//
//	n <node u64>  community u64, degree u32 of the node
//	s             communityState as JSON
type communityStage struct{ s *System }

const (
	keyMember = 'n'
	keyState  = 's'
	// leidenSeed decides the order of refinement.
	leidenSeed = 1
	// outgrown is how many times the largest community of the last whole
	// clustering one may have before it is clustered for itself.
	outgrown = 1.5
	// leastOutgrown is the size below which none is.
	leastOutgrown = 64
)

// communityState is what is known of the communities as a whole.
type communityState struct {
	// Next is the number that no community has had.
	Next uint64 `json:"next"`
	// Whole is the modularity after the last whole clustering, Now the present
	// one.
	Whole float64 `json:"whole"`
	Now   float64 `json:"now"`
	// Nodes are all that are in a community, Moved those among them that came
	// or changed their community since the last whole clustering.
	Nodes int `json:"nodes"`
	Moved int `json:"moved"`
	// Largest is the size of the largest community after the last whole
	// clustering.
	Largest     int `json:"largest"`
	Communities int `json:"communities"`
}

// member is what is known of a node.
type member struct {
	Node      engine.NodeID `json:"n"`
	Community uint64        `json:"c"`
	Degree    uint32        `json:"d"`
}

// clustered is what the stage does to the stored communities.
type clustered struct {
	Set   []member        `json:"set"`
	Gone  []engine.NodeID `json:"gone"`
	Ended []uint64        `json:"ended"`
	State communityState  `json:"state"`
}

// Name implements [rag.Stage].
func (st *communityStage) Name() string { return "communities" }

// Graph implements [rag.Stage].
func (st *communityStage) Graph() *engine.Graph { return st.s.g }

// readG2 reads S, N, R and A.
func (s *System) readG2(ctx context.Context, v *engine.View) (*content, error) {
	return s.read(ctx, v, []string{typeUnit, typeEntity, typeRelationship, typeAttribute},
		[]string{edgeMentions, edgeRelates, edgeStates, edgeAttribute})
}

// Items implements [rag.Stage]: one item, pending while the graph is not the
// one that was divided, or all is to be divided anew.
func (st *communityStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[rag.WorkItem, error] {
	return func(yield func(rag.WorkItem, error) bool) {
		g, err := st.s.readG2(ctx, s.Graph(st.s.g).WithContext(ctx))
		if err != nil {
			yield(rag.WorkItem{}, err)
			return
		}
		// An attribute that was made anew is another node.
		var ids []byte
		for _, n := range g.nodes {
			ids = binary.AppendUvarint(ids, uint64(n.id))
		}
		parts := []string{"communities", g.hex(), string(ids)}
		if st.s.recluster {
			parts = append(parts, fmt.Sprint(s.Epoch()))
		}
		digest := rag.Digest(parts...)
		yield(rag.WorkItem{Key: "all", Digest: digest}, nil)
	}
}

// members returns the stored communities of nodes, by node.
func members(v engine.Reader) (map[engine.NodeID]member, error) {
	out := map[engine.NodeID]member{}
	for e, err := range v.Bucket(bucketCommunities).Prefix([]byte{keyMember}) {
		if err != nil {
			return nil, err
		}
		if len(e.Key) != 9 || len(e.Value) != 12 {
			return nil, fmt.Errorf("malformed community: %w", engine.ErrCorrupt)
		}
		id := engine.NodeID(binary.BigEndian.Uint64(e.Key[1:]))
		out[id] = member{id, binary.BigEndian.Uint64(e.Value), binary.BigEndian.Uint32(e.Value[8:])}
	}
	return out, nil
}

func readState(v engine.Reader) (state communityState, ok bool, err error) {
	b, err := v.Bucket(bucketCommunities).Get([]byte{keyState}, nil)
	if isMissing(err) {
		return state, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &state)
	}
	return state, err == nil, err
}

// Do implements [rag.Stage].
func (st *communityStage) Do(ctx context.Context, s *engine.Snapshot, _ *rag.Models, _ rag.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	g, err := st.s.readG2(ctx, v)
	if err != nil {
		return nil, err
	}
	p, err := g.project()
	if err != nil {
		return nil, err
	}
	old, err := members(v)
	if err != nil {
		return nil, err
	}
	state, ok, err := readState(v)
	if err != nil {
		return nil, err
	}
	c := &clustering{s: st.s, g: g, p: p, old: old, state: state, of: make([]uint64, len(g.nodes))}
	if ok && !st.s.recluster && len(old) > 0 {
		err = c.grow(ctx)
	} else {
		err = c.whole(ctx)
	}
	if err != nil {
		return nil, err
	}
	out, err := c.changes()
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// clustering is a division in the making.
type clustering struct {
	s     *System
	g     *content
	p     *graphops.Projection
	old   map[engine.NodeID]member
	state communityState
	// of has the community of each node, none where it has none.
	of []uint64
	// anew says that all was clustered.
	anew bool
}

const none = ^uint64(0)

func (c *clustering) leiden(ctx context.Context, nodes []uint32) (*graphops.LeidenResult, error) {
	return graphops.Leiden(ctx, c.p, graphops.LeidenOptions{
		Resolution: c.s.p.Resolution, Seed: leidenSeed, DropIsolated: true, Nodes: nodes,
	})
}

// whole divides everything anew. A community of the same nodes as one that
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
	c.anew = true
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
	var free []uint32
	for i, n := range c.g.nodes {
		m, ok := c.old[n.id]
		degree := c.p.Degree(uint32(i))
		switch {
		case degree == 0:
			c.of[i] = none
			continue
		case ok:
			c.of[i] = m.Community
		default:
			c.of[i] = c.state.Next
			c.state.Next++
		}
		if !ok || int(m.Degree) != degree {
			free = append(free, uint32(i))
		}
	}
	if err := c.move(ctx, free); err != nil {
		return err
	}
	return c.divide(ctx)
}

// maxPasses bounds how often the nodes that may move are looked at.
const maxPasses = 20

// move moves nodes to the neighbouring communities by which modularity gains
// most, of several the least number, until nothing gains. The gain of node u by
// joining C is e(u,C)/m - resolution d(u) d(C)/(2m²), C without u.
func (c *clustering) move(ctx context.Context, free []uint32) error {
	if len(free) == 0 {
		return nil
	}
	strength := map[uint64]float64{} // sum of degrees
	for i, number := range c.of {
		if number != none {
			strength[number] += float64(c.p.Degree(uint32(i)))
		}
	}
	twice := 2 * float64(c.p.Edges())
	for range maxPasses {
		moved := false
		for at, u := range free {
			if at%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			degree := float64(c.p.Degree(u))
			links := map[uint64]float64{}
			row, _ := c.p.Row(u)
			for _, w := range row {
				links[c.of[w]]++
			}
			here := c.of[u]
			strength[here] -= degree
			gain := func(number uint64) float64 {
				return links[number] - c.s.p.Resolution*degree*strength[number]/twice
			}
			best, most := here, gain(here)
			for _, number := range keysOf(links) {
				// What rounding makes of equal gains moves nothing.
				if x := gain(number); x > most+1e-12 {
					best, most = number, x
				}
			}
			strength[best] += degree
			if best != here {
				c.of[u], moved = best, true
			}
		}
		if !moved {
			return nil
		}
	}
	return nil
}

func keysOf(m map[uint64]float64) []uint64 {
	out := make([]uint64, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
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
	if c.anew {
		c.state.Whole, c.state.Moved = q, 0
	}
	out.State = c.state
	return out, nil
}

// Apply implements [rag.Stage].
func (st *communityStage) Apply(_ context.Context, tx *engine.Tx, _ rag.WorkItem, result []byte) error {
	var c clustered
	if err := json.Unmarshal(result, &c); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	b, err := v.MakeBucket(bucketCommunities)
	if err != nil {
		return err
	}
	for _, id := range c.Gone {
		if err := b.Delete(append([]byte{keyMember}, idKey(id)...)); err != nil {
			return err
		}
	}
	for _, m := range c.Set {
		value := binary.BigEndian.AppendUint64(nil, m.Community)
		value = binary.BigEndian.AppendUint32(value, m.Degree)
		if err := b.Set(append([]byte{keyMember}, idKey(m.Node)...), value); err != nil {
			return err
		}
	}
	state, err := json.Marshal(c.State)
	if err != nil {
		return err
	}
	if err := b.Set([]byte{keyState}, state); err != nil {
		return err
	}
	for _, number := range c.Ended {
		if err := st.s.dropElements(v, number); err != nil {
			return err
		}
		if err := rag.ForgetJobs(v, communityItem(number)); err != nil {
			return err
		}
	}
	return nil
}
