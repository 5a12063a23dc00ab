package hnsw

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

const (
	chunkShift = 8  // log2 of the rows of a full chunk: half of one is vacant
	firstRows  = 64 // of the first chunk, which grows by doubling on the heap
	// rowOverhead is what a row has beside its planes and links: id, born,
	// died, parent, upper, layer.
	rowOverhead = 33
)

// chunk holds the rows of consecutive slots, table by table in one arena.
type chunk struct {
	arena  []byte
	slabs  [2]*slab        // what the arena and low are of, nil for the heap
	codes  unsafe.Pointer  // stride bytes a row
	low    []byte          // low planes, dim a row, nil if they are not kept
	links  []uint32        // of level 0, 2M a row
	ids    []atomic.Uint64 // node
	born   []atomic.Uint64 // commit, 0 if the slot is empty
	died   []atomic.Uint64 // commit, 0 while alive
	parent []uint32        // for the linker
	layer  []uint8
	down   []atomic.Uint32 // nearest node of the layer below + 1, 0 for none; nil if layers are not linked
	upper  []atomic.Uint32 // place in Version.uppers + 1, 0 for none
	// open has a bit for each row that is plainly a node that is alive: it is
	// not empty, being linked, or dead. A search asks it first.
	open []atomic.Uint64
}

func (g *Graph) rowBytes() int {
	n := g.stride + 4*2*g.p.M + rowOverhead
	if g.p.Down {
		n += 4
	}
	return n
}

// lowBytes returns the size of the low planes of a chunk.
func (g *Graph) lowBytes(rows int) int {
	if !g.p.Low {
		return 0
	}
	return rows * g.codec.LowSize()
}

// chunkBytes returns what a chunk takes, the struct included; its rows are a
// multiple of 64, so every table but the first begins at a multiple of 64 too.
func (g *Graph) chunkBytes(rows int) int {
	return g.arenaBytes(rows) + g.lowBytes(rows) + int(unsafe.Sizeof(chunk{}))
}

func (g *Graph) arenaBytes(rows int) int { return rows*g.rowBytes() + rows/8 + 2*64 }

func (g *Graph) newChunk(rows int) *chunk {
	c := &chunk{}
	m := 2 * g.p.M
	if rows == 1<<chunkShift {
		c.arena, c.slabs[0] = g.arenas.take(g.arenaBytes(rows))
		if low := g.lowBytes(rows); low > 0 {
			c.low, c.slabs[1] = g.lows.take(low)
		}
	} else {
		c.arena = make([]byte, g.arenaBytes(rows))
		c.low = make([]byte, g.lowBytes(rows))
	}
	off := 0
	take := func(n int) unsafe.Pointer {
		p := unsafe.Pointer(&c.arena[off])
		off = (off + n + 63) &^ 63
		return p
	}
	c.codes = take(rows * g.stride)
	c.links = unsafe.Slice((*uint32)(take(rows*4*m)), rows*m)
	c.ids = unsafe.Slice((*atomic.Uint64)(take(rows*8)), rows)
	c.born = unsafe.Slice((*atomic.Uint64)(take(rows*8)), rows)
	c.died = unsafe.Slice((*atomic.Uint64)(take(rows*8)), rows)
	c.parent = unsafe.Slice((*uint32)(take(rows*4)), rows)
	c.upper = unsafe.Slice((*atomic.Uint32)(take(rows*4)), rows)
	c.layer = unsafe.Slice((*uint8)(take(rows)), rows)
	c.open = unsafe.Slice((*atomic.Uint64)(take(rows/8)), rows/64)
	if g.p.Down {
		c.down = unsafe.Slice((*atomic.Uint32)(take(rows*4)), rows)
	}
	for i := range c.links {
		c.links[i] = none
	}
	for i := range c.parent {
		c.parent[i] = none
	}
	return c
}

func (c *chunk) rows() int { return len(c.ids) }

// grown returns a chunk of more rows with the rows of c.
func (g *Graph) grown(c *chunk, rows int) *chunk {
	n := g.newChunk(rows)
	old := unsafe.Slice((*byte)(c.codes), c.rows()*g.stride)
	copy(unsafe.Slice((*byte)(n.codes), rows*g.stride), old)
	copy(n.low, c.low)
	copy(n.parent, c.parent)
	copy(n.layer, c.layer)
	for i := range c.links {
		n.links[i] = atomic.LoadUint32(&c.links[i])
	}
	for i := range c.ids {
		n.ids[i].Store(c.ids[i].Load())
		n.born[i].Store(c.born[i].Load())
		n.died[i].Store(c.died[i].Load())
		n.upper[i].Store(c.upper[i].Load())
	}
	for i := range c.down {
		n.down[i].Store(c.down[i].Load())
	}
	for i := range c.open {
		n.open[i].Store(c.open[i].Load())
	}
	return n
}

// at returns the chunk of a slot and the row in it.
func (v *Version) at(slot uint32) (*chunk, int) {
	return v.chunks[slot>>chunkShift], int(slot & (1<<chunkShift - 1))
}

// code returns the address of the code in a slot.
func (v *Version) code(slot uint32) unsafe.Pointer {
	c, i := v.at(slot)
	return unsafe.Add(c.codes, i*v.g.stride)
}

// Code returns the code in a slot, to be read or, before the slot is linked,
// written. It is valid while the version is held.
func (v *Version) Code(slot uint32) []byte {
	return unsafe.Slice((*byte)(v.code(slot)), v.g.codec.Size())
}

// Low returns the low plane in a slot, nil if there is none.
func (v *Version) Low(slot uint32) []int8 {
	c, i := v.at(slot)
	if len(c.low) == 0 {
		return nil
	}
	d := v.g.codec.Dim()
	return quant.Plane(c.low[i*d : i*d+d : i*d+d])
}

// LowPlane is Low as [Searcher.Refine] asks for it.
func (v *Version) LowPlane(slot uint32) ([]int8, error) { return v.Low(slot), nil }

// Reserve makes room for the slots below n. No node may be killed meanwhile.
func (g *Graph) Reserve(n uint32) {
	old := g.current.Load()
	if n <= old.n {
		return
	}
	v := *old
	full := 1 << chunkShift
	for have := v.capacity(); have < int(n); {
		last := len(v.chunks) - 1
		switch {
		case last == 0 && v.chunks[0].rows() < full:
			rows := v.chunks[0].rows()
			for rows < full && rows < int(n) {
				rows *= 2
			}
			v.chunks = slices.Clone(v.chunks) // others have the one that grows
			v.chunkBytes -= v.chunks[0].bytes()
			v.chunks[0] = g.grown(v.chunks[0], min(rows, full))
			v.chunkBytes += v.chunks[0].bytes()
			have = v.chunks[0].rows()
		case last < 0:
			rows := firstRows
			for rows < full && rows < int(n) {
				rows *= 2
			}
			v.take(g.newChunk(min(rows, full)))
			have = v.chunks[0].rows()
		default:
			v.take(g.newChunk(full))
			have += full
		}
	}
	v.n = n
	g.current.Store(&v)
}

// take adds a chunk. Versions share the array of chunks, as that of uppers.
func (v *Version) take(c *chunk) {
	v.chunks = append(v.chunks, c)
	v.chunkBytes += c.bytes()
}

// capacity returns the number of rows: all chunks are full ones but a first
// one that is alone.
func (v *Version) capacity() int {
	if n := len(v.chunks); n != 1 {
		return n << chunkShift
	}
	return v.chunks[0].rows()
}

func (c *chunk) bytes() int64 {
	return int64(len(c.arena)+len(c.low)) + int64(unsafe.Sizeof(*c))
}
