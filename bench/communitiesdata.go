package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/internal/distance"
)

const (
	// widestAttributes is how many elements the vectors of a set have that are
	// not projected to fewer.
	widestAttributes = 1536
	// graphOfNearest is to how many neighbours a node of a set without edges is
	// joined.
	graphOfNearest = 10
)

// attributed is a set of nodes with vectors, and edges if it has some.
type attributed struct {
	vectors graphops.Matrix
	edges   []graphops.WeightedEdge
}

// readAttributed reads a set: a graph's edges.tsv.gz and features.jsonl.gz, of
// which a node's vector has ones if it has features, or the vectors of a
// .f32.gz and their header.
func readAttributed(folder string) (*attributed, error) {
	set := &attributed{}
	features, err := os.Open(filepath.Join(folder, "features.jsonl.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		set.vectors, err = readVectors(folder)
		return set, err
	}
	if err != nil {
		return nil, err
	}
	defer features.Close()
	if set.vectors, err = readFeatures(features); err != nil {
		return nil, fmt.Errorf("%s: %w", features.Name(), err)
	}
	edges, err := os.Open(filepath.Join(folder, "edges.tsv.gz"))
	if err != nil {
		return nil, err
	}
	defer edges.Close()
	if set.edges, err = readEdges(edges, set.vectors.Len()); err != nil {
		return nil, fmt.Errorf("%s: %w", edges.Name(), err)
	}
	return set, nil
}

// readFeatures reads a node and its features a line; the nodes are numbered.
func readFeatures(file io.Reader) (m graphops.Matrix, err error) {
	z, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return m, err
	}
	features := map[int][]int{}
	for d := json.NewDecoder(z); ; {
		var line struct {
			ID int   `json:"id"`
			On []int `json:"nz"`
		}
		if err := d.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return m, err
		}
		features[line.ID] = line.On
		for _, i := range line.On {
			if i < 0 {
				return m, fmt.Errorf("node %d has feature %d", line.ID, i)
			}
			m.Dim = max(m.Dim, i+1)
		}
	}
	m.Data = make([]float32, len(features)*m.Dim)
	for u := range len(features) {
		on, ok := features[u]
		if !ok {
			return m, fmt.Errorf("%d nodes, but none of number %d", len(features), u)
		}
		for _, i := range on {
			m.Row(u)[i] = 1
		}
	}
	return m, nil
}

// readEdges reads an edge of n nodes a line.
func readEdges(file io.Reader, n int) (edges []graphops.WeightedEdge, err error) {
	z, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(z); ; {
		if !lines.Scan() {
			return edges, lines.Err()
		}
		var u, v int
		if _, err := fmt.Sscan(lines.Text(), &u, &v); err != nil {
			return nil, fmt.Errorf("edge %q: %w", lines.Text(), err)
		}
		if min(u, v) < 0 || max(u, v) >= n {
			return nil, fmt.Errorf("edge %d-%d of %d nodes", u, v, n)
		}
		edges = append(edges, graphops.WeightedEdge{From: uint32(u), To: uint32(v), Weight: 1})
	}
}

// readVectors reads the only set of vectors in a folder.
func readVectors(folder string) (m graphops.Matrix, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return m, err
	}
	if len(files) != 1 {
		return m, fmt.Errorf("%s: %d headers of vectors, want 1", folder, len(files))
	}
	var header struct{ N, D int }
	b, err := os.ReadFile(files[0])
	if err == nil {
		err = json.Unmarshal(b, &header)
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", files[0], err)
	}
	path := files[0][:len(files[0])-len(".json")] + ".f32.gz"
	file, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer file.Close()
	z, err := gzip.NewReader(bufio.NewReader(file))
	if err == nil {
		b, err = io.ReadAll(z)
	}
	if err == nil && (header.N < 1 || header.D < 1 || len(b) != 4*header.N*header.D) {
		err = fmt.Errorf("%d bytes are not %d vectors of %d", len(b), header.N, header.D)
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	m = graphops.Matrix{Dim: header.D, Data: make([]float32, header.N*header.D)}
	for i := range m.Data {
		m.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return m, nil
}

// nearest finds the nearest of each vector by comparing all, and keeps them.
type nearest struct {
	vectors graphops.Matrix
	k       int
	rows    [][]graphops.WeightedEdge // of each vector, the nearest first
}

// edges returns edges from each vector to its k nearest others.
func (n *nearest) edges(ctx context.Context, k int) (out []graphops.WeightedEdge, err error) {
	if k > n.k {
		if err := n.find(ctx, k); err != nil {
			return nil, err
		}
	}
	for _, row := range n.rows {
		out = append(out, row[:min(k, len(row))]...)
	}
	return out, nil
}

// graph returns the graph in which each vector is joined to its k nearest.
func (n *nearest) graph(ctx context.Context, k int) ([]graphops.WeightedEdge, error) {
	near, err := n.edges(ctx, k)
	if err != nil {
		return nil, err
	}
	for i, e := range near {
		near[i] = graphops.WeightedEdge{From: min(e.From, e.To), To: max(e.From, e.To), Weight: 1}
	}
	slices.SortFunc(near, func(a, b graphops.WeightedEdge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return slices.Compact(near), nil
}

func (n *nearest) find(ctx context.Context, k int) error {
	count := n.vectors.Len()
	unit := graphops.Matrix{Dim: n.vectors.Dim, Data: slices.Clone(n.vectors.Data)}
	for u := range count {
		x := unit.Row(u)
		if length := math.Sqrt(float64(distance.Dot(x, x))); length > 0 {
			for i := range x {
				x[i] = float32(float64(x[i]) / length)
			}
		}
	}
	n.k, n.rows = k, make([][]graphops.WeightedEdge, count)
	var g errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		g.Go(func() error {
			cosines := make([]float32, count)
			for u := w; u < count; u += workers {
				if err := ctx.Err(); err != nil {
					return err
				}
				distance.DotBlock(unit.Row(u), unit.Data, cosines)
				n.rows[u] = best(uint32(u), cosines, k)
			}
			return nil
		})
	}
	return g.Wait()
}

// best returns the edges from u to the k others of greatest cosine, equal ones
// by number.
func best(u uint32, cosines []float32, k int) []graphops.WeightedEdge {
	row := make([]graphops.WeightedEdge, 0, k+1)
	for v, cos := range cosines {
		if uint32(v) == u || len(row) == k && cos <= row[k-1].Weight {
			continue
		}
		at, _ := slices.BinarySearchFunc(row, cos, func(e graphops.WeightedEdge, cos float32) int {
			if e.Weight >= cos {
				return -1
			}
			return 1
		})
		row = slices.Insert(row, at, graphops.WeightedEdge{From: u, To: uint32(v), Weight: cos})
		row = row[:min(len(row), k)]
	}
	return row
}
