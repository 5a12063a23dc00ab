package engine

import (
	"slices"
	"sync"

	"github.com/ragdb/ragdb/internal/layout"
)

// edgeCache holds the blocks of edges that single reads used last: edges of one node
// are mostly in one block. The zero cache is empty.
type edgeCache struct {
	mu     sync.Mutex
	blocks [8]*cachedBlock
	next   int // to be replaced
}

// cachedBlock is a block with its own memory.
type cachedBlock struct {
	g uint32
	edgeBlock
	bytes []byte
}

// covers reports whether an edge is in the block's range, as far as the block knows it.
func (b *cachedBlock) covers(g uint32, e Edge) bool {
	return b != nil && b.g == g && b.t == e.Type && b.rows() > 0 &&
		orderEdges(b.edge(0), e) <= 0 && orderEdges(e, b.edge(b.rows()-1)) <= 0
}

// blockProps returns the properties that a block has of an edge in its stored form.
func (r *reader) blockProps(e Edge) (props []prop, ok bool, err error) {
	if !r.graph.st.blocks.Load() {
		return nil, false, nil
	}
	c := r.edges
	if c == nil {
		c = &edgeCache{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.blocks {
		if b.covers(r.g, e) {
			row, ok := b.find(e)
			if !ok {
				return nil, false, nil
			}
			return b.props(row), true, nil
		}
	}
	b, err := r.readEdgeBlock(e, c.blocks[c.next])
	if err != nil || b == nil {
		return nil, false, err
	}
	c.blocks[c.next] = b
	c.next = (c.next + 1) % len(c.blocks)
	row, ok := b.find(e)
	if !ok {
		return nil, false, nil
	}
	return b.props(row), true, nil
}

// readEdgeBlock reads the block in whose range an edge is, in the memory of an old one,
// or returns nil.
func (r *reader) readEdgeBlock(e Edge, old *cachedBlock) (b *cachedBlock, err error) {
	prefix := layout.EdgesOfType(layout.TagEdgeBlock, r.g, uint32(e.Type))
	it, err := r.kv.Iter(r.ctx, prefix, layout.Next(prefix))
	if err != nil {
		return nil, err
	}
	defer func() { err = firstError(err, it.Err(), it.Close()) }()
	if !it.SeekGE(layout.EdgeBlock(r.g, uint64(e.From), uint32(e.Type), uint64(e.To), e.N)) {
		return nil, nil
	}
	b = &cachedBlock{g: r.g}
	if old != nil {
		*old, b = cachedBlock{g: r.g, edgeBlock: old.edgeBlock, bytes: old.bytes}, old
	}
	b.bytes = append(b.bytes[:0], it.Value()...)
	if err = b.read(e.Type, b.bytes); err == nil {
		err = b.decode()
	}
	if err != nil {
		*b = cachedBlock{}
		return nil, corrupt(slices.Clone(it.Key()), err)
	}
	return b, nil
}
