package vecindex

import (
	"sync/atomic"
)

// tier says how much of its vectors a chunk has in memory. What it does not
// have is read from the snapshot of the View.
type tier uint8

const (
	wholeRows  tier = iota // vectors, and their codes if there are any
	codedRows              // codes of one byte an element
	packedRows             // codes of four bits an element
	bareRows               // neither: all are read
)

// rowBytes returns the bytes of a row.
func (t tier) rowBytes(dim int, coded bool) int64 {
	n := int64(rowOverhead)
	if t == wholeRows {
		n += 4 * int64(dim)
	}
	if !coded || t == bareRows {
		return n
	}
	if t == packedRows {
		return n + residueBytes + int64(packedBytes(dim))
	}
	return n + residueBytes + int64(dim)
}

// below returns the next tier, of less memory; ok is false of the last one.
func (t tier) below(coded bool) (next tier, ok bool) {
	if !coded {
		return bareRows, t != bareRows
	}
	return min(t+1, bareRows), t != bareRows
}

const (
	rowOverhead  = 29 // bytes of a row beside its vector and its code
	residueBytes = 16
)

// chunk holds rows: vectors that lie one after the other, or their codes, and
// what is known of each. A row is written once, before the version that counts
// it is published.
type chunk struct {
	tier     tier
	vectors  []float32 // nil but of whole rows
	codes    []int8    // see sieve; nil of other tiers, or if the mirror has none
	packed   []uint8   // nil but of packed rows
	residues []residue
	ids      []uint64
	born     []uint64
	died     []atomic.Uint64 // 0 while alive
	layers   []uint8
	slots    []uint32
	dead     int // the writer's count
}

func newChunk(rows, dim int, t tier, coded bool) *chunk {
	c := &chunk{
		tier:   t,
		ids:    make([]uint64, rows),
		born:   make([]uint64, rows),
		died:   make([]atomic.Uint64, rows),
		layers: make([]uint8, rows),
		slots:  make([]uint32, rows),
	}
	if t == wholeRows {
		c.vectors = make([]float32, rows*dim)
	}
	if !coded || t == bareRows {
		return c
	}
	c.residues = make([]residue, rows)
	if t == packedRows {
		c.packed = make([]uint8, rows*packedBytes(dim))
	} else {
		c.codes = make([]int8, rows*dim)
	}
	return c
}

// grown returns a chunk of more rows with those of c.
func (c *chunk) grown(rows, dim int, coded bool) *chunk {
	g := newChunk(rows, dim, c.tier, coded)
	copy(g.vectors, c.vectors)
	copy(g.codes, c.codes)
	copy(g.packed, c.packed)
	copy(g.residues, c.residues)
	copy(g.ids, c.ids)
	copy(g.born, c.born)
	copy(g.layers, c.layers)
	copy(g.slots, c.slots)
	for i := range c.died {
		g.died[i].Store(c.died[i].Load())
	}
	g.dead = c.dead
	return g
}

// demoted returns the chunk of n rows in a lower tier, which shares with it
// all but vectors and codes.
func (c *chunk) demoted(t tier, n, dim int) *chunk {
	d := *c
	d.tier, d.vectors = t, nil
	switch {
	case t == packedRows:
		d.codes = nil
		d.packed = make([]uint8, len(c.ids)*packedBytes(dim))
		d.residues = make([]residue, len(c.ids))
		for i := range n {
			d.residues[i] = pack(d.packedRow(i, dim), c.code(i, dim), c.residues[i])
		}
	case t == bareRows:
		d.codes, d.packed, d.residues = nil, nil, nil
	}
	return &d
}

// fill writes vector v to row i as the chunk's tier has it.
func (c *chunk) fill(i int, v []float32, e *coder) {
	dim := len(v)
	if c.vectors != nil {
		copy(c.vector(i, dim), v)
	}
	switch {
	case c.codes != nil:
		c.residues[i] = e.encode(c.code(i, dim), v, 1)
	case c.packed != nil:
		c.residues[i] = pack(c.packedRow(i, dim), e.code, e.encode(e.code, v, 1))
	}
}

// take copies row i of a chunk from whose tier is not below to row to.
func (c *chunk) take(to int, from *chunk, i, dim int) {
	if c.vectors != nil {
		copy(c.vector(to, dim), from.vector(i, dim))
	}
	switch {
	case c.codes != nil:
		copy(c.code(to, dim), from.code(i, dim))
		c.residues[to] = from.residues[i]
	case c.packed == nil:
	case from.packed != nil:
		copy(c.packedRow(to, dim), from.packedRow(i, dim))
		c.residues[to] = from.residues[i]
	default:
		c.residues[to] = pack(c.packedRow(to, dim), from.code(i, dim), from.residues[i])
	}
}

func (c *chunk) bytes() int64 {
	return int64(4*len(c.vectors)+len(c.codes)+len(c.packed)) + int64(residueBytes*len(c.residues)+rowOverhead*len(c.ids))
}

// visible reports whether row i is alive in the state of sequence seq.
func (c *chunk) visible(i int, seq uint64) bool {
	if c.born[i] > seq {
		return false
	}
	d := c.died[i].Load()
	return d == 0 || d > seq
}

func (c *chunk) vector(i, dim int) []float32 { return c.vectors[i*dim : i*dim+dim : i*dim+dim] }

func (c *chunk) code(i, dim int) []int8 { return c.codes[i*dim : i*dim+dim : i*dim+dim] }

func (c *chunk) packedRow(i, dim int) []uint8 {
	n := packedBytes(dim)
	return c.packed[i*n : i*n+n : i*n+n]
}

// sparse reports whether a quarter of the chunk is dead.
func (c *chunk) sparse() bool { return 4*c.dead >= len(c.ids) }
