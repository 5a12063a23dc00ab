package noderag

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// importanceStage chooses the entities that get an attribute (spec A.2.5, paper
// Alg. 1 and 2): those of the k-core, and those of a betweenness far above the
// mean, as far as more than one unit lists them.
type importanceStage struct {
	graph.Stage
	s *system
	// listed and weights are what Items has read.
	listed  *content
	weights []uint64
}

// readG1 reads S, N and R.
func (s *system) readG1(ctx context.Context, v *engine.View) (*content, error) {
	return s.read(ctx, v, []string{schema.Unit, schema.Entity, schema.Relationship}, []string{schema.Mentions, schema.Relates, schema.States})
}

// Items implements [method.Stage]: one item, pending while the graph is not the
// one that entities were chosen by.
func (st *importanceStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		g, err := st.s.readG1(ctx, v)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		// An entity's weight is at least the number of its edges to units, but
		// may exceed it.
		weights, err := st.s.weights(v, g)
		st.listed, st.weights = g, weights
		st.Looked(len(g.nodes), len(g.edges))
		yield(method.WorkItem{Key: "all", Digest: method.Digest("importance", g.hex(), fmt.Sprint(weights))}, err)
	}
}

// weights returns the weight of each node that is an entity: how many units
// list it.
func (s *system) weights(v *engine.View, g *content) ([]uint64, error) {
	out := make([]uint64, len(g.nodes))
	for i, n := range g.nodes {
		if n.kind != 1 {
			continue
		}
		total, err := v.Total(engine.NodeTarget(n.id))
		if err != nil {
			return nil, err
		}
		out[i] = total.Count
	}
	return out, nil
}

// coreK is the k of the k-core: round(ln n * sqrt(2m/n)), half to even as the
// reference rounds, if k is not given. n is at least 1.
func coreK(n, m, k int) int {
	if k > 0 {
		return k
	}
	return int(math.RoundToEven(math.Log(float64(n)) * math.Sqrt(2*float64(m)/float64(n))))
}

// betweennessScale is how many times the mean betweenness an important entity
// exceeds: round(log10 n), if scale is not given. n is at least 1.
func betweennessScale(n, scale int) float64 {
	if scale > 0 {
		return float64(scale)
	}
	return math.RoundToEven(math.Log10(float64(n)))
}

// pivots returns k nodes to compute betweenness from, all if k is 0. They
// are those whose digests are smallest: a draw that a new node hardly changes.
func pivots(g *content, k int) []uint32 {
	type drawn struct {
		at     uint32
		number uint64
	}
	all := make([]drawn, len(g.nodes))
	for i, n := range g.nodes {
		d := method.Digest("pivot", fmt.Sprint(n.kind), n.key)
		all[i] = drawn{uint32(i), binary.BigEndian.Uint64(d[:])}
	}
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.at, b.at)) })
	if k > 0 {
		all = all[:min(k, len(all))]
	}
	out := make([]uint32, len(all))
	for i, d := range all {
		out[i] = d.at
	}
	return out
}

// chosen is an important entity.
type chosen struct {
	ID engine.NodeID `json:"id"`
	By string        `json:"by"` // core, betweenness or both
}

// Do implements [method.Stage]: it chooses among what Items has read.
func (st *importanceStage) Do(ctx context.Context, _ *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	out := []chosen{}
	if len(st.listed.nodes) > 0 {
		var err error
		if out, err = st.choose(ctx, st.listed, st.weights); err != nil {
			return nil, err
		}
	}
	st.listed, st.weights = nil, nil
	return json.Marshal(out)
}

func (st *importanceStage) choose(ctx context.Context, g *content, weights []uint64) ([]chosen, error) {
	p, err := g.project()
	if err != nil {
		return nil, err
	}
	n, m := p.Len(), p.Edges()
	core, err := graphops.KCore(ctx, p)
	if err != nil {
		return nil, err
	}
	between, err := graphops.Betweenness(ctx, p, graphops.BetweennessOptions{SourceNodes: pivots(g, st.s.p.Pivots)})
	if err != nil {
		return nil, err
	}
	k := coreK(n, m, st.s.p.Core)
	sum := 0.0
	for _, b := range between.Scores {
		sum += b
	}
	limit := sum / float64(n) * betweennessScale(n, st.s.p.Scale)
	out := []chosen{}
	for i, node := range g.nodes {
		if node.kind != 1 || weights[i] <= uint64(st.s.p.Mentions) {
			continue
		}
		// Every node is in the 0-core: k = 0 chooses nothing.
		inCore, isBetween := k > 0 && int(core[i]) >= k, between.Scores[i] > limit
		switch {
		case inCore && isBetween:
			out = append(out, chosen{node.id, "both"})
		case inCore:
			out = append(out, chosen{node.id, "core"})
		case isBetween:
			out = append(out, chosen{node.id, "betweenness"})
		}
	}
	return out, nil
}

// Apply implements [method.Stage]: what is not important any more loses its
// attribute.
func (st *importanceStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var all []chosen
	if err := json.Unmarshal(result, &all); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	b, err := v.MakeBucket(schema.BucketImportant)
	if err != nil {
		return err
	}
	if err := b.DeletePrefix(nil); err != nil {
		return err
	}
	ids := make([]engine.NodeID, len(all))
	for i, c := range all {
		if err := b.Set(schema.IDKey(c.ID), []byte(c.By)); err != nil {
			return err
		}
		ids[i] = c.ID
	}
	nodes, err := graph.Read(v, ids)
	if err != nil {
		return err
	}
	keys := map[string]bool{}
	for _, n := range nodes {
		keys[n.Key] = true
	}
	var gone []engine.NodeID
	for n, err := range graph.ReadAll(v, schema.Attribute) {
		if err != nil {
			return err
		}
		if !keys[n.Key] {
			gone = append(gone, n.ID)
		}
	}
	for _, id := range gone {
		if err := st.s.dropSummary(v, id); err != nil {
			return err
		}
	}
	return nil
}

// important returns the important entities, ascending.
func important(v engine.Reader) ([]engine.NodeID, error) {
	var out []engine.NodeID
	for e, err := range v.Bucket(schema.BucketImportant).Scan(nil, nil) {
		if err != nil {
			return nil, err
		}
		if len(e.Key) == 8 {
			out = append(out, engine.NodeID(binary.BigEndian.Uint64(e.Key)))
		}
	}
	return out, nil
}
