package graphops

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// packed are the rows of a projection in bytes, some 2.5 an entry in a graph of
// ten million nodes. A row is
//
//	uvarint d | ceil(d/4) bytes of lengths | d differences | d weights, f32, if there are any
//
// A difference is that to the entry before it, less 1, in 1 to 4 bytes, little-endian;
// the length less 1 of each is in two bits of the lengths, the first in the lowest. So
// four entries are read without a branch.
type packed struct {
	at     []uint32 // where each row begins in its block; none: it is empty
	blocks [][]byte // of each window of node ids the rows one after the other, and packedPad
	// entries and weighted are those of all rows.
	entries  int64
	weighted bool
}

// packedPad is how many bytes follow the rows of a block, so that four can be read
// at every difference.
const packedPad = 3

// difference returns the one that four bytes begin with, given its length less 1.
func difference(b []byte, length byte) uint32 {
	return binary.LittleEndian.Uint32(b) & (math.MaxUint32 >> (24 - 8*length))
}

// appendRow appends a row: to is ascending, w nil or in step with it.
func appendRow(dst []byte, to []uint32, w []float32) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(to)))
	lengths := len(dst)
	for range (len(to) + 3) / 4 {
		dst = append(dst, 0)
	}
	next := uint32(0) // the least that the entry may be
	for i, v := range to {
		d := v - next
		next = v + 1
		n := (bits.Len32(d|1) + 7) / 8
		dst[lengths+i/4] |= byte(n-1) << (2 * (i % 4))
		for ; n > 0; n-- {
			dst = append(dst, byte(d))
			d >>= 8
		}
	}
	for _, x := range w {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// readRow appends the first k entries of the row that begins at b to dst. It
// returns, beside dst, how many the row has and what follows the entries read.
func readRow(b []byte, k int, dst []uint32) (to []uint32, d int, rest []byte) {
	size, n := binary.Uvarint(b)
	d = int(size)
	k = min(k, d)
	lengths := b[n : n+(d+3)/4]
	b = b[n+len(lengths):]
	from := len(dst)
	room := (k + 3) / 4 * 4
	dst = slices.Grow(dst, room)[:from+room]
	next := uint32(0)
	for i := 0; i < k; i += 4 {
		l := lengths[i/4]
		out := dst[from+i : from+i+4 : from+i+4]
		a := l & 3
		next += difference(b, a)
		out[0] = next
		if i+1 >= k {
			b = b[a+1:]
			break
		}
		b = b[a+1:]
		a = l >> 2 & 3
		next += 1 + difference(b, a)
		out[1] = next
		b = b[a+1:]
		if i+2 >= k {
			break
		}
		a = l >> 4 & 3
		next += 1 + difference(b, a)
		out[2] = next
		b = b[a+1:]
		if i+3 >= k {
			break
		}
		a = l >> 6
		next += 1 + difference(b, a)
		out[3] = next
		b = b[a+1:]
		next++
	}
	return dst[:from+k], d, b
}

// packedRow returns the bytes from the row of u on, nil if it is empty.
func (p *Projection) packedRow(u uint32) []byte {
	at := p.packed.at[u]
	if at == none {
		return nil
	}
	return p.packed.blocks[p.NodeOf(u)>>windowBits][at:]
}

// packedDegree returns the length of the row of u.
func (p *Projection) packedDegree(u uint32) int {
	b := p.packedRow(u)
	if b == nil {
		return 0
	}
	d, _ := binary.Uvarint(b)
	return int(d)
}

// appendPacked appends the row of u, and its weights to w if there are any.
func (p *Projection) appendPacked(u uint32, to []uint32, w []float32) ([]uint32, []float32) {
	b := p.packedRow(u)
	if b == nil {
		return to, w
	}
	to, d, rest := readRow(b, math.MaxInt, to)
	if p.packed.weighted {
		for i := range d {
			w = append(w, math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:])))
		}
	}
	return to, w
}

// bytes returns how much memory the rows take.
func (p *packed) bytes() int64 {
	n := 4*int64(cap(p.at)) + blockBytes*int64(cap(p.blocks))
	for _, b := range p.blocks {
		n += int64(cap(b))
	}
	return n
}

// blockBytes is what a block takes beside its bytes.
const blockBytes = 24

// plain returns p with its rows as numbers: p itself if they are, else a copy, which is
// refused if it takes more than p was allowed to.
func (p *Projection) plain(op string) (*Projection, error) {
	if p.packed == nil {
		return p, nil
	}
	need := rowBytes(p.Len(), p.packed.entries, p.packed.weighted)
	if need > p.limit {
		return nil, &MemoryError{Op: op, Need: need, Limit: p.limit}
	}
	if p.packed.entries > math.MaxUint32 {
		return nil, ErrTooLarge
	}
	out := *p
	out.packed = nil
	out.csr = csr{off: make([]uint32, p.Len()+1), to: make([]uint32, 0, p.packed.entries+3)}
	if p.packed.weighted {
		out.w = make([]float32, 0, p.packed.entries)
	}
	for u := range uint32(p.Len()) {
		out.to, out.w = p.appendPacked(u, out.to, out.w)
		out.off[u+1] = uint32(len(out.to))
	}
	return &out, nil
}

// rowSource reads rows of a projection one after the other, packed or not. It is not
// safe for concurrent use.
type rowSource struct {
	p  *Projection
	to []uint32
	w  []float32
}

// row returns the row of u and its weights, nil if every edge counts 1. Both are good until
// the next call.
func (s *rowSource) row(u uint32) (to []uint32, w []float32) {
	if s.p.packed == nil {
		return s.p.csr.Row(u)
	}
	s.to, s.w = s.p.appendPacked(u, s.to[:0], s.w[:0])
	if !s.p.packed.weighted {
		return s.to, nil
	}
	return s.to, s.w
}

// head returns the first k entries of the row of u, and how many it has. They are good
// until the next call.
func (s *rowSource) head(u uint32, k int) (to []uint32, size int) {
	if s.p.packed == nil {
		to, _ = s.p.csr.Row(u)
		return to[:min(k, len(to))], len(to)
	}
	b := s.p.packedRow(u)
	if b == nil {
		return nil, 0
	}
	s.to, size, _ = readRow(b, k, s.to[:0])
	return s.to, size
}
