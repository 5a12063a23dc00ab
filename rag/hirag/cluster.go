package hirag

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// metaTypes are the kinds of summaries (spec B.2.6c).
func metaTypes() []string {
	return []string{"organization", "person", "location", "event", "product", "technology", "industry", "mathematics", "social sciences"}
}

// summaryStage sums up the clusters of a layer by entities of the next (spec
// B.2.6c; paper Alg. 1 lines 10 to 18). A cluster of one node has no summary:
// the node passes to the next layer. Clusters that are not wanted any more go.
type summaryStage struct {
	graph.Stage
	s     *system
	layer int
	// listed are the clusters that Items has yielded.
	listed map[string]planned
	// read is what the model is to read of each, or has read if the summaries of
	// the cluster are kept, by work item.
	read map[string]material
	kept map[string]bool
	// stale are the clusters that are to go, by work item.
	stale map[string]engine.NodeID
}

// clusterLayer returns the layer in a cluster's key.
func clusterLayer(key string) int {
	n, _, _ := strings.Cut(key, "/")
	layer, _ := strconv.Atoi(n)
	return layer
}

// Items implements [method.Stage].
func (st *summaryStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		items, err := st.items(s.Graph(st.s.g).WithContext(ctx), s.Epoch())
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		for _, w := range items {
			if !yield(w, nil) {
				return
			}
		}
	}
}

func (st *summaryStage) items(v *engine.View, epoch uint64) (items []method.WorkItem, err error) {
	st.listed, st.stale = map[string]planned{}, map[string]engine.NodeID{}
	st.read, st.kept = map[string]material{}, map[string]bool{}
	entities := map[engine.NodeID]bool{}
	if all, err := st.s.layerNodes(v, 0); err != nil {
		return nil, err
	} else {
		for _, n := range all {
			entities[n.id] = true
		}
	}
	for p, err := range st.s.plans(v, st.layer) {
		if err != nil {
			return nil, err
		}
		said, err := describeEach(v, p.ids())
		if graph.IsMissing(err) { // a document has left, and the layer's stage has not run since
			items = append(items, method.WorkItem{Key: clusterItem(p.Key), Digest: method.Digest("missing", p.Key)})
			st.listed[clusterItem(p.Key)] = p
			continue
		}
		if err != nil {
			return nil, err
		}
		now := material{}
		parts := []string{"cluster", p.Key}
		for i, m := range p.Members {
			d := said[i]
			now.add(uint64(m.ID), method.Digest(d.name, d.kind, d.text), !entities[m.ID])
			parts = append(parts, strconv.FormatUint(uint64(math.Float32bits(m.Weight)), 36), strconv.FormatUint(uint64(m.ID), 36))
		}
		was, kept, err := st.keeps(v, p, now)
		if err != nil {
			return nil, err
		}
		if kept {
			now = was
		}
		w := method.WorkItem{Key: clusterItem(p.Key), Digest: method.Digest(append(parts, now.digest())...)}
		st.read[w.Key], st.kept[w.Key] = now, kept
		st.listed[w.Key] = p
		items = append(items, w)
	}
	have, err := nodesOf(v, typeCluster)
	if err != nil {
		return nil, err
	}
	for _, n := range have {
		if _, ok := st.listed[clusterItem(n.key)]; ok || clusterLayer(n.key) != st.layer {
			continue
		}
		// The epoch makes each run's items its own.
		w := method.WorkItem{Key: fmt.Sprintf("stale:%d", len(st.stale)), Digest: method.Digest("stale", n.key, fmt.Sprint(epoch))}
		st.stale[w.Key] = n.id
		items = append(items, w)
	}
	return items, nil
}

// keeps reports whether the summaries of a cluster stay: it has them, no member went
// to another cluster, and of what they were made of, which it returns, at most the
// part Lag has changed.
func (st *summaryStage) keeps(v *engine.View, p planned, now material) (was material, kept bool, err error) {
	ok, err := encoded.Get(v.Bucket(bucketPlan), readKey(clusterItem(p.Key)), &was)
	if !ok || err != nil || st.s.whole || was.changed(now) > st.s.p.Lag {
		return was, false, err
	}
	typ, ok := v.NodeType(typeCluster)
	if !ok {
		return was, false, nil
	}
	id, err := v.Lookup(typ, p.Key)
	if graph.IsMissing(err) {
		return was, false, nil
	}
	if err != nil {
		return was, false, err
	}
	lost, err := lostMembers(v, id, edgeMember, p.ids())
	return was, !lost, err
}

// summed is what a cluster came to.
type summed struct {
	planned
	Stale engine.NodeID `json:"stale,omitempty"`
	// Kept says that the summaries stay, Read is what they are made of.
	Kept bool     `json:"kept,omitempty"`
	Read material `json:"read"`
	// Keys are the members' names, as the model read them, by place.
	Keys []string `json:"keys"`
	llm.Extraction
}

// Do implements [method.Stage].
func (st *summaryStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	if id, ok := st.stale[w.Key]; ok {
		return json.Marshal(summed{Stale: id})
	}
	v := s.Graph(st.s.g).WithContext(ctx)
	out := summed{planned: st.listed[w.Key], Kept: st.kept[w.Key], Read: st.read[w.Key]}
	if len(out.Members) < 2 || out.Kept {
		return json.Marshal(out)
	}
	members, err := describeEach(v, out.ids())
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(members))
	for i, d := range members {
		out.Keys = append(out.Keys, text.Key(d.name))
		texts[i] = d.name + ": " + d.text
	}
	in := llm.SummaryEntitiesInput{Types: metaTypes()}
	var targets []engine.Target
	for i, d := range members[:max(1, st.s.fitting(texts, clusterTokens))] {
		in.Entities = append(in.Entities, llm.Entity{Name: d.name, Type: d.kind, Description: d.text})
		targets = append(targets, engine.NodeTarget(out.Members[i].ID))
	}
	docs, err := graph.DocsFor(m, v, targets...)
	if err != nil {
		return nil, err
	}
	if err := m.DoJSON(ctx, st.s.Item(w), docs, llm.Task{Kind: llm.SummaryEntities, Input: in}, &out.Extraction); err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// Apply implements [method.Stage].
func (st *summaryStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var c summed
	if err := json.Unmarshal(result, &c); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	if c.Stale != 0 {
		n, err := v.Node(c.Stale)
		if err == nil {
			err = leave(v, n.Key)
		}
		if err == nil {
			err = forgetRead(v, clusterItem(n.Key))
		}
		if err != nil {
			return err
		}
		return dropCluster(v, c.Stale)
	}
	id, err := st.cluster(v, c)
	if err != nil || c.Kept {
		return err
	}
	if err := setRead(v, clusterItem(c.Key), c.Read); err != nil {
		return err
	}
	if len(c.Members) < 2 {
		return nil
	}
	return st.summaries(v, id, c)
}

// dropCluster removes a cluster with the summaries that are of it.
func dropCluster(v *engine.TxView, id engine.NodeID) error {
	gone, err := v.DeleteNode(id)
	if err != nil {
		return err
	}
	return forgetNodes(v, gone)
}

// forgetNodes removes the marks of nodes that are gone.
func forgetNodes(v *engine.TxView, gone engine.Removed) error {
	for _, id := range gone.Nodes {
		if err := method.ForgetJobs(v, graph.NodeItem(id)); err != nil {
			return err
		}
	}
	return nil
}

// cluster makes the node of a cluster, or brings its members up to date. Each
// member is a source of it. What it was summed up by before goes, but if it is
// kept.
func (st *summaryStage) cluster(v *engine.TxView, c summed) (engine.NodeID, error) {
	typ, err := v.MakeNodeType(typeCluster)
	if err != nil {
		return 0, err
	}
	edge, err := v.MakeEdgeType(edgeMember, true)
	if err != nil {
		return 0, err
	}
	old, err := v.Lookup(typ, c.Key)
	if err == nil && !c.Kept {
		err = st.empty(v, old, c)
	}
	if err != nil && !graph.IsMissing(err) {
		return 0, err
	}
	id, _, err := v.DeriveNode(typ, c.Key)
	if err != nil {
		return 0, err
	}
	for _, m := range c.Members {
		if err := v.Contribute(m.ID, engine.EdgeTarget(m.ID, id, edge), engine.Contribution{Weight: m.Weight, Count: 1}); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// empty takes the summaries of a cluster back, and the cluster itself if it
// has lost a member, which would remain a source of it.
func (st *summaryStage) empty(v *engine.TxView, id engine.NodeID, c summed) error {
	lost, err := lostMembers(v, id, edgeMember, c.ids())
	if err != nil {
		return err
	}
	if lost {
		if err := leave(v, c.Key); err != nil {
			return err
		}
		return dropCluster(v, id)
	}
	gone, err := v.Withdraw(id)
	if err != nil {
		return err
	}
	return forgetNodes(v, gone)
}

// summaries makes the summaries of a cluster, and the relations of its members
// to them. There are none among the summaries (spec B.7 no. 12).
func (st *summaryStage) summaries(v *engine.TxView, cluster engine.NodeID, c summed) error {
	typ, err := v.MakeNodeType(typeSummary)
	if err != nil {
		return err
	}
	relation, err := v.MakeEdgeType(edgeRelation, false)
	if err != nil {
		return err
	}
	kindType, err := v.MakeNodeType(typeKind)
	if err != nil {
		return err
	}
	is, err := v.MakeEdgeType(edgeIs, true)
	if err != nil {
		return err
	}
	made := map[string]engine.NodeID{}
	for _, e := range c.Entities {
		key := text.Key(e.Name)
		if _, ok := made[key]; ok || key == "" {
			continue // the first record of a name counts
		}
		id, _, err := v.DeriveNode(typ, c.Key+"/"+key)
		if err != nil {
			return err
		}
		made[key] = id
		said := engine.Contribution{Count: 1, Label: e.Name}
		if e.Description != "" {
			said.Texts = []string{e.Description}
		}
		if err := v.Contribute(cluster, engine.NodeTarget(id), said); err != nil {
			return err
		}
		if err := v.SetProps(id, engine.Props{propLayer: engine.Int(int64(st.layer + 1))}); err != nil {
			return err
		}
		if kind := text.Key(e.Type); kind != "" {
			k, _, err := v.DeriveNode(kindType, kind)
			if err != nil {
				return err
			}
			if err := v.Contribute(cluster, engine.EdgeTarget(id, k, is), engine.Contribution{Weight: 1, Count: 1}); err != nil {
				return err
			}
		}
	}
	members := map[string]engine.NodeID{}
	for i, key := range c.Keys {
		if _, ok := members[key]; !ok {
			members[key] = c.Members[i].ID
		}
	}
	type pair struct{ member, summary engine.NodeID }
	weight, texts := map[pair]float64{}, map[pair]string{}
	var order []pair
	for _, r := range c.Relations {
		from, to := text.Key(r.Source), text.Key(r.Target)
		if made[to] == 0 {
			from, to = to, from
		}
		p := pair{members[from], made[to]}
		if p.member == 0 || p.summary == 0 {
			continue
		}
		if weight[p] == 0 {
			order, texts[p] = append(order, p), r.Description
		}
		weight[p] += cmp.Or(max(0, r.Strength), 1)
	}
	for _, p := range order {
		if err := v.AddEdge(p.member, p.summary, relation, float32(weight[p])); err != nil {
			return err
		}
		props := engine.Props{propDescription: engine.String(texts[p])}
		if err := v.SetEdgeProps(engine.Edge{From: p.member, To: p.summary, Type: relation}, props); err != nil {
			return err
		}
	}
	return nil
}
