package engine

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
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

// edgeSorter sorts half edges by list and neighbour. Equal ones keep the order
// in which they were added. Up to limit of them are kept in memory. Beyond, they
// are written to a file in runs that are cut into ranges of nodes, and a range is
// sorted when it is read: so each half edge is written once, and no runs are
// merged.
type edgeSorter struct {
	buf     []halfEdge
	limit   int
	scratch *[]halfEdge // shared by sorters that do not sort at a time
	spill   spill
	parts   []edgeParts // of each run
	// byOther says that half edges are added in order of the neighbour, so that
	// only lists are to be sorted.
	byOther bool
}

// edgeParts says where the ranges of a run begin, in half edges from its start:
// range i has the nodes whose id is i after a shift to the right. The last entry
// is the end of the run.
type edgeParts struct {
	shift int
	begin []int32
}

const (
	// rangeBits is how many bits number the ranges of a run.
	rangeBits = 10
	// sortAtOnce is how many half edges are sorted together if ranges are small: as
	// many as fit in a processor's cache.
	sortAtOnce = 1 << 16
)

func (s *edgeSorter) add(h halfEdge) error {
	s.buf = append(s.buf, h)
	if len(s.buf) < s.limit {
		return nil
	}
	return s.flush()
}

// flush writes what is in memory as a run.
func (s *edgeSorter) flush() error {
	last := uint64(0)
	for i := range s.buf {
		last = max(last, s.buf[i].list)
	}
	p := edgeParts{shift: max(0, bits.Len64(last>>32)-rangeBits)}
	shift := p.shift + 32
	p.begin = make([]int32, last>>shift+2)
	for i := range s.buf {
		p.begin[s.buf[i].list>>shift+1]++
	}
	for i := 1; i < len(p.begin); i++ {
		p.begin[i] += p.begin[i-1]
	}
	out := roomFor(*s.scratch, len(s.buf), cap(s.buf))
	at := slices.Clone(p.begin)
	for i := range s.buf {
		c := &at[s.buf[i].list>>shift]
		out[*c] = s.buf[i]
		*c++
	}
	s.buf, *s.scratch = out[:0], s.buf
	s.parts = append(s.parts, p)
	return s.writeRun(&s.spill, out)
}

// roomFor returns s with the length n, or memory for room half edges if it has no
// room for n.
func roomFor(s []halfEdge, n, room int) []halfEdge {
	if cap(s) < n {
		return make([]halfEdge, n, room)
	}
	return s[:n]
}

func (s *edgeSorter) writeRun(to *spill, run []halfEdge) error {
	return to.write(func(w *bufio.Writer) error {
		for len(run) > 0 {
			if w.Available() < halfBytes {
				if err := w.Flush(); err != nil {
					return err
				}
			}
			b := w.AvailableBuffer()
			n := min(len(run), w.Available()/halfBytes)
			for i := range run[:n] {
				h := &run[i]
				b = binary.LittleEndian.AppendUint64(b, h.list)
				b = binary.LittleEndian.AppendUint64(b, uint64(h.other)|uint64(math.Float32bits(h.weight))<<32)
			}
			if _, err := w.Write(b); err != nil {
				return err
			}
			run = run[n:]
		}
		return nil
	})
}

// sort sorts what is in memory.
func (s *edgeSorter) sort() {
	digit := 0
	if s.byOther {
		digit = firstListDigit
	}
	s.buf, *s.scratch = radixSort(s.buf, *s.scratch, digit)
}

// each calls fn with every half edge in order. It may be called again.
func (s *edgeSorter) each(ctx context.Context, fn func(h *halfEdge) error) error {
	if len(s.parts) == 0 {
		s.sort()
		return s.eachInMemory(ctx, fn)
	}
	if len(s.buf) > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	defer func() { s.buf = s.buf[:0] }()
	shift, ranges := 0, 0
	for _, p := range s.parts {
		shift = max(shift, p.shift)
	}
	for _, p := range s.parts {
		ranges = max(ranges, (len(p.begin)-2)>>(shift-p.shift)+1)
	}
	for lo := 0; lo < ranges; {
		hi, n := lo+1, s.count(lo, lo+1, shift)
		for hi < ranges {
			more := s.count(hi, hi+1, shift)
			if n+more > min(sortAtOnce, s.limit) {
				break
			}
			hi, n = hi+1, n+more
		}
		var err error
		if n > s.limit {
			err = s.eachOfMany(ctx, lo, hi, shift, fn)
		} else if err = s.read(lo, hi, shift, func([]halfEdge) error { return nil }); err == nil {
			s.sort()
			err = s.eachInMemory(ctx, fn)
		}
		if err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

func (s *edgeSorter) eachInMemory(ctx context.Context, fn func(h *halfEdge) error) error {
	for i := range s.buf {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(&s.buf[i]); err != nil {
			return err
		}
	}
	return nil
}

// span returns which half edges of the run are in the ranges lo to hi-1 of a
// shift that is not smaller than the run's.
func (p *edgeParts) span(lo, hi, shift int) (from, to int) {
	last, up := len(p.begin)-1, shift-p.shift
	return int(p.begin[min(lo<<up, last)]), int(p.begin[min(hi<<up, last)])
}

// count returns how many half edges are in the ranges lo to hi-1.
func (s *edgeSorter) count(lo, hi, shift int) (n int) {
	for i := range s.parts {
		from, to := s.parts[i].span(lo, hi, shift)
		n += to - from
	}
	return n
}

// read reads the half edges of the ranges lo to hi-1 into buf, in the order in which
// they were added. Whenever buf is full it calls full and goes on with an empty
// buf.
func (s *edgeSorter) read(lo, hi, shift int, full func(buf []halfEdge) error) error {
	s.buf = s.buf[:0]
	b := make([]byte, spillBuffer)
	for i := range s.parts {
		from, to := s.parts[i].span(lo, hi, shift)
		for from < to {
			if len(s.buf) == s.limit {
				if err := full(s.buf); err != nil {
					return err
				}
				s.buf = s.buf[:0]
			}
			n := min(to-from, len(b)/halfBytes, s.limit-len(s.buf))
			if _, err := s.spill.f.ReadAt(b[:n*halfBytes], s.spill.runs[i].from+int64(from)*halfBytes); err != nil {
				return fmt.Errorf("spill: %w", err)
			}
			for at := range n {
				s.buf = append(s.buf, halfIn(b[at*halfBytes:]))
			}
			from += n
		}
	}
	return nil
}

// eachOfMany is each for ranges that do not fit into memory together: sorted runs
// are made of them and merged.
func (s *edgeSorter) eachOfMany(ctx context.Context, lo, hi, shift int, fn func(h *halfEdge) error) (err error) {
	sorted := spill{dir: s.spill.dir}
	defer func() { err = errors.Join(err, sorted.close()) }()
	write := func([]halfEdge) error {
		s.sort()
		return s.writeRun(&sorted, s.buf)
	}
	if err := s.read(lo, hi, shift, write); err != nil {
		return err
	}
	if err := write(s.buf); err != nil {
		return err
	}
	var runs []*run[halfEdge]
	for i, r := range sorted.readers(s.limit * halfBytes / 4) {
		runs = append(runs, &run[halfEdge]{rank: i, next: func(h *halfEdge) (bool, error) { return readHalf(r, h) }})
	}
	return mergeRuns(ctx, runs, compareHalves, fn)
}

func halfIn(b []byte) halfEdge {
	rest := binary.LittleEndian.Uint64(b[8:])
	return halfEdge{list: binary.LittleEndian.Uint64(b), other: uint32(rest), weight: math.Float32frombits(uint32(rest >> 32))}
}

func readHalf(r *bufio.Reader, h *halfEdge) (bool, error) {
	b, err := r.Peek(halfBytes)
	if errors.Is(err, io.EOF) && len(b) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	*h = halfIn(b)
	_, err = r.Discard(halfBytes)
	return true, err
}

// The digits by which half edges are sorted: three of 11 bits of each of
// neighbour, type and node.
const (
	digitBits  = 11
	digitCount = 9

	firstListDigit = 3 // those before it are the neighbour's
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

// radixSort sorts a by the digits from one on, equal half edges keeping their
// order, and returns it and memory of the same size to sort in again. It takes a
// pass for each digit in which any two differ, from the least significant on: 5
// for a million nodes of one type.
func radixSort(a, scratch []halfEdge, digit int) (sorted, spare []halfEdge) {
	scratch = roomFor(scratch, len(a), cap(a))
	var differ halfEdge // bits that are not the same in all
	for i := range a {
		differ.list |= a[i].list ^ a[0].list
		differ.other |= a[i].other ^ a[0].other
	}
	var count [1 << digitBits]int32
	for ; digit < digitCount; digit++ {
		if differ.digit(digit) == 0 {
			continue
		}
		clear(count[:])
		for i := range a {
			count[a[i].digit(digit)]++
		}
		at := int32(0)
		for i, n := range count {
			count[i] = at
			at += n
		}
		for i := range a {
			c := &count[a[i].digit(digit)]
			scratch[*c] = a[i]
			*c++
		}
		a, scratch = scratch, a
	}
	return a, scratch
}
