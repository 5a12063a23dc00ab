package hirag

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// layerStage clusters the nodes of a layer (spec B.2.6a and b; paper Alg. 1
// lines 5 to 9). Its one item is pending while the nodes or their vectors are
// not those that it was done for. It writes which clusters there are to be;
// the next stage makes them.
type layerStage struct {
	graph.Stage
	s     *system
	layer int
	model llm.SpaceInfo

	// What Items has read.
	nodes  []node
	matrix graphops.Matrix
}

func layerItem(layer int) string { return "layer:" + strconv.Itoa(layer) }

// planKey is the key of a cluster in the bucket of plans, and its prefix.
func planKey(layer int) []byte { return []byte("cluster/" + strconv.Itoa(layer) + "/") }

// fitKey is the key of a layer in the bucket of fits.
func fitKey(layer int) []byte { return []byte(layerItem(layer)) }

// Items implements [method.Stage].
func (st *layerStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		err := st.read(ctx, v)
		if err == nil && len(st.nodes) == 0 && st.layer > 0 {
			// Nothing to cluster, and nothing that was: the usual case above
			// the last layer.
			empty, eerr := st.s.planEmpty(v, st.layer)
			if empty {
				return
			}
			err = eerr
		}
		st.Looked(len(st.nodes), 0)
		yield(st.s.global(layerItem(st.layer), st.digest(), s.Epoch()), err)
	}
}

// global returns the work item of a step that concerns everything. One that is
// to be done again has a name of its own, and each run's is another.
func (s *system) global(key string, digest [32]byte, epoch uint64) method.WorkItem {
	if s.whole {
		return method.WorkItem{Key: key + " anew", Digest: method.Digest(string(digest[:]), strconv.FormatUint(epoch, 10))}
	}
	return method.WorkItem{Key: key, Digest: digest}
}

// planEmpty reports whether there is no plan for a layer.
func (s *system) planEmpty(v engine.Reader, layer int) (bool, error) {
	for _, err := range v.Bucket(bucketPlan).Prefix(planKey(layer)) {
		return false, err
	}
	return true, nil
}

// read reads the layer's nodes that have vectors, in their order: the entities,
// or the summaries of the layer and what passed through the one below, being
// alone in its cluster.
func (st *layerStage) read(ctx context.Context, v *engine.View) error {
	nodes, err := st.s.layerNodes(v, st.layer)
	if err != nil {
		return err
	}
	if st.layer > 0 {
		passed, err := st.s.passed(v, st.layer-1)
		if err != nil {
			return err
		}
		nodes = append(nodes, passed...)
		slices.SortFunc(nodes, less)
		nodes = slices.CompactFunc(nodes, func(a, b node) bool { return a.id == b.id })
	}
	st.nodes, st.matrix = nil, graphops.Matrix{Dim: st.model.Dim}
	vecs, err := v.Vectors(spaceOf(st.model.Model))
	if graph.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	ids := make([]engine.NodeID, len(nodes))
	for i, n := range nodes {
		ids[i] = n.id
	}
	data, has, err := graph.Vectors(ctx, vecs, ids, st.model.Dim)
	if err != nil {
		return err
	}
	st.matrix.Data = data
	for i, n := range nodes {
		if has[i] {
			st.nodes = append(st.nodes, n)
		}
	}
	return nil
}

// passed returns the nodes that are alone in a cluster of a layer.
func (s *system) passed(v engine.Reader, layer int) ([]node, error) {
	var out []node
	for c, err := range s.plans(v, layer) {
		if err != nil {
			return nil, err
		}
		if len(c.Members) != 1 {
			continue
		}
		n, err := v.Node(c.Members[0].ID)
		if graph.IsMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, node{n.ID, n.Key, int(n.Prop(propLayer).AsInt())})
	}
	return out, nil
}

// digest tells the nodes with their vectors from others.
func (st *layerStage) digest() (out [32]byte) {
	h := sha256.New()
	fmt.Fprintf(h, "layer %d %s %d\n", st.layer, st.model.Model, len(st.nodes))
	var buf []byte
	for i, n := range st.nodes {
		buf = binary.BigEndian.AppendUint64(buf[:0], uint64(n.id))
		h.Write(append(encoded.AppendVector(buf, st.matrix.Row(i)), n.key...))
	}
	h.Sum(out[:0])
	return out
}

// planned is a cluster that there is to be.
type planned struct {
	Key     string   `json:"key"` // layer/component.part
	Members []member `json:"members"`
}

// ids returns the members' nodes.
func (p *planned) ids() []engine.NodeID {
	out := make([]engine.NodeID, len(p.Members))
	for i, m := range p.Members {
		out[i] = m.ID
	}
	return out
}

// member is a node of a cluster; Weight is the part of it that belongs there.
type member struct {
	ID     engine.NodeID `json:"id"`
	Weight float32       `json:"w"`
}

// layerPlan is what a layer stage comes to.
type layerPlan struct {
	Fit      *fit      `json:"fit"`
	Clusters []planned `json:"clusters"`
}

// readFit returns the fit of a layer, nil if there is none.
func readFit(v engine.Reader, layer int) (*fit, error) {
	f := &fit{}
	ok, err := encoded.Get(v.Bucket(bucketFit), fitKey(layer), f)
	if !ok {
		return nil, err
	}
	return f, err
}

// Do implements [method.Stage].
func (st *layerStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	plan := layerPlan{}
	if len(st.nodes) == 0 && st.layer > 0 {
		return json.Marshal(plan)
	}
	f, err := readFit(v, st.layer)
	if err != nil {
		return nil, err
	}
	hashes := make([]uint64, len(st.nodes))
	for i, n := range st.nodes {
		hashes[i] = keyHash(n)
	}
	keys := slices.Sorted(slices.Values(hashes))
	if st.s.whole || !f.fits(st.model.Model, len(st.nodes)) {
		if f, err = st.find(ctx, v, hashes); err != nil {
			return nil, err
		}
	}
	f.used(keys)
	if plan.Fit = f; f.Stopped {
		return json.Marshal(plan)
	}
	parts, err := st.parts(ctx, f, hashes)
	if err != nil {
		return nil, err
	}
	for i, some := range parts {
		for k, part := range some {
			if len(part.nodes) == 0 {
				continue
			}
			p := planned{Key: fmt.Sprintf("%d/%d.%d", st.layer, i, k)}
			for j, n := range part.nodes {
				p.Members = append(p.Members, member{st.nodes[n].id, float32(part.weight[j])})
			}
			plan.Clusters = append(plan.Clusters, p)
		}
	}
	return json.Marshal(plan)
}

// parts returns the clusters of the layer's nodes by a fit, each in the parts
// that it is divided into.
func (st *layerStage) parts(ctx context.Context, f *fit, hashes []uint64) (out [][]soft, err error) {
	if f.Mixture == nil {
		hard, err := f.place(ctx, st.matrix, hashes, st.s.p.Members)
		if err != nil {
			return nil, err
		}
		for _, c := range hard {
			var parts []soft
			for _, nodes := range c {
				weight := make([]float64, len(nodes))
				for i := range weight {
					weight[i] = 1
				}
				parts = append(parts, soft{nodes, weight})
			}
			out = append(out, parts)
		}
		return out, nil
	}
	reduced := f.reduce(st.matrix)
	whole, err := f.components(ctx, reduced)
	if err != nil {
		return nil, err
	}
	for i, c := range whole {
		out = append(out, f.split(i, c, reduced))
	}
	return out, nil
}

// find finds the layer's fit.
func (st *layerStage) find(ctx context.Context, v *engine.View, hashes []uint64) (*fit, error) {
	before := firstSparsity
	if st.layer > 0 {
		below, err := readFit(v, st.layer-1)
		if err != nil {
			return nil, err
		}
		if below != nil {
			before = below.Sparsity
		}
	}
	if st.s.p.Cluster == "split" {
		return st.s.findSplit(ctx, st.model.Model, st.matrix, hashes, before)
	}
	return st.s.findFit(ctx, st.model.Model, st.matrix, slices.Sorted(slices.Values(hashes)), before, func(i int) (int, error) {
		d, err := describe(v, st.nodes[i].id)
		return st.s.c.Tokens().Count(d.name + ": " + d.text), err
	})
}

// keyHash stands for a node where no text may be kept.
func keyHash(n node) uint64 {
	d := method.Digest(strconv.Itoa(n.layer), n.key)
	return binary.BigEndian.Uint64(d[:])
}

// Apply implements [method.Stage].
func (st *layerStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var plan layerPlan
	if err := json.Unmarshal(result, &plan); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	fits, err := v.MakeBucket(bucketFit)
	if err != nil {
		return err
	}
	if plan.Fit == nil {
		err = fits.Delete(fitKey(st.layer))
	} else {
		err = encoded.Put(fits, fitKey(st.layer), plan.Fit)
	}
	if err != nil {
		return err
	}
	bucket, err := v.MakeBucket(bucketPlan)
	if err != nil {
		return err
	}
	if err := forgetPlans(v, planKey(st.layer), "cluster/", clusterItem, func(key string) bool {
		return slices.ContainsFunc(plan.Clusters, func(c planned) bool { return c.Key == key })
	}); err != nil {
		return err
	}
	for _, c := range plan.Clusters {
		if err := encoded.Put(bucket, []byte("cluster/"+c.Key), c); err != nil {
			return err
		}
	}
	return nil
}

// forgetPlans removes what was planned, and the marks of what is not any more.
func forgetPlans(v *engine.TxView, prefix []byte, kind string, item func(string) string, keep func(key string) bool) error {
	bucket, err := v.MakeBucket(bucketPlan)
	if err != nil {
		return err
	}
	for e, err := range bucket.Prefix(prefix) {
		if err != nil {
			return err
		}
		if key := strings.TrimPrefix(string(e.Key), kind); !keep(key) {
			if err := method.ForgetJobs(v, item(key)); err != nil {
				return err
			}
		}
	}
	return bucket.DeletePrefix(prefix)
}

// plans yields the clusters that there are to be of a layer.
func (s *system) plans(v engine.Reader, layer int) iter.Seq2[planned, error] {
	return func(yield func(planned, error) bool) {
		for e, err := range v.Bucket(bucketPlan).Prefix(planKey(layer)) {
			var p planned
			if err == nil {
				err = json.Unmarshal(e.Value, &p)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}
