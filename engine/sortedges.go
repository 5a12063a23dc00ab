package engine

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// halfEdge is an edge as the list of one of its ends holds it. Ids are below
// 2^32, so that it takes 16 bytes.
type halfEdge struct {
	list   uint64 // node<<32 | type: the order of lists
	other  uint32
	weight float32
}

func halfOf(node, other uint64, t EdgeType, weight float32) halfEdge {
	return halfEdge{list: node<<32 | uint64(t), other: uint32(other), weight: weight}
}

func (h *halfEdge) node() uint64  { return h.list >> 32 }
func (h *halfEdge) etype() uint32 { return uint32(h.list) }

func compareHalves(a, b *halfEdge) int {
	if c := cmp.Compare(a.list, b.list); c != 0 {
		return c
	}
	return cmp.Compare(a.other, b.other)
}

// halfBytes is the size of a half edge, in memory and in a run.
const halfBytes = 16

// edgeSorter sorts half edges by list and neighbour, in memory up to limit of
// them and in runs on disk beyond. Equal ones keep the order in which they
// were added.
type edgeSorter struct {
	buf     []halfEdge
	limit   int
	scratch *[]halfEdge // shared by sorters that do not sort at a time
	spill   spill
	sorted  bool // buf is
}

func (s *edgeSorter) add(h halfEdge) error {
	s.sorted = false
	s.buf = append(s.buf, h)
	if len(s.buf) < s.limit {
		return nil
	}
	s.sort()
	err := s.spill.write(func(w *bufio.Writer) error {
		var b [halfBytes]byte
		for i := range s.buf {
			h := &s.buf[i]
			binary.LittleEndian.PutUint64(b[:], h.list)
			binary.LittleEndian.PutUint32(b[8:], h.other)
			binary.LittleEndian.PutUint32(b[12:], math.Float32bits(h.weight))
			if _, err := w.Write(b[:]); err != nil {
				return err
			}
		}
		return nil
	})
	s.buf = s.buf[:0]
	return err
}

func (s *edgeSorter) sort() {
	if !s.sorted {
		s.buf, *s.scratch = radixSort(s.buf, *s.scratch)
		s.sorted = true
	}
}

// each calls fn with every half edge in order. It may be called again.
func (s *edgeSorter) each(ctx context.Context, fn func(h *halfEdge) error) error {
	s.sort()
	var runs []*run[halfEdge]
	for i, r := range s.spill.readers(s.limit * halfBytes / 4) {
		runs = append(runs, &run[halfEdge]{rank: i, next: func(h *halfEdge) (bool, error) { return readHalf(r, h) }})
	}
	rest := s.buf
	runs = append(runs, &run[halfEdge]{rank: len(runs), next: func(h *halfEdge) (bool, error) {
		if len(rest) == 0 {
			return false, nil
		}
		*h, rest = rest[0], rest[1:]
		return true, nil
	}})
	return mergeRuns(ctx, runs, compareHalves, fn)
}

func readHalf(r *bufio.Reader, h *halfEdge) (bool, error) {
	b, err := r.Peek(halfBytes)
	if errors.Is(err, io.EOF) && len(b) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	h.list = binary.LittleEndian.Uint64(b)
	h.other = binary.LittleEndian.Uint32(b[8:])
	h.weight = math.Float32frombits(binary.LittleEndian.Uint32(b[12:]))
	_, err = r.Discard(halfBytes)
	return true, err
}

// The digits by which half edges are sorted: three of 11 bits of each of
// neighbour, type and node.
const (
	digitBits  = 11
	digitCount = 9
)

func (h *halfEdge) digit(i int) uint32 {
	field := h.other
	switch i / 3 {
	case 1:
		field = uint32(h.list)
	case 2:
		field = uint32(h.list >> 32)
	}
	return field >> (digitBits * (i % 3)) & (1<<digitBits - 1)
}

// radixSort sorts a, equal half edges keeping their order, and returns it and
// memory of the same size to sort in again. It takes a pass for each digit in
// which any two differ, from the least significant on: 5 for a million nodes
// of one type.
func radixSort(a, scratch []halfEdge) (sorted, spare []halfEdge) {
	if cap(scratch) < len(a) {
		scratch = make([]halfEdge, len(a), cap(a))
	}
	scratch = scratch[:len(a)]
	var counts [digitCount][1 << digitBits]int32
	for i := range a {
		for d := range counts {
			counts[d][a[i].digit(d)]++
		}
	}
	for d := range counts {
		count := &counts[d]
		if len(a) == 0 || count[a[0].digit(d)] == int32(len(a)) {
			continue
		}
		at := int32(0)
		for i, n := range count {
			count[i] = at
			at += n
		}
		for i := range a {
			c := &count[a[i].digit(d)]
			scratch[*c] = a[i]
			*c++
		}
		a, scratch = scratch, a
	}
	return a, scratch
}
