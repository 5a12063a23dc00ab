package baseline

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// clusterStage finds the clusters of a layer: its one item is pending while the
// layer's nodes are not those that were clustered. The summaries above that are
// of no cluster any more go.
type clusterStage struct {
	graph.Stage
	s     *raptor
	layer int
	model llm.SpaceInfo
}

// treeNode is a node of a layer.
type treeNode struct {
	id     engine.NodeID
	key    string
	tokens int
}

// nodes returns the nodes of a layer in order of key, so that clusters do not
// depend on the order in which documents came.
func (s *raptor) nodes(v engine.Reader, layer int) ([]treeNode, error) {
	typ := method.ChunkNodeType
	if layer > 0 {
		typ = typeSummary
	}
	var out []treeNode
	for id, err := range graph.Nodes(v, typ) {
		if err != nil {
			return nil, err
		}
		n, err := v.Node(id)
		if err != nil {
			return nil, err
		}
		if int(n.Prop(propLayer).AsInt()) == layer {
			out = append(out, treeNode{id, n.Key, int(n.Prop(propTokens).AsInt())})
		}
	}
	slices.SortFunc(out, func(a, b treeNode) int { return strings.Compare(a.key, b.key) })
	return out, nil
}

// Items implements [method.Stage].
func (st *clusterStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		nodes, err := st.s.nodes(s.Graph(st.s.g).WithContext(ctx), st.layer)
		parts := []string{st.Name(), st.model.Model}
		for _, n := range nodes {
			parts = append(parts, n.key, fmt.Sprint(n.id))
		}
		yield(method.WorkItem{Key: st.Name(), Digest: method.Digest(parts...)}, err)
	}
}

// cluster is what is to be summed up.
type cluster struct {
	Key     string          `json:"key"`
	Members []engine.NodeID `json:"members"`
}

// Do implements [method.Stage]: the clusters, none if the layer is the top: of
// no more nodes than vectors have dimensions once they are reduced, and one.
func (st *clusterStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	nodes, err := st.s.nodes(v, st.layer)
	if err != nil {
		return nil, err
	}
	nodes, m, err := st.vectors(ctx, v, nodes)
	if err != nil || len(nodes) <= st.s.dim+1 {
		return []byte("[]"), err
	}
	st.Looked(len(nodes), 0)
	groups, err := st.divide(ctx, nodes, m, 0)
	if err != nil {
		return nil, err
	}
	return json.Marshal(st.named(groups))
}

// vectors returns the nodes that have a vector, and those.
func (st *clusterStage) vectors(ctx context.Context, v *engine.View, nodes []treeNode) ([]treeNode, graphops.Matrix, error) {
	m := graphops.Matrix{Dim: st.model.Dim}
	vecs, err := v.Vectors(spaceOf(spaceTree, st.model.Model))
	if graph.IsMissing(err) {
		return nil, m, nil
	}
	if err != nil {
		return nil, m, err
	}
	ids := make([]engine.NodeID, len(nodes))
	for i, n := range nodes {
		ids[i] = n.id
	}
	data, has, err := graph.Vectors(ctx, vecs, ids, m.Dim)
	if err != nil {
		return nil, m, err
	}
	m.Data = data
	var out []treeNode
	for i, n := range nodes {
		if has[i] {
			out = append(out, n)
		}
	}
	return out, m, nil
}

// maxDivisions bounds how often a cluster that is too long for a summary is
// divided.
const maxDivisions = 8

// divide clusters nodes as a whole, then each cluster on its own, and again
// those that are longer than a summary is made of. Such a cluster has two parts
// at least, and what cannot be divided is cut.
func (st *clusterStage) divide(ctx context.Context, nodes []treeNode, m graphops.Matrix, depth int) (out [][]treeNode, err error) {
	whole, err := st.soft(ctx, m, 1+min(depth, 1))
	if err != nil {
		return nil, err
	}
	for _, of := range whole {
		part, vectors := pick(nodes, m, of)
		local, err := st.soft(ctx, vectors, 1)
		if err != nil {
			return nil, err
		}
		for _, at := range local {
			members, vectors := pick(part, vectors, at)
			switch {
			case tokensOf(members) <= st.s.cluster || len(members) == 1:
				out = append(out, members)
			case depth == maxDivisions || depth > 0 && len(members) == len(nodes):
				out = append(out, st.s.cut(members)...)
			default:
				finer, err := st.divide(ctx, members, vectors, depth+1)
				if err != nil {
					return nil, err
				}
				out = append(out, finer...)
			}
		}
	}
	return out, nil
}

func tokensOf(nodes []treeNode) (n int) {
	for _, x := range nodes {
		n += x.tokens
	}
	return n
}

// cut divides nodes in their order into runs that a summary can be made of.
func (s *raptor) cut(nodes []treeNode) [][]treeNode {
	var out [][]treeNode
	tokens := 0
	for _, n := range nodes {
		if len(out) == 0 || tokens+n.tokens > s.cluster {
			out, tokens = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], n)
		tokens += n.tokens
	}
	return out
}

func pick(nodes []treeNode, m graphops.Matrix, at []uint32) ([]treeNode, graphops.Matrix) {
	part, vectors := make([]treeNode, len(at)), graphops.Matrix{Dim: m.Dim}
	for i, u := range at {
		part[i] = nodes[u]
		vectors.Data = append(vectors.Data, m.Row(int(u))...)
	}
	return part, vectors
}

// Of the mixtures: the least probability with which a vector belongs to a
// component, the most components, or one for each manyVectors of more than
// many, and the seed, which is RAPTOR's.
const (
	leastPart     = 0.1
	maxComponents = 49
	manyVectors   = 5000
	perComponent  = 100
	mixtureSeed   = 224
)

// soft returns the soft clusters of vectors: those of a mixture of Gaussians on
// their principal components, its number of components, least or more, by BIC.
// Few vectors are one cluster.
func (st *clusterStage) soft(ctx context.Context, m graphops.Matrix, least int) ([][]uint32, error) {
	n := m.Len()
	if n <= st.s.dim+1 {
		all := make([]uint32, n)
		for i := range all {
			all[i] = uint32(i)
		}
		return [][]uint32{all}, nil
	}
	low, err := graphops.Reduce(ctx, m, graphops.ReduceOptions{Dim: st.s.dim, Seed: mixtureSeed})
	if err != nil {
		return nil, err
	}
	o := graphops.GMMOptions{KMin: least, KMax: min(maxComponents, n-1), Seed: mixtureSeed}
	if n > manyVectors {
		o.K, o.KMin, o.KMax = n/perComponent, 0, 0
	}
	mixture, err := graphops.GMM(ctx, low, o)
	if err != nil {
		return nil, err
	}
	members, err := mixture.Members(ctx, low, leastPart)
	if err != nil {
		return nil, err
	}
	off, of := members.Members()
	var out [][]uint32
	for c := range members.Count {
		if off[c] < off[c+1] {
			out = append(out, of[off[c]:off[c+1]])
		}
	}
	return out, nil
}

// named gives clusters their keys, and leaves out those that are met again.
func (st *clusterStage) named(groups [][]treeNode) []cluster {
	out := []cluster{}
	seen := map[string]bool{}
	for _, members := range groups {
		slices.SortFunc(members, func(a, b treeNode) int { return strings.Compare(a.key, b.key) })
		c := cluster{}
		keys := []string{"cluster"}
		for _, n := range members {
			keys, c.Members = append(keys, n.key), append(c.Members, n.id)
		}
		d := method.Digest(keys...)
		c.Key = fmt.Sprintf("%d/%s", st.layer+1, hex.EncodeToString(d[:12]))
		if len(members) > 0 && !seen[c.Key] {
			seen[c.Key] = true
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b cluster) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Apply implements [method.Stage].
func (st *clusterStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var all []cluster
	if err := json.Unmarshal(result, &all); err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, c := range all {
		keep[c.Key] = true
	}
	v := tx.Graph(st.s.g)
	above, err := st.s.nodes(v, st.layer+1)
	if err != nil {
		return err
	}
	for _, n := range above {
		if keep[n.key] {
			continue
		}
		if err := st.s.drop(tx, n.id); err != nil {
			return err
		}
	}
	b, err := v.MakeBucket(bucketClusters)
	if err != nil {
		return err
	}
	return b.Set([]byte{byte(st.layer)}, result)
}

// readClusters reads the clusters of a layer.
func readClusters(v engine.Reader, layer int) ([]cluster, error) {
	raw, err := v.Bucket(bucketClusters).Get([]byte{byte(layer)}, nil)
	if graph.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []cluster
	return out, json.Unmarshal(raw, &out)
}
