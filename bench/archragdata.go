package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

const (
	// fanOut is how many members a drawn community has, which must be fewer
	// than 15, and leastLayer how many nodes a layer has at least: if the
	// method ends.
	fanOut, leastLayer = 8, 10
	// scatter is by how much members differ from their community, and questions
	// from an entity, in standard deviations of the communities at the top.
	scatter = 0.7
)

// pyramid is drawn entities and the communities over them, by layers: layer 0
// has the entities, and each node of a layer lies around one of the next.
type pyramid struct {
	dim       int
	layers    [][][]float32
	questions [][]float32
}

func drawPyramid(n, dim, questions int, seed uint64) *pyramid {
	d := &pyramid{dim: dim}
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	around := func(x []float32) []float32 {
		out := make([]float32, dim)
		for i := range out {
			if x == nil {
				out[i] = float32(r.NormFloat64())
			} else {
				out[i] = x[i] + float32(scatter*r.NormFloat64())
			}
		}
		return out
	}
	var sizes []int
	for size := n; size >= leastLayer; size /= fanOut {
		sizes = append(sizes, size)
	}
	d.layers = make([][][]float32, len(sizes))
	for l, size := range slices.Backward(sizes) {
		for i := range size {
			var above []float32
			if l+1 < len(sizes) {
				above = d.layers[l+1][i%sizes[l+1]]
			}
			d.layers[l] = append(d.layers[l], around(above))
		}
	}
	for range questions {
		d.questions = append(d.questions, around(d.layers[0][r.IntN(n)]))
	}
	return d
}

func (d *pyramid) sizes() (out []int) {
	for _, l := range d.layers {
		out = append(out, len(l))
	}
	return out
}

// pyramidStore is a database in memory with the nodes of a pyramid.
type pyramidStore struct {
	d     *pyramid
	db    *engine.DB
	graph *engine.Graph
	ids   [][]engine.NodeID
}

// onePyramid is the space of all layers, and layerSpace that of one.
const onePyramid = "all"

func layerSpace(l int) string { return "layer " + strconv.Itoa(l) }

func openPyramid(ctx context.Context, d *pyramid) (*pyramidStore, error) {
	n := 0
	for _, l := range d.layers {
		n += len(l)
	}
	db, err := engine.Open(ctx, engine.Memory, &engine.Options{MemoryBudget: 2 * vectorBudget(n, d.dim)})
	if err != nil {
		return nil, err
	}
	s := &pyramidStore{d: d, db: db}
	if s.graph, err = openGraph(ctx, db); err == nil {
		err = s.putNodes(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func (s *pyramidStore) putNodes(ctx context.Context) error {
	return s.db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(s.graph)
		t, err := v.MakeNodeType(vectorNodeType)
		if err != nil {
			return err
		}
		for l, vectors := range s.d.layers {
			ids := make([]engine.NodeID, len(vectors))
			for i := range ids {
				if ids[i], _, err = v.PutNode(t, fmt.Sprintf("%d/%d", l, i), nil); err != nil {
					return err
				}
			}
			s.ids = append(s.ids, ids)
		}
		return nil
	})
}

type pyramidOptions struct {
	m    int
	seed uint64
}

func (o pyramidOptions) space(kind vecindex.Kind, dim int) engine.SpaceOptions {
	return engine.SpaceOptions{
		Dim: dim, Model: "bench", Metric: vecindex.Cosine, Kind: kind, M: o.m,
		EfConstruction: vecindex.DefaultEfConstruction, Seed: o.seed,
	}
}

// built is what an index took.
type built struct {
	linking time.Duration // processor time
	bytes   int64         // in memory
}

// buildOne makes one index of all layers.
func (s *pyramidStore) buildOne(ctx context.Context, o pyramidOptions) (built, error) {
	return s.build(ctx, []string{onePyramid}, o.space(vecindex.CHNSW, s.d.dim))
}

// buildEach makes an index of each layer.
func (s *pyramidStore) buildEach(ctx context.Context, o pyramidOptions) (built, error) {
	var spaces []string
	for l := range s.d.layers {
		spaces = append(spaces, layerSpace(l))
	}
	return s.build(ctx, spaces, o.space(vecindex.HNSW, s.d.dim))
}

// build writes each layer into its space, or all into the only one.
func (s *pyramidStore) build(ctx context.Context, spaces []string, o engine.SpaceOptions) (out built, err error) {
	before, err := s.vectorBytes(ctx)
	if err != nil {
		return out, err
	}
	sw := start()
	for l, vectors := range s.d.layers {
		space := spaces[min(l, len(spaces)-1)]
		for from := 0; from < len(vectors); from += vectorBatch {
			err := s.db.Update(ctx, func(tx *engine.Tx) error {
				v := tx.Graph(s.graph)
				if err := v.MakeSpace(space, o); err != nil {
					return err
				}
				for i := from; i < min(from+vectorBatch, len(vectors)); i++ {
					if err := v.PutLayerVector(space, s.ids[l][i], uint8(l), vectors[i]); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return out, err
			}
		}
	}
	for _, space := range spaces {
		if err := settle(ctx, s.db, s.graph, space); err != nil {
			return out, err
		}
	}
	_, out.linking = sw.stop()
	// What is loaded by the first search counts.
	err = s.view(ctx, func(v *pyramidView) error {
		search := v.each
		if len(spaces) == 1 && spaces[0] == onePyramid {
			search = v.one
		}
		_, err := search(s.d.questions[0], layerSearch{k: 1, ef: 1, layers: len(s.d.layers)})
		return err
	})
	if err != nil {
		return out, err
	}
	after, err := s.vectorBytes(ctx)
	out.bytes = after - before
	return out, err
}

// vectorBytes returns the memory of all indexes that are open.
func (s *pyramidStore) vectorBytes(ctx context.Context) (bytes int64, err error) {
	err = s.db.View(ctx, func(snap *engine.Snapshot) error {
		st, err := snap.Stats(ctx)
		bytes = st.Memory.VectorBytes
		return err
	})
	return bytes, err
}

// pyramidView is a snapshot's indexes, those of layers if they are built.
type pyramidView struct {
	ctx   context.Context
	all   *vecindex.View
	layer []*vecindex.View
}

func (s *pyramidStore) view(ctx context.Context, fn func(v *pyramidView) error) error {
	return s.db.View(ctx, func(snap *engine.Snapshot) (err error) {
		g := snap.Graph(s.graph)
		v := &pyramidView{ctx: ctx}
		if v.all, err = g.Vectors(onePyramid); err != nil {
			return err
		}
		for l := range s.d.layers {
			x, err := g.Vectors(layerSpace(l))
			if errors.Is(err, engine.ErrNotFound) {
				break
			}
			if err != nil {
				return err
			}
			v.layer = append(v.layer, x)
		}
		return fn(v)
	})
}

// layerSearch asks for the best k of the layers from lowest on.
type layerSearch struct {
	k, ef, lowest, layers int
	distances             *int // is set to those computed, if not nil
}

func (o layerSearch) wanted() (out []vecindex.LayerK) {
	for l := o.lowest; l < o.layers; l++ {
		out = append(out, vecindex.LayerK{Layer: uint8(l), K: o.k})
	}
	return out
}

// one searches all layers in one descent.
func (v *pyramidView) one(q []float32, o layerSearch) ([]vecindex.Hit, error) {
	return v.all.Search(v.ctx, vecindex.Search{Vector: q, Layers: o.wanted(), Ef: o.ef, Distances: o.distances}, nil)
}

// each searches the index of each layer.
func (v *pyramidView) each(q []float32, o layerSearch) (out []vecindex.Hit, err error) {
	sum := 0
	for l := o.lowest; l < o.layers; l++ {
		var compared int
		out, err = v.layer[l].Search(v.ctx, vecindex.Search{Vector: q, K: o.k, Ef: o.ef, Distances: &compared}, out)
		if err != nil {
			return nil, err
		}
		sum += compared
	}
	if o.distances != nil {
		*o.distances = sum
	}
	return out, nil
}

// exact compares all vectors of the layers.
func (v *pyramidView) exact(q []float32, o layerSearch) ([]vecindex.Hit, error) {
	return v.all.Search(v.ctx, vecindex.Search{Vector: q, Layers: o.wanted(), Exact: true}, nil)
}
