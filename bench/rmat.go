package main

import (
	"bufio"
	"encoding/binary"
	"math/rand/v2"
	"os"
)

// edge joins two nodes, counted from 0.
type edge struct{ from, to uint32 }

// rmat returns n edges of a recursive matrix graph over 2^scale nodes, in the
// order in which they are drawn: repeated edges and loops stay. The
// probabilities of the quadrants are 0.57, 0.19, 0.19 and 0.05, those of the
// Graph500 benchmark (Chakrabarti, Zhan and Faloutsos 2004). The same seed
// gives the same edges.
func rmat(seed uint64, scale, n int) []edge {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]edge, n)
	for i := range out {
		var e edge
		for range scale {
			p := r.Float64()
			e.from <<= 1
			e.to <<= 1
			switch {
			case p < 0.57:
			case p < 0.76:
				e.to |= 1
			case p < 0.95:
				e.from |= 1
			default:
				e.from |= 1
				e.to |= 1
			}
		}
		out[i] = e
	}
	return out
}

// distinct returns how many different edges there are.
func distinct(edges []edge) int {
	seen := make(map[edge]struct{}, len(edges))
	for _, e := range edges {
		seen[e] = struct{}{}
	}
	return len(seen)
}

// writeEdges writes edges as pairs of 32-bit little-endian numbers: what the
// peers read.
func writeEdges(path string, edges []edge) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	w := bufio.NewWriter(f)
	var b [8]byte
	for _, e := range edges {
		binary.LittleEndian.PutUint32(b[:], e.from)
		binary.LittleEndian.PutUint32(b[4:], e.to)
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	return w.Flush()
}
