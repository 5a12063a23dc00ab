package noderag

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// matchStage joins elements with the units and attributes of their communities
// that they are like (spec A.2.7): those whose vectors are in the same cluster
// of all vectors, or all if clusters would be small.
type matchStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo
	// elements and others are what Items has read.
	elements, others []rich
}

// kmeansSeed is faiss's.
const kmeansSeed = 1234

// clusters returns the number of clusters for n vectors, ceil(sqrt n), and
// whether there are to be any: their mean size must exceed least.
func clusters(n, least int) (k int, divide bool) {
	k = int(math.Ceil(math.Sqrt(float64(n))))
	return k, k > 0 && float64(n)/float64(k) > float64(least)
}

// rich is an element, unit or attribute with its community.
type rich struct {
	about
	community uint64
}

// rich returns the elements, and the units and attributes, in order of
// community-independent keys.
func (st *matchStage) rich(v *engine.View) (elements, others []rich, err error) {
	all, numbers, err := st.s.communities(v)
	if err != nil {
		return nil, nil, err
	}
	have, err := allElements(v)
	if err != nil {
		return nil, nil, err
	}
	var ids []engine.NodeID
	for _, number := range numbers {
		for _, a := range all[number] {
			others = append(others, rich{a, number})
		}
		for _, id := range have[number] {
			ids = append(ids, id)
			elements = append(elements, rich{about{id: id, kind: schema.Element}, number})
		}
	}
	nodes, err := graph.Read(v, ids)
	if err != nil {
		return nil, nil, err
	}
	for i, n := range nodes {
		elements[i].key = n.Key
	}
	order := func(a, b rich) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.key, b.key)) }
	slices.SortFunc(elements, order)
	slices.SortFunc(others, order)
	return elements, others, nil
}

// Items implements [method.Stage]: one item, pending while the elements and their
// communities are not those that were matched.
func (st *matchStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		elements, others, err := st.rich(s.Graph(st.s.g).WithContext(ctx))
		st.elements, st.others = elements, others
		st.Looked(len(elements)+len(others), 0)
		parts := []string{"match", st.model.Model}
		for _, r := range slices.Concat(elements, others) {
			parts = append(parts, r.kind, r.key, r.of, fmt.Sprint(r.id, r.community))
		}
		yield(method.WorkItem{Key: "all", Digest: method.Digest(parts...)}, err)
	}
}

// Do implements [method.Stage]: the pairs to be joined, of what Items has read.
func (st *matchStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	elements, others := st.elements, st.others
	st.elements, st.others = nil, nil
	labels := make([]uint32, len(elements)+len(others))
	if k, divide := clusters(len(labels), st.s.p.Cluster); divide {
		var err error
		if labels, err = st.cluster(ctx, v, slices.Concat(elements, others), k); err != nil {
			return nil, err
		}
	}
	return json.Marshal(pairsOf(elements, others, labels))
}

// pairsOf returns the pairs of an element and another node that are in one community
// and one cluster. labels are the clusters of the elements, then of the others.
func pairsOf(elements, others []rich, labels []uint32) [][2]engine.NodeID {
	type group struct {
		community uint64
		label     uint32
	}
	byGroup := map[group][]engine.NodeID{}
	for i, r := range others {
		if label := labels[len(elements)+i]; label != graphops.None {
			byGroup[group{r.community, label}] = append(byGroup[group{r.community, label}], r.id)
		}
	}
	pairs := [][2]engine.NodeID{}
	for i, h := range elements {
		for _, id := range byGroup[group{h.community, labels[i]}] {
			pairs = append(pairs, [2]engine.NodeID{h.id, id})
		}
	}
	return pairs
}

// cluster returns the cluster of each node's vector, None if it has none.
func (st *matchStage) cluster(ctx context.Context, v *engine.View, nodes []rich, k int) ([]uint32, error) {
	labels := make([]uint32, len(nodes))
	for i := range labels {
		labels[i] = graphops.None
	}
	vecs, err := v.Vectors(spaceOf(st.model.Model))
	if graph.IsMissing(err) {
		return labels, nil
	}
	if err != nil {
		return nil, err
	}
	ids := make([]engine.NodeID, len(nodes))
	for i, r := range nodes {
		ids[i] = r.id
	}
	data, has, err := graph.Vectors(ctx, vecs, ids, st.model.Dim)
	if err != nil {
		return nil, err
	}
	m := graphops.Matrix{Dim: st.model.Dim, Data: data}
	var at []int
	for i, ok := range has {
		if ok {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return labels, nil
	}
	r, err := graphops.KMeans(ctx, m, graphops.KMeansOptions{K: k, MaxIterations: 25, SamplePerCluster: 256, Seed: kmeansSeed})
	if err != nil {
		return nil, err
	}
	for row, i := range at {
		labels[i] = r.Partition.Of[row]
	}
	return labels, nil
}

// Apply implements [method.Stage].
func (st *matchStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var pairs [][2]engine.NodeID
	if err := json.Unmarshal(result, &pairs); err != nil {
		return err
	}
	return replaceEdges(tx.Graph(st.s.g), schema.Covers, pairs)
}

// replaceEdges makes the pairs the edges of an undirected type, with weight 1,
// in place of those that there were.
func replaceEdges(v *engine.TxView, edgeType string, pairs [][2]engine.NodeID) error {
	t, err := v.MakeEdgeType(edgeType, false)
	if err != nil {
		return err
	}
	want := make(map[[2]engine.NodeID]bool, len(pairs))
	for _, p := range pairs {
		want[[2]engine.NodeID{min(p[0], p[1]), max(p[0], p[1])}] = true
	}
	var gone [][2]engine.NodeID
	for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{t}}) {
		if err != nil {
			return err
		}
		p := [2]engine.NodeID{min(e.From, e.To), max(e.From, e.To)}
		if !want[p] {
			gone = append(gone, p)
		}
		delete(want, p)
	}
	for _, p := range gone {
		if err := v.RemoveEdge(engine.Edge{From: p[0], To: p[1], Type: t}); err != nil {
			return err
		}
	}
	fresh := make([][2]engine.NodeID, 0, len(want))
	for p := range want {
		fresh = append(fresh, p)
	}
	slices.SortFunc(fresh, func(a, b [2]engine.NodeID) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for _, p := range fresh {
		if err := v.AddEdge(p[0], p[1], t, 1); err != nil {
			return err
		}
	}
	return nil
}
