package hirag

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/community"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// communityStage finds the communities of entities and summaries by their
// relations (spec B.2.8): hierarchical Leiden, on all components. Its one item
// is pending while the graph or what is said in it is not what it was done for.
// It writes which communities there are to be; the next stages make them.
type communityStage struct {
	graph.Stage
	s *system

	// What Items has read.
	graph  *communityNodes
	nodes  [][32]byte // what is said of each node
	edges  [][32]byte // and of each edge
	digest [32]byte
}

const communitiesItem = "communities"

// Items implements [method.Stage].
func (st *communityStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		err := st.read(s.Graph(st.s.g).WithContext(ctx))
		yield(st.s.global(communitiesItem, st.digest, s.Epoch()), err)
	}
}

// read reads the graph and what is said in it.
func (st *communityStage) read(v engine.Reader) error {
	var err error
	if st.graph, err = st.s.readGraph(v); err != nil {
		return err
	}
	st.Looked(len(st.graph.nodes), len(st.graph.edges))
	st.nodes = make([][32]byte, len(st.graph.nodes))
	parts := []string{"communities", strconv.Itoa(st.s.p.Size)}
	names := map[engine.NodeID]string{}
	for at := 0; at < len(st.nodes); at += readAtOnce {
		some := st.graph.nodes[at:min(at+readAtOnce, len(st.nodes))]
		ids := make([]engine.NodeID, len(some))
		for k, n := range some {
			ids[k] = n.id
		}
		said, err := describeEach(v, ids)
		if err != nil {
			return err
		}
		for k, n := range some {
			d := said[k]
			names[n.id] = d.name
			st.nodes[at+k] = method.Digest(n.key, d.name, d.kind, d.text)
			parts = append(parts, strconv.FormatUint(uint64(n.id), 36), string(st.nodes[at+k][:]))
		}
	}
	st.edges = make([][32]byte, len(st.graph.edges))
	for i, e := range st.graph.edges {
		text, err := describeEdge(v, e)
		if err != nil {
			return err
		}
		st.edges[i] = method.Digest(names[e.From], names[e.To], text, strconv.FormatUint(uint64(math.Float32bits(e.Weight)), 36))
		parts = append(parts, string(st.edges[i][:]))
	}
	st.digest = method.Digest(parts...)
	return nil
}

// plannedCommunity is a community that there is to be.
type plannedCommunity struct {
	Key     string          `json:"key"` // level/digest of the members that it was found with
	Level   int             `json:"level"`
	Parent  string          `json:"parent,omitempty"`
	Members []engine.NodeID `json:"members"`
	// Said has a digest for each member, of what is said of it and of the edges at
	// it: the report tells of them.
	Said []uint64 `json:"said"`
	// Own has 4 bytes for each member, of what is said of it alone, and Edges 4 bytes
	// for each edge at one of them, ascending.
	Own   []byte `json:"own,omitempty"`
	Edges []byte `json:"edges,omitempty"`
	// Summaries are those of the members that are summaries.
	Summaries []engine.NodeID `json:"summaries,omitempty"`
}

// material is what the community's report is made of.
func (p *plannedCommunity) material() material {
	order := make([]int, len(p.Members))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p.Members[a], p.Members[b]) })
	var m material
	for _, i := range order {
		m.Nodes, m.Said = append(m.Nodes, uint64(p.Members[i])), append(m.Said, p.Said[i])
		if len(p.Own) == sumSize*len(p.Members) {
			m.Own = append(m.Own, p.Own[sumSize*i:sumSize*(i+1)]...)
		}
	}
	m.Edges = p.Edges
	for _, id := range p.Summaries {
		m.Firm = append(m.Firm, uint64(id))
	}
	slices.Sort(m.Firm)
	return m
}

// communityPlan is what the stage comes to.
type communityPlan struct {
	Base        *clustering        `json:"base"`
	State       communityState     `json:"state"`
	Communities []plannedCommunity `json:"communities"`
}

// communityState says how far communities are from their last whole clustering.
type communityState struct {
	Modularity float64 `json:"modularity"`
	// Was is the modularity of the last whole clustering.
	Was float64 `json:"was"`
	// Moved has for each level the part of its nodes that is not where it was.
	Moved []float64 `json:"moved"`
}

// The keys in the bucket of fits.
var (
	keyBase  = []byte("communities")
	keyState = []byte("communities/state")
)

// Do implements [method.Stage].
func (st *communityStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	g := st.graph
	keys, adjacent := make([]uint64, len(g.nodes)), make([]uint64, len(g.nodes))
	for i, n := range g.nodes {
		keys[i] = keyHash(n)
	}
	connected := 0
	for i := range g.nodes {
		adjacent[i] = st.adjacency(uint32(i), keys)
		if len(g.at[i]) > 0 {
			connected++
		}
	}
	plan := communityPlan{}
	base, err := readBase(v)
	if err != nil {
		return nil, err
	}
	var forest []branch
	fresh := st.s.whole || base == nil || community.Outgrown(len(base.Nodes), connected)
	if fresh {
		if forest, err = divide(ctx, g.p, nil, st.s.p.Size, 0, -1, nil); err != nil {
			return nil, err
		}
		if base, err = remembered(g.p, forest, keys, adjacent); err != nil {
			return nil, err
		}
		plan.State.Modularity = base.Modularity
	} else {
		grow := newGrower(g.p, st.s.p.Size, base, keys, adjacent)
		if forest, err = grow.grow(ctx); err != nil {
			return nil, err
		}
		plan.State.Moved = grow.moved()
		if plan.State.Modularity, err = modularity(g.p, forest); err != nil {
			return nil, err
		}
	}
	plan.Base, plan.State.Was = base, base.Modularity
	found, said := base.keys(), st.said()
	key := func(c branch) string {
		if c.base >= 0 {
			return found[c.base]
		}
		return communityKey(c, keys, fresh)
	}
	for _, c := range forest {
		p := plannedCommunity{Level: c.level, Key: key(c)}
		if c.parent >= 0 {
			p.Parent = key(forest[c.parent])
		}
		for _, u := range c.members {
			p.Members = append(p.Members, g.nodes[u].id)
			p.Said = append(p.Said, said[u])
			p.Own = append(p.Own, st.nodes[u][:sumSize]...)
			if g.nodes[u].layer > 0 {
				p.Summaries = append(p.Summaries, g.nodes[u].id)
			}
		}
		p.Edges = st.edgesAt(c.members)
		plan.Communities = append(plan.Communities, p)
	}
	return json.Marshal(plan)
}

// edgesAt returns the beginnings of the digests of the edges at some nodes, ascending.
func (st *communityStage) edgesAt(nodes []uint32) []byte {
	var sums []uint32
	for _, u := range nodes {
		for _, e := range st.graph.at[u] {
			sums = append(sums, binary.BigEndian.Uint32(st.edges[e][:]))
		}
	}
	slices.Sort(sums)
	var out []byte
	for _, sum := range slices.Compact(sums) {
		out = binary.BigEndian.AppendUint32(out, sum)
	}
	return out
}

// adjacency is a digest of a node's edges.
func (st *communityStage) adjacency(u uint32, keys []uint64) uint64 {
	var b []byte
	to, w := st.graph.p.Row(u)
	for i, n := range to {
		b = binary.BigEndian.AppendUint64(b, keys[n])
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(w[i]))
	}
	d := method.Digest(string(b))
	return binary.BigEndian.Uint64(d[:])
}

// communityKey names a community by its members. One that a whole clustering found
// keeps that name while its members change; another that came since has a name that
// none of those can have.
func communityKey(c branch, keys []uint64, found bool) string {
	var b []byte
	for _, u := range c.members {
		b = binary.BigEndian.AppendUint64(b, keys[u])
	}
	if !found {
		b = append(b, "since"...)
	}
	return communityName(c.level, b)
}

func communityName(level int, members []byte) string {
	d := method.Digest(string(members))
	return fmt.Sprintf("%d/%s", level, hex.EncodeToString(d[:12]))
}

// keys returns the names of the communities of a whole clustering.
func (c *clustering) keys() []string {
	level := make([]int, len(c.Parent))
	members := make([][]byte, len(c.Parent))
	for i, parent := range c.Parent {
		if parent >= 0 {
			level[i] = level[parent] + 1
		}
	}
	for i, n := range c.Nodes {
		for d := c.Deepest[i]; d >= 0; d = c.Parent[d] {
			members[d] = binary.BigEndian.AppendUint64(members[d], n)
		}
	}
	out := make([]string, len(c.Parent))
	for i := range out {
		out[i] = communityName(level[i], members[i])
	}
	return out
}

// said returns a digest for each node, of what is said of it and of the edges at it.
func (st *communityStage) said() []uint64 {
	out := make([]uint64, len(st.nodes))
	for u := range out {
		b := append([]byte("report"), st.nodes[u][:]...)
		for _, e := range st.graph.at[u] {
			b = append(b, st.edges[e][:]...)
		}
		d := method.Digest(string(b))
		out[u] = binary.BigEndian.Uint64(d[:])
	}
	return out
}

// readBase returns the last whole clustering, nil if there is none.
func readBase(v engine.Reader) (*clustering, error) {
	c := &clustering{}
	ok, err := encoded.Get(v.Bucket(bucketFit), keyBase, c)
	if !ok {
		return nil, err
	}
	return c, err
}

// communityPlanKey is the key of a community in the bucket of plans.
func communityPlanKey(key string) []byte { return []byte("community/" + key) }

// Apply implements [method.Stage].
func (st *communityStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var plan communityPlan
	if err := json.Unmarshal(result, &plan); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	fits, err := v.MakeBucket(bucketFit)
	if err != nil {
		return err
	}
	if err := encoded.Put(fits, keyBase, plan.Base); err != nil {
		return err
	}
	if err := encoded.Put(fits, keyState, plan.State); err != nil {
		return err
	}
	bucket, err := v.MakeBucket(bucketPlan)
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, c := range plan.Communities {
		wanted[c.Key] = true
	}
	if err := forgetPlans(v, communityPlanKey(""), "community/", communityItem, func(key string) bool { return wanted[key] }); err != nil {
		return err
	}
	if err := bucket.DeletePrefix([]byte("parts/")); err != nil {
		return err
	}
	for _, c := range plan.Communities {
		if c.Parent != "" {
			if err := bucket.Set(append(partsPrefix(c.Parent), c.Key...), nil); err != nil {
				return err
			}
		}
		if err := encoded.Put(bucket, communityPlanKey(c.Key), c); err != nil {
			return err
		}
	}
	return nil
}

// communityPlans returns the communities that there are to be from one level to
// another, in order of level and key.
func communityPlans(v engine.Reader, from, to int) (out []plannedCommunity, err error) {
	for level := from; level <= to; level++ {
		before := len(out)
		for e, err := range v.Bucket(bucketPlan).Prefix(communityPlanKey(strconv.Itoa(level) + "/")) {
			if err != nil {
				return nil, err
			}
			var p plannedCommunity
			if err := json.Unmarshal(e.Value, &p); err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		if len(out) == before {
			break // what is deeper would be a part of something here
		}
	}
	return out, nil
}
