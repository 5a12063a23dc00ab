package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/ragdb/ragdb/graphops"
)

// vectorSource says which vectors are clustered.
type vectorSource struct {
	path            string
	dim, iterations int
}

// blobs are vectors around centres: a set that clustering can be measured on.
type blobs struct {
	n, dim, centres int
	apart, spread   float64 // standard deviations of the centres and around them
}

// The sets that kmeans and gmm run on if no file is given: 200 clusters that
// overlap little in 256 dimensions, and 20 in 10.
var (
	wideBlobs   = blobs{n: 20_000, dim: 256, centres: 200, apart: 1, spread: 0.8}
	narrowBlobs = blobs{n: 5_000, dim: 10, centres: 20, apart: 3, spread: 1}
)

// draw returns the vectors of a seed.
func (c blobs) draw(seed uint64) graphops.Matrix {
	r := rand.New(rand.NewPCG(seed, 0))
	centres := make([]float64, c.centres*c.dim)
	for i := range centres {
		centres[i] = c.apart * r.NormFloat64()
	}
	m := graphops.Matrix{Dim: c.dim, Data: make([]float32, 0, c.n*c.dim)}
	for range c.n {
		at := centres[r.IntN(c.centres)*c.dim:][:c.dim]
		for _, x := range at {
			m.Data = append(m.Data, float32(x+c.spread*r.NormFloat64()))
		}
	}
	return m
}

// writeMatrix writes vectors as raw little-endian f32 rows.
func writeMatrix(path string, m graphops.Matrix) error {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, m.Data); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// runVectors runs a task on vectors.
func (b *graphBench) runVectors(ctx context.Context) error {
	m, err := b.readVectors()
	if err != nil {
		return inputError{err}
	}
	b.out.Nodes = m.Len()
	forgetPeak()
	return b.t.cluster(ctx, b, m)
}

func (b *graphBench) readVectors() (graphops.Matrix, error) {
	if b.vectors.path == "" {
		set, name := wideBlobs, "wide"
		if b.t.name == "gmm" {
			set, name = narrowBlobs, "narrow"
		}
		b.out.Graph = fmt.Sprintf("%s blobs, seed %d", name, b.seed)
		return set.draw(b.seed), nil
	}
	n, err := countRows(b.vectors.path, b.vectors.dim)
	if err != nil {
		return graphops.Matrix{}, err
	}
	b.out.Graph, _, _ = strings.Cut(filepath.Base(b.vectors.path), ".")
	m, err := readRows(b.vectors.path, n*b.vectors.dim, math.Float32frombits)
	return graphops.Matrix{Dim: b.vectors.dim, Data: m}, err
}
