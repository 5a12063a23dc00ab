package hnsw

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// none ends a list of links; no slot has this number.
const none = math.MaxUint32

// MaxSlots is the number of slots that a graph can have.
const MaxSlots = 1 << 31

// maxLevel bounds levels: of 2^31 nodes with M = 2, few are above it.
const maxLevel = 31

// Params are the constants of a graph.
type Params struct {
	// M is the number of links that a node is given on each level; lists hold
	// as many above level 0 and twice as many on it.
	M int
	// EfConstruction is the width of the search for a node's links.
	EfConstruction int
	// Seed draws the levels.
	Seed uint64
	// Low says that low planes are kept, so that distances are refined without
	// the stored vectors.
	Low bool
	// Down says that layers are linked: each node leads to the one nearest to
	// it of the layer below.
	Down bool
}

// Graph is the graph. Its changing methods are for one goroutine at a time.
type Graph struct {
	codec     *quant.Codec
	p         Params
	stride    int // bytes of a code
	arenas    arenas
	lows      arenas    // of low planes, which take no memory until they are made
	searchers sync.Pool // *Searcher
	current   atomic.Pointer[Version]
	dead      atomic.Int64  // nodes that are dead and not repaired
	newest    atomic.Uint64 // commit in which the last shown node was born
	// vacant are the places in the version's uppers of nodes whose slots others
	// have. astray says of which layers a node may lead to none below; of a
	// graph that is read back it is not known. Both are the linker's.
	vacant []uint32
	astray [256]bool
}

// Version is the graph as a reader holds it.
type Version struct {
	g      *Graph
	chunks []*chunk
	uppers []*upper
	table  *slotTable
	n      uint32 // slots below are in chunks
	layers []Layer
	linked int // nodes of all layers, dead ones included
	// chunkBytes and upperBytes are the sizes of chunks and uppers.
	chunkBytes, upperBytes int64
}

// Layer is a graph of its own among the nodes of a layer.
type Layer struct {
	Entry  uint32 // node of the highest level, where searches begin
	Root   uint32 // of the parents on level 0
	Top    int    // level of the entry
	Linked int    // nodes, dead ones included; the rest is of no meaning for 0
}

// Layer returns a layer, an empty one if it has no nodes.
func (v *Version) Layer(layer uint8) Layer {
	if int(layer) >= len(v.layers) {
		return Layer{}
	}
	return v.layers[layer]
}

// setLayer replaces a layer in a version that no other goroutine holds yet.
func (v *Version) setLayer(layer uint8, l Layer) {
	layers := make([]Layer, max(len(v.layers), int(layer)+1))
	copy(layers, v.layers)
	v.linked += l.Linked - layers[layer].Linked
	layers[layer] = l
	v.layers = layers
}

// upper holds the links of a node above level 0.
type upper struct {
	links []uint32 // M for each level from 1
	slot  uint32
	level int32
}

// upperOverhead is the size of an upper without its links, and of the pointer
// to it.
const upperOverhead = 40

func (u *upper) bytes() int64 { return int64(4*len(u.links)) + upperOverhead }

// New returns an empty graph.
func New(codec *quant.Codec, p Params) *Graph {
	g := &Graph{codec: codec, p: p, stride: (codec.Size() + 3) &^ 3}
	g.current.Store(&Version{g: g, table: newSlotTable(0)})
	g.searchers.New = func() any { return newSearcher(g) }
	return g
}

// Version returns the graph as it is.
func (g *Graph) Version() *Version { return g.current.Load() }

// Codec returns the codec of the graph's codes.
func (g *Graph) Codec() *quant.Codec { return g.codec }

// Params returns the graph's constants.
func (g *Graph) Params() Params { return g.p }

// cap returns how many links a list of a level holds.
func (g *Graph) cap(level int) int {
	if level == 0 {
		return 2 * g.p.M
	}
	return g.p.M
}

// Level returns the level of the node with an id.
func (g *Graph) Level(id uint64) int {
	// splitmix64 of id and seed, as a number in (0, 1].
	x := id + g.p.Seed*0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	x ^= x >> 31
	// P(level >= l) = M^-l, in integers so that no logarithm is rounded.
	m := uint64(max(g.p.M, 2))
	level, bound := 0, uint64(math.MaxUint64)/m
	for x <= bound && bound > 0 && level < maxLevel {
		level++
		bound /= m
	}
	return level
}

// Linked returns the number of nodes that are linked, dead ones included.
func (v *Version) Linked() int { return v.linked }

// Slots returns the number that all slots are below.
func (v *Version) Slots() uint32 { return v.n }

// Bytes returns the memory that the version holds.
func (v *Version) Bytes() int64 {
	return 4*int64(len(v.table.slots)) + v.chunkBytes + v.upperBytes
}

// BytesFor bounds the memory of a graph of n nodes, in slots below n. Levels
// being drawn, it is a bound that next to no graph exceeds.
func (g *Graph) BytesFor(n int) int64 {
	rows := firstRows
	for rows < n && rows < 1<<chunkShift {
		rows *= 2
	}
	chunks := (n + rows - 1) / rows
	uppers := n/max(g.p.M-1, 1) + 8
	return int64(chunks)*int64(g.chunkBytes(rows)) + int64(n)*8 + int64(uppers)*int64(4*g.p.M+upperOverhead)
}

// find returns the slot of the newest linked node with an id.
func (v *Version) find(id uint64) (slot uint32, ok bool) { return v.table.find(v, id) }

// Find returns the slot of the node with an id that is alive in commit seq.
// known is false if the version cannot tell: the node came later.
func (v *Version) Find(id, seq uint64) (slot uint32, ok, known bool) {
	s, found := v.find(id)
	if !found {
		return 0, false, true
	}
	c, i := v.at(s)
	born, died := c.born[i].Load(), c.died[i].Load()
	switch {
	case born == 0:
		return 0, false, true
	case born > seq:
		return 0, false, false
	}
	return s, died == 0 || died > seq, true
}

// ID returns the node in a slot.
func (v *Version) ID(slot uint32) uint64 {
	c, i := v.at(slot)
	return c.ids[i].Load()
}

// held reports whether a slot holds a node, dead or alive.
func (v *Version) held(slot uint32) bool {
	c, i := v.at(slot)
	return c.born[i].Load() != 0
}

// dead reports whether a slot holds a node that was deleted.
func (v *Version) dead(slot uint32) bool {
	c, i := v.at(slot)
	return c.died[i].Load() != 0
}

// Life returns the commits in which the node of a slot was born and died, 0
// for not yet.
func (v *Version) Life(slot uint32) (born, died uint64) {
	c, i := v.at(slot)
	return c.born[i].Load(), c.died[i].Load()
}

// list returns the links of a slot on a level, none-terminated if not full.
// Entries are read and written atomically.
func (v *Version) list(slot uint32, level int) []uint32 {
	c, i := v.at(slot)
	if level == 0 {
		m := 2 * v.g.p.M
		return c.links[i*m : i*m+m : i*m+m]
	}
	up := v.upper(slot)
	if up == nil || level > int(up.level) {
		return nil
	}
	m := v.g.p.M
	return up.links[(level-1)*m : level*m : level*m]
}

// Level returns the level of the node in a slot.
func (v *Version) Level(slot uint32) int { return v.level(slot) }

// Layers returns the layers; the caller must not change them.
func (v *Version) Layers() []Layer { return v.layers }

// level returns the level of the node in a slot.
func (v *Version) level(slot uint32) int {
	if up := v.upper(slot); up != nil {
		return int(up.level)
	}
	return 0
}

// upper returns the links of a slot above level 0, nil if it has none or
// was given them after the version was made.
func (v *Version) upper(slot uint32) *upper {
	c, i := v.at(slot)
	u := c.upper[i].Load()
	if u == 0 || int(u) > len(v.uppers) || v.uppers[u-1].slot != slot {
		return nil
	}
	return v.uppers[u-1]
}
