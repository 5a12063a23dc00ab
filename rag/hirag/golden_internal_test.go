package hirag

import (
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// TestSoftMembers: a node is in each component whose posterior is over 0.1. Of two
// normal densities of variance 1 around -1 and 1 the second has 1/(1+exp(-2x)) at x.
func TestSoftMembers(t *testing.T) {
	f := &fit{Mixture: &graphops.Mixture{Dim: 1, Weights: []float64{.5, .5}, Means: []float64{-1, 1}, Covariances: []float64{1, 1}}}
	places := []float32{-2, -1.2, -1, -.5, 0, .5, 1, 1.2}
	got, err := f.components(t.Context(), graphops.Matrix{Dim: 1, Data: places})
	if err != nil {
		t.Fatal(err)
	}
	// 1/(1+exp(2)) is .119 and 1/(1+exp(2.4)) is .083.
	for c, want := range [][]int{{0, 1, 2, 3, 4, 5, 6}, {2, 3, 4, 5, 6, 7}} {
		if !slices.Equal(got[c].nodes, want) {
			t.Errorf("component %d has the nodes %v, want %v", c, got[c].nodes, want)
		}
	}
	for i, n := range got[1].nodes {
		if want := 1 / (1 + math.Exp(-2*float64(places[n]))); math.Abs(got[1].weight[i]-want) > 1e-6 {
			t.Errorf("%g belongs to the second with %g, want %g", places[n], got[1].weight[i], want)
		}
	}
}

// sixGroups are six groups of 20 vectors far apart. If each is a cluster the sparsity
// is 1 - 6*20*19 / (120*119).
func sixGroups() graphops.Matrix {
	return blobs(20, []float32{0, 0}, []float32{9, 0}, []float32{0, 9}, []float32{9, 9}, []float32{20, 0}, []float32{0, 20})
}

// TestManyComponents: a layer of six groups far apart has a component each.
func TestManyComponents(t *testing.T) {
	s := &system{p: Params{Dim: 2}}
	m := sixGroups()
	f, err := s.findFit(t.Context(), "x", m, make([]uint64, m.Len()), firstSparsity, func(int) (int, error) { return 1, nil })
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 - 2280./14280; f.Stopped || f.Mixture.Len() != 6 || math.Abs(f.Sparsity-want) > 1e-12 {
		t.Errorf("stopped %v, %d components, sparsity %g, want %g", f.Stopped, f.Mixture.Len(), f.Sparsity, want)
	}
}

// TestChangeFromBelow: the sparsity of a layer is compared with that of the layer
// below, and of the first one with 0.01.
func TestChangeFromBelow(t *testing.T) {
	c := ragtest.Open(t, method.Methods{Name: Open})
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.p.Cluster, s.p.Dim = "mixture", 2
	var id engine.NodeID // what a node is called does not matter here
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		entity, err := tx.Graph(s.g).MakeNodeType(typeEntity)
		if err == nil {
			id, _, err = tx.Graph(s.g).PutNode(entity, "x", nil)
		}
		if err != nil {
			return err
		}
		fits, err := tx.Graph(s.g).MakeBucket(bucketFit)
		if err == nil {
			err = encoded.Put(fits, fitKey(0), &fit{Model: "x", Nodes: 100, Sparsity: .6, Mixture: &graphops.Mixture{}})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	m := sixGroups()
	const sparse = 1 - 2280./14280 // which is 40 % more than .6
	for layer, want := range []float64{(sparse - .01) / .01, (sparse - .6) / .6} {
		st := &layerStage{s: s, layer: layer, model: llm.SpaceInfo{Model: "x", Dim: 2}, matrix: m}
		for range m.Len() {
			st.nodes = append(st.nodes, node{id: id})
		}
		var f *fit
		err := c.DB().View(t.Context(), func(snap *engine.Snapshot) (err error) {
			f, err = st.find(t.Context(), snap.Graph(s.g), make([]uint64, m.Len()))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(f.Sparsity-sparse) > 1e-12 || math.Abs(f.Change-want) > 1e-9 {
			t.Errorf("layer %d: sparsity %g changed by %g, want %g and %g", layer, f.Sparsity, f.Change, sparse, want)
		}
	}
}

// TestShares: each part of a context has the tokens that the reference gives it if
// there are 50,000 or more, and in proportion if there are fewer.
func TestShares(t *testing.T) {
	for _, x := range []struct{ budget, reports, bridge, relations, entities, texts int }{
		{200000, 12500, 12500, 20000, 5000, 20000},
		{50000, 12500, 12500, 20000, 5000, 20000},
		{10000, 2500, 2500, 4000, 1000, 4000},
		{1000, 250, 250, 400, 100, 400},
		{3, 0, 0, 1, 0, 1},
	} {
		for _, part := range [][2]int{{reportsTokens, x.reports}, {bridgeTokens, x.bridge}, {relationTokens, x.relations}, {entityTokens, x.entities}, {textTokens, x.texts}} {
			if got := share(part[0], x.budget); got != part[1] {
				t.Errorf("of %d tokens a part of %d in 50,000 has %d, want %d", x.budget, part[0], got, part[1])
			}
		}
	}
}
