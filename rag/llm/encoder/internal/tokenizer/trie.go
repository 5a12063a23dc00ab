package tokenizer

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// trie holds the pieces of a vocabulary, to be walked byte by byte. It is a
// double array: the child of a node by byte c stands at base^c of the node, and
// belongs to it if its parent is that node.
type trie struct {
	cells []cell
}

type cell struct {
	base   uint32
	parent uint32 // the parent's index + 1; 0 is a free cell
	id     int32  // the piece that ends here, -1 for none
}

// step returns the child of a node by a byte, and whether there is one. The
// root is node 0.
func (t *trie) step(node uint32, c byte) (uint32, bool) {
	next := t.cells[node].base ^ uint32(c)
	return next, t.cells[next].parent == node+1
}

// walk returns the node at the end of a key, and whether there is one.
func (t *trie) walk(key []byte) (uint32, bool) {
	node := uint32(0)
	for _, c := range key {
		var ok bool
		if node, ok = t.step(node, c); !ok {
			return 0, false
		}
	}
	return node, true
}

// find returns the number of a whole piece, -1 if there is none.
func (t *trie) find(key []byte) int32 {
	if node, ok := t.walk(key); ok {
		return t.cells[node].id
	}
	return -1
}

// pieces is a list of keys with their numbers, in one block of memory.
type pieces struct {
	text    []byte
	list    []piece
	longest int // bytes of the longest key
}

type piece struct {
	start, end uint32
	id         int32
}

// newPieces returns an empty list with room for those of a vocabulary of size
// bytes.
func newPieces(size int) *pieces {
	return &pieces{text: make([]byte, 0, size/2), list: make([]piece, 0, size/24)}
}

func (p *pieces) add(key []byte, id int32) {
	start := uint32(len(p.text))
	p.text = append(p.text, key...)
	p.longest = max(p.longest, len(key))
	p.list = append(p.list, piece{start, uint32(len(p.text)), id})
}

func (p *pieces) key(i int) []byte { return p.text[p.list[i].start:p.list[i].end] }

// sortUnique orders the pieces by key. Of equal keys the one that was added
// last stays.
func (p *pieces) sortUnique() {
	slices.SortFunc(p.list, func(a, b piece) int {
		if c := bytes.Compare(p.text[a.start:a.end], p.text[b.start:b.end]); c != 0 {
			return c
		}
		return cmp.Compare(a.start, b.start)
	})
	n := 0
	for i := range p.list {
		if i+1 < len(p.list) && bytes.Equal(p.key(i), p.key(i+1)) {
			continue
		}
		p.list[n] = p.list[i]
		n++
	}
	p.list = p.list[:n]
}

const (
	blockSize  = 256
	openBlocks = 16 // blocks in which a place for children is looked for
	maxTries   = 64 // places tried before a new block is opened
)

// builder places nodes in the cells of a trie. Free cells of the open blocks
// form a ring through next and prev.
type builder struct {
	cells      []cell
	next, prev []uint32
	head       uint32 // a free cell; none if free is 0
	free       int
}

// newTrie builds a trie of sorted, different keys.
func newTrie(p *pieces) *trie {
	b := &builder{}
	b.open()
	b.take(0)
	b.cells[0].parent = math.MaxUint32 // the root is not a child
	type job struct{ lo, hi, depth, node uint32 }
	jobs := []job{{0, uint32(len(p.list)), 0, 0}}
	var labels []byte
	var starts []uint32
	for len(jobs) > 0 {
		j := jobs[len(jobs)-1]
		jobs = jobs[:len(jobs)-1]
		lo := j.lo
		b.cells[j.node].id = -1
		if lo < j.hi && uint32(len(p.key(int(lo)))) == j.depth {
			b.cells[j.node].id = p.list[lo].id
			lo++
		}
		labels, starts = labels[:0], starts[:0]
		for i := lo; i < j.hi; i++ {
			if c := p.key(int(i))[j.depth]; len(labels) == 0 || labels[len(labels)-1] != c {
				labels, starts = append(labels, c), append(starts, i)
			}
		}
		if len(labels) == 0 {
			continue
		}
		starts = append(starts, j.hi)
		base := b.place(labels)
		b.cells[j.node].base = base
		for i, c := range labels {
			child := base ^ uint32(c)
			b.take(child)
			b.cells[child].parent = j.node + 1
			jobs = append(jobs, job{starts[i], starts[i+1], j.depth + 1, child})
		}
	}
	return &trie{cells: slices.Clip(b.cells)}
}

// place returns a base at which cells for all labels are free.
func (b *builder) place(labels []byte) uint32 {
	at := b.head
	for range min(b.free, maxTries) {
		base := at ^ uint32(labels[0])
		ok := true
		for _, c := range labels[1:] {
			if b.cells[base^uint32(c)].parent != 0 {
				ok = false
				break
			}
		}
		if ok {
			return base
		}
		at = b.next[at]
	}
	start := uint32(len(b.cells))
	b.open()
	return start ^ uint32(labels[0])
}

// open appends a block of free cells and closes the oldest open one.
func (b *builder) open() {
	start := uint32(len(b.cells))
	if start >= openBlocks*blockSize {
		old := start - openBlocks*blockSize
		for i := old; i < old+blockSize; i++ {
			if b.cells[i].parent == 0 {
				b.unlink(i)
			}
		}
	}
	for i := start; i < start+blockSize; i++ {
		b.cells = append(b.cells, cell{id: -1})
		b.next, b.prev = append(b.next, i+1), append(b.prev, i-1)
	}
	last := start + blockSize - 1
	if b.free == 0 {
		b.head = start
		b.next[last], b.prev[start] = start, last
	} else {
		tail := b.prev[b.head]
		b.next[tail], b.prev[start] = start, tail
		b.next[last], b.prev[b.head] = b.head, last
	}
	b.free += blockSize
}

// take removes a free cell from the ring.
func (b *builder) take(i uint32) {
	b.cells[i].parent = 1 // its caller sets the right one
	b.unlink(i)
}

func (b *builder) unlink(i uint32) {
	b.next[b.prev[i]], b.prev[b.next[i]] = b.next[i], b.prev[i]
	if b.head == i {
		b.head = b.next[i]
	}
	b.free--
}
