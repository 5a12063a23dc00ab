package procedure

import (
	"context"
	"slices"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query/cypher"
)

// clustered are the vectors of a space with a cluster each.
type clustered struct {
	call    *cypher.ProcedureCall // in the graph of the items
	items   []engine.NodeID       // by id
	cluster []int64               // that of each
}

// readCluster clusters the vectors that a call names.
func readCluster(ctx context.Context, call *cypher.ProcedureCall) (*clustered, error) {
	s, err := findSpace(ctx, call)
	if err != nil {
		return nil, err
	}
	c := newConfig(s.call, call.Args[1])
	method, k, planes, seed := c.choice("method", "kmeans", "gmm", "lsh"), c.count("k", 0), c.count("planes", 0), c.seed()
	if err := c.done(); err != nil {
		return nil, err
	}
	may, err := seen(ctx, s.call)
	if err != nil {
		return nil, err
	}
	out := &clustered{call: s.call}
	m := graphops.Matrix{Dim: s.info.Dim}
	for e, err := range s.view.All(ctx) {
		if err != nil {
			return nil, err
		}
		if (s.allow == nil || s.allow.Contains(uint32(e.ID))) && (may == nil || may.Contains(uint32(e.ID))) {
			out.items, m.Data = append(out.items, engine.NodeID(e.ID)), append(m.Data, e.Vector...)
		}
	}
	out.cluster = make([]int64, len(out.items))
	switch method {
	case "lsh":
		return out, out.hash(ctx, m, planes, seed)
	case "gmm":
		r, err := graphops.GMM(ctx, m, graphops.GMMOptions{K: k, Seed: seed})
		if err != nil {
			return nil, err
		}
		out.take(r.Partition.Of)
	default:
		if k == 0 {
			return nil, invalid("kmeans needs the number of clusters, k")
		}
		r, err := graphops.KMeans(ctx, m, graphops.KMeansOptions{K: k, Seed: seed})
		if err != nil {
			return nil, err
		}
		out.take(r.Partition.Of)
	}
	return out, nil
}

func (r *clustered) take(clusters []uint32) {
	for i, c := range clusters {
		r.cluster[i] = int64(c)
	}
}

// hash puts vectors of one code into one cluster.
func (r *clustered) hash(ctx context.Context, m graphops.Matrix, planes int, seed uint64) error {
	h, err := graphops.NewHyperplanes(m.Dim, planes, seed, nil)
	if err != nil {
		return err
	}
	codes, err := h.Codes(ctx, m)
	if err != nil {
		return err
	}
	for i, c := range codes {
		r.cluster[i] = int64(c)
	}
	return nil
}

func vecCluster(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	r, err := readCluster(ctx, call)
	if err != nil {
		return err
	}
	for i, id := range r.items {
		if err := yield([]cypher.Value{r.call.Node(id), cypher.Int(r.cluster[i])}); err != nil {
			return err
		}
	}
	return nil
}

func vecClusterStats(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	start := time.Now()
	r, err := readCluster(ctx, call)
	if err != nil {
		return err
	}
	slices.Sort(r.cluster)
	clusters, largest, run := 0, 0, 0
	for i, c := range r.cluster {
		if i == 0 || c != r.cluster[i-1] {
			clusters, run = clusters+1, 0
		}
		run++
		largest = max(largest, run)
	}
	return yield([]cypher.Value{cypher.Int(int64(len(r.items))), cypher.Int(int64(clusters)), cypher.Int(int64(largest)), since(start)})
}
