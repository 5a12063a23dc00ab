package noderag

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// nearStage stores which of T, S, A and H are near: they are linked on the lowest
// level of the vectors' graph (spec A.2.9), and each is among the other's nearest
// Params.Neighbours. Without that bound each link is an edge of weight 1, which makes
// an edge that was there before 1 heavier. An item is the edges of some nodes to those
// of greater id: all would be too many for a transaction.
type nearStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo
	// pages are the nodes of the items that Items has yielded.
	pages map[string][]engine.NodeID

	mu    sync.Mutex
	links map[engine.NodeID][]nearLink // to those of greater id; nil until read
}

// nearPage is how many ids the nodes of an item are of: with 32 links each their
// edges are 7 MB.
const nearPage = 1 << 11

// Items implements [method.Stage]: all are pending while the vectors are not those
// that were linked.
func (st *nearStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		// The text of a node never changes, but the node does.
		parts := []string{"near", st.model.Model}
		if st.s.p.Neighbours > 0 {
			parts = append(parts, "mutual", fmt.Sprint(st.s.p.NearWeight))
		}
		var ids []engine.NodeID
		for _, name := range []string{schema.Text, schema.Unit, schema.Attribute, schema.Element} {
			for id, err := range graph.Nodes(v, name) {
				if err != nil {
					yield(method.WorkItem{}, err)
					return
				}
				ids = append(ids, id)
				parts = append(parts, name, fmt.Sprint(id))
			}
		}
		slices.Sort(ids)
		st.Looked(len(ids), 0)
		digest := method.Digest(parts...)
		st.pages, st.links = map[string][]engine.NodeID{}, nil
		var items []method.WorkItem
		for _, id := range ids {
			key := fmt.Sprint("from ", id/nearPage*nearPage)
			if st.pages[key] == nil {
				items = append(items, method.WorkItem{Key: key, Digest: digest})
			}
			st.pages[key] = append(st.pages[key], id)
		}
		for _, w := range items {
			if !yield(w, nil) {
				return
			}
		}
	}
}

// linked is a node and those of greater id that it is near to.
type linked struct {
	ID engine.NodeID `json:"id"`
	To []nearLink    `json:"to,omitempty"`
}

// nearLink is an edge to a node.
type nearLink struct {
	To     engine.NodeID `json:"to"`
	Weight float32       `json:"w"`
}

// Do implements [method.Stage].
func (st *nearStage) Do(ctx context.Context, _ *engine.Snapshot, _ *method.Models, w method.WorkItem) ([]byte, error) {
	links, err := st.read(ctx)
	if err != nil {
		return nil, err
	}
	out := []linked{}
	for _, id := range st.pages[w.Key] {
		out = append(out, linked{id, links[id]})
	}
	return json.Marshal(out)
}

// read settles the vectors' graph and makes the near edges of its links, once.
func (st *nearStage) read(ctx context.Context) (map[engine.NodeID][]nearLink, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.links != nil {
		return st.links, nil
	}
	links := map[engine.NodeID][]nearLink{}
	db, space := st.s.c.DB(), spaceOf(st.model.Model)
	err := db.SettleSpace(ctx, st.s.g, space)
	if graph.IsMissing(err) {
		st.links = links
		return links, nil
	}
	if err != nil {
		return nil, err
	}
	err = db.View(ctx, func(now *engine.Snapshot) error {
		vecs, err := now.Graph(st.s.g).WithContext(ctx).Vectors(space)
		if err != nil {
			return err
		}
		if st.s.p.Neighbours > 0 {
			all, err := cosines(ctx, vecs, keptVectors)
			if err != nil {
				return err
			}
			for _, e := range mutual(all, st.s.p.Neighbours, st.s.p.NearWeight) {
				links[e.a] = append(links[e.a], nearLink{e.b, float32(e.cosine)})
			}
			return nil
		}
		for link, err := range vecs.Links(ctx) {
			if err != nil {
				return err
			}
			from := engine.NodeID(link.A) // the smaller
			links[from] = append(links[from], nearLink{engine.NodeID(link.B), 1})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	st.links = links
	return links, nil
}

// Apply implements [method.Stage].
func (st *nearStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var nodes []linked
	if err := json.Unmarshal(result, &nodes); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	t, err := v.MakeEdgeType(schema.Near, false)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := relink(v, t, n); err != nil {
			return err
		}
	}
	return nil
}

// relink makes the edges of a type from a node to those of greater id the ones
// that are wanted.
func relink(v *engine.TxView, t engine.EdgeType, n linked) error {
	want := map[engine.NodeID]bool{}
	for _, l := range n.To {
		want[l.To] = true
	}
	have, err := v.NeighborSet(n.ID, engine.EdgeFilter{Types: []engine.EdgeType{t}, Direction: engine.Both})
	if err != nil {
		return err
	}
	for _, id := range graph.IDs(have) {
		if id > n.ID && !want[id] { // those of lesser id are the other's
			if err := v.RemoveEdge(engine.Edge{From: n.ID, To: id, Type: t}); err != nil {
				return err
			}
		}
	}
	for _, l := range n.To {
		weight, ok, err := v.HasEdge(n.ID, l.To, t)
		if err != nil {
			return err
		}
		if ok && weight == l.Weight {
			continue
		}
		if err := v.AddEdge(n.ID, l.To, t, l.Weight); err != nil {
			return err
		}
	}
	return nil
}
