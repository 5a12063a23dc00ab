package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
)

// recallAt is how many of the nearest vectors are asked for and compared.
const recallAt = 10

// query is one question to the index.
type query struct {
	vector []float32
	self   int     // the row that it is, -1 if it is none
	truth  []int32 // rows of the exact nearest, nearest first, without self
}

// vectorSet is what an index is made of and asked.
type vectorSet struct {
	name    string
	dim, n  int
	base    []float32 // n rows
	queries []query
}

func (s *vectorSet) row(i int) []float32 { return s.base[i*s.dim : (i+1)*s.dim] }

// vectorFiles name the files of a set: raw little-endian rows.
type vectorFiles struct {
	base, query, truth string
	// queriesAreBase asks the base rows themselves, each without the answer
	// that it is; there is no query file then, and truth has a row for each.
	queriesAreBase bool
	// n bounds the rows of the base that are used, queries those that ask; 0 is
	// all rows and 1,000 queries.
	n, queries int
}

// maxQueries is how many queries ask if nothing else is said.
const maxQueries = 1000

// readVectorSet reads a set. If the truth is not given, or is that of more
// rows than are used, it is computed: exactly, in double precision.
func readVectorSet(f vectorFiles, dim int, metric string) (*vectorSet, error) {
	rows, err := countRows(f.base, dim)
	if err != nil {
		return nil, err
	}
	s := &vectorSet{name: filepath.Base(filepath.Dir(f.base)), dim: dim, n: rows}
	if f.n > 0 {
		s.n = min(rows, f.n)
	}
	if s.base, err = readRows(f.base, s.n*dim, math.Float32frombits); err != nil {
		return nil, err
	}
	asked, err := s.readQueries(f)
	if err != nil {
		return nil, err
	}
	if f.truth == "" || s.n < rows {
		return s, s.computeTruth(metric)
	}
	return s, s.readTruth(f.truth, asked, rows)
}

// readQueries reads or picks the queries and returns how many rows the file
// that they come from has.
func (s *vectorSet) readQueries(f vectorFiles) (rows int, err error) {
	most := f.queries
	if most < 1 {
		most = maxQueries
	}
	if f.queriesAreBase {
		for _, i := range spread(s.n, most) {
			s.queries = append(s.queries, query{vector: s.row(i), self: i})
		}
		return s.n, nil
	}
	if rows, err = countRows(f.query, s.dim); err != nil {
		return 0, err
	}
	n := min(rows, most)
	v, err := readRows(f.query, n*s.dim, math.Float32frombits)
	if err != nil {
		return 0, err
	}
	for i := range n {
		s.queries = append(s.queries, query{vector: v[i*s.dim : (i+1)*s.dim], self: -1})
	}
	return rows, nil
}

// spread returns at most k numbers below n, evenly spread and ascending.
func spread(n, k int) []int {
	k = min(n, k)
	out := make([]int, k)
	for i := range out {
		out[i] = i * n / k
	}
	return out
}

// readTruth gives the queries their rows of a file of 32-bit row numbers, whose
// width follows from its size and the number of queries, asked.
func (s *vectorSet) readTruth(path string, asked, rows int) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	width := int(info.Size()) / 4 / asked
	if width < 1 || int64(width*asked*4) != info.Size() {
		return fmt.Errorf("%s: %d bytes are not the same number of neighbours for each of %d queries", path, info.Size(), asked)
	}
	all, err := readRows(path, width*asked, func(u uint32) int32 { return int32(u) })
	if err != nil {
		return err
	}
	for i := range s.queries {
		q := &s.queries[i]
		at := i
		if q.self >= 0 {
			at = q.self
		}
		q.truth = all[at*width : (at+1)*width]
		for _, r := range q.truth {
			if r < 0 || int(r) >= rows {
				return fmt.Errorf("%s: neighbour %d of query %d is not one of %d rows", path, r, at, rows)
			}
		}
	}
	return nil
}

// countRows returns how many rows of dim elements a file has.
func countRows(path string, dim int) (int, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	width := int64(dim) * 4
	if info.Size() == 0 || info.Size()%width != 0 {
		return 0, fmt.Errorf("%s: %d bytes are not rows of %d elements", path, info.Size(), dim)
	}
	return int(info.Size() / width), nil
}

// readRows reads the first n elements of a file of 32-bit little-endian ones.
func readRows[T any](path string, n int, element func(uint32) T) (out []T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out = make([]T, 0, n)
	b := make([]byte, 1<<16)
	for len(out) < n {
		b := b[:min(len(b), 4*(n-len(out)))]
		if _, err := io.ReadFull(f, b); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for ; len(b) > 0; b = b[4:] {
			out = append(out, element(binary.LittleEndian.Uint32(b)))
		}
	}
	return out, nil
}

// recallOf returns the share of the first recallAt of truth that is in got.
func recallOf(truth, got []int32) float64 {
	truth = truth[:min(len(truth), recallAt)]
	if len(truth) == 0 {
		return 1
	}
	hits := 0
	for _, t := range truth {
		for _, g := range got {
			if t == g {
				hits++
				break
			}
		}
	}
	return float64(hits) / float64(len(truth))
}
