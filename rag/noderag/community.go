package noderag

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// communityStage divides S, N, R and A into communities by Leiden, modularity,
// one level, without weights (spec A.2.7). Nodes without edges are in none.
//
// If there are communities already they stay: a node that is new, or whose
// edges have changed, goes to the neighbouring community by which modularity
// gains most, or has one of its own; and a community that has outgrown all
// that there were after the last whole clustering by half is clustered for
// itself.
type communityStage struct {
	graph.Stage
	s *system
	// listed is what Items has read.
	listed *content
}

const (
	keyMember = 'n'
	keyState  = 's'
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

// readG2 reads S, N, R and A.
func (s *system) readG2(ctx context.Context, v *engine.View) (*content, error) {
	return s.read(ctx, v, []string{schema.Unit, schema.Entity, schema.Relationship, schema.Attribute},
		[]string{schema.Mentions, schema.Relates, schema.States, schema.Describes})
}

// Items implements [method.Stage]: one item, pending while the graph is not the
// one that was divided, or all is to be divided again.
func (st *communityStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		g, err := st.s.readG2(ctx, s.Graph(st.s.g).WithContext(ctx))
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		st.listed = g
		st.Looked(len(g.nodes), len(g.edges))
		// An attribute that was made again is another node.
		var ids []byte
		for _, n := range g.nodes {
			ids = binary.AppendUvarint(ids, uint64(n.id))
		}
		parts := []string{"communities", g.hex(), string(ids)}
		if st.s.whole {
			parts = append(parts, fmt.Sprint(s.Epoch()))
		}
		digest := method.Digest(parts...)
		yield(method.WorkItem{Key: "all", Digest: digest}, nil)
	}
}

// members returns the stored communities of nodes, by node.
func members(v engine.Reader) (map[engine.NodeID]member, error) {
	out := map[engine.NodeID]member{}
	for e, err := range v.Bucket(schema.BucketCommunities).Prefix([]byte{keyMember}) {
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
	ok, err = encoded.Get(v.Bucket(schema.BucketCommunities), []byte{keyState}, &state)
	return state, ok, err
}

// Do implements [method.Stage]: it divides what Items has read.
func (st *communityStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	g := st.listed
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
	if ok && !st.s.whole && len(old) > 0 {
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

// Apply implements [method.Stage].
func (st *communityStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var c clustered
	if err := json.Unmarshal(result, &c); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	b, err := v.MakeBucket(schema.BucketCommunities)
	if err != nil {
		return err
	}
	for _, id := range c.Gone {
		if err := b.Delete(schema.MemberKey(id)); err != nil {
			return err
		}
	}
	for _, m := range c.Set {
		value := binary.BigEndian.AppendUint64(nil, m.Community)
		value = binary.BigEndian.AppendUint32(value, m.Degree)
		if err := b.Set(schema.MemberKey(m.Node), value); err != nil {
			return err
		}
	}
	if err := encoded.Put(b, []byte{keyState}, c.State); err != nil {
		return err
	}
	for _, number := range c.Ended {
		if err := st.s.dropElements(v, number); err != nil {
			return err
		}
		if err := method.ForgetJobs(v, communityItem(number)); err != nil {
			return err
		}
	}
	return nil
}
