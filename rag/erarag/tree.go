package erarag

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// tree is a tree as it is kept, in a bucket. Numbers are big-endian.
// layer is u8: that of a node, or of the segments that are summarised by the
// nodes of it; the segments of layer l group the nodes of layer l-1.
//
//	'h'                      -> hyperplanes, as graphops marshals them
//	'e' high u16             -> the base graph's chunks that were entered, as a
//	                            bitmap of the lower 16 bits of their ids
//	'v'                      -> the model by which all nodes have vectors
//	't' layer                -> nodes u64, next number of a segment u64
//	'n' layer node           -> code u64, for each node of the layer
//	's' layer rank id        -> segment, by the place of its first item
//	'r' layer ^rank ^id      -> empty, the same places backwards
//	'p' layer number         -> rank id, the place of a segment
//	'm' layer node           -> number of the segment that a node of the layer below
//	                            is in, 0 if it waits; with buckets
//	'w' layer rank id        -> code u64, for each node of the layer below that waits
//	'b' layer                -> the lowest bits of a rank that its bucket leaves out
//	'c' layer node           -> a node that is to be put into a segment of the
//	                            layer above (1), into the segment of the one that it
//	                            replaces (2 number), or taken out of it (0 code)
//	'd' layer number         -> a segment whose summary is not of its items
//	'x' layer number         -> one of these that has a summary nevertheless
//	'l' layer number         -> items that a model made the summary of u64, and how
//	                            much of that has left u64; see [loss]
type tree struct {
	engine.Bucket
	sizes  runs.Options
	bucket int // the least size of a bucket; 0 for none
	planes int // bits of a code
}

// place is where an item stands in the order of its layer.
type place struct{ rank, id uint64 }

func (a place) compare(b place) int {
	switch {
	case a == b:
		return 0
	case a.rank < b.rank || a.rank == b.rank && a.id < b.id:
		return -1
	}
	return 1
}

// segment is a segment as it is kept.
type segment struct {
	number uint64
	// summary is the node of its summary, 0 for none; of is the digest of the
	// items that it was made of.
	summary engine.NodeID
	of      [32]byte
	// parent is the number of the segment that the summary before this one was
	// in, 0 for none; with buckets.
	parent uint64
	items  []runs.Item
}

// segmentHead is the size of what stands before the items: 16 bytes each.
const segmentHead = 8 + 8 + 32 + 8

func (g *segment) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, g.number)
	dst = binary.BigEndian.AppendUint64(dst, uint64(g.summary))
	dst = append(dst, g.of[:]...)
	dst = binary.BigEndian.AppendUint64(dst, g.parent)
	for _, it := range g.items {
		dst = binary.BigEndian.AppendUint64(dst, it.Code)
		dst = binary.BigEndian.AppendUint64(dst, it.ID)
	}
	return dst
}

func readSegment(b []byte) (g segment, err error) {
	if len(b) <= segmentHead || (len(b)-segmentHead)%16 != 0 {
		return g, fmt.Errorf("a segment of %d bytes: %w", len(b), engine.ErrCorrupt)
	}
	g.number = binary.BigEndian.Uint64(b)
	g.summary = engine.NodeID(binary.BigEndian.Uint64(b[8:]))
	copy(g.of[:], b[16:])
	g.parent = binary.BigEndian.Uint64(b[segmentHead-8:])
	for b = b[segmentHead:]; len(b) > 0; b = b[16:] {
		g.items = append(g.items, runs.Item{Code: binary.BigEndian.Uint64(b), ID: binary.BigEndian.Uint64(b[8:])})
	}
	return g, nil
}

// digest identifies the items of the segment. A node's text never changes, so
// it identifies what its summary is made of.
func (g *segment) digest() [32]byte {
	var ids []byte
	for _, it := range g.items {
		ids = binary.BigEndian.AppendUint64(ids, it.ID)
	}
	return method.Digest("segment", string(ids))
}

func (g *segment) has(id engine.NodeID) bool {
	return slices.ContainsFunc(g.items, func(it runs.Item) bool { return it.ID == uint64(id) })
}

func (t *tree) placeOf(it runs.Item) place { return place{t.sizes.Rank(it.Code), it.ID} }

// The keys of the bucket.
func layerKey(kind byte, layer uint8) []byte { return []byte{kind, layer} }

func idKey(kind byte, layer uint8, id uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{kind, layer}, id)
}

func placeKey(kind byte, layer uint8, p place) []byte {
	return binary.BigEndian.AppendUint64(idKey(kind, layer, p.rank), p.id)
}

func backKey(layer uint8, p place) []byte { return placeKey('r', layer, place{^p.rank, ^p.id}) }

func readPlace(b []byte) (place, error) {
	if len(b) != 16 {
		return place{}, fmt.Errorf("a place of %d bytes: %w", len(b), engine.ErrCorrupt)
	}
	return place{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, nil
}

// first returns the first entry from a key on among those of a kind and layer.
func (t *tree) first(from []byte) (e engine.Entry, ok bool, err error) {
	for e, err := range t.Scan(from, []byte{from[0], from[1] + 1}) {
		return e, err == nil, err
	}
	return e, false, nil
}

// at returns the segment whose first item has a place.
func (t *tree) at(layer uint8, p place) (segment, error) {
	b, err := t.Get(placeKey('s', layer, p), nil)
	if err != nil {
		return segment{}, fmt.Errorf("segment of layer %d: %w", layer, err)
	}
	return readSegment(b)
}

// from returns the first segment whose first item's place is p or after it,
// or with strictly after it.
func (t *tree) from(layer uint8, p place, strictly bool) (g segment, ok bool, err error) {
	key := placeKey('s', layer, p)
	if strictly {
		key = append(key, 0)
	}
	e, ok, err := t.first(key)
	if !ok || err != nil {
		return g, false, err
	}
	g, err = readSegment(e.Value)
	return g, err == nil, err
}

// upTo returns the last segment whose first item's place is p or before it, or
// with strictly before it.
func (t *tree) upTo(layer uint8, p place, strictly bool) (g segment, ok bool, err error) {
	key := backKey(layer, p)
	if strictly {
		key = append(key, 0)
	}
	e, ok, err := t.first(key)
	if !ok || err != nil {
		return g, false, err
	}
	back, err := readPlace(e.Key[2:])
	if err != nil {
		return g, false, err
	}
	g, err = t.at(layer, place{^back.rank, ^back.id})
	return g, err == nil, err
}

// numbered returns a segment by its number; ok is false if there is none.
func (t *tree) numbered(layer uint8, number uint64) (g segment, ok bool, err error) {
	b, err := t.Get(idKey('p', layer, number), nil)
	if graph.IsMissing(err) {
		return g, false, nil
	}
	if err != nil {
		return g, false, err
	}
	p, err := readPlace(b)
	if err != nil {
		return g, false, err
	}
	g, err = t.at(layer, p)
	return g, err == nil, err
}

// holding returns the segment that a node of the layer below is in; ok is
// false if it is in none.
func (t *tree) holding(layer uint8, it runs.Item) (g segment, ok bool, err error) {
	if t.bucket > 0 {
		number, ok, err := t.member(layer, it.ID)
		if err != nil || !ok || number == 0 {
			return g, false, err
		}
		return t.numbered(layer, number)
	}
	p := t.placeOf(it)
	if g, ok, err = t.upTo(layer, p, false); err != nil || !ok {
		return g, false, err
	}
	return g, g.has(engine.NodeID(it.ID)), nil
}

// segmented reports whether a layer has segments.
func (t *tree) segmented(layer uint8) (bool, error) {
	_, ok, err := t.first(layerKey('s', layer))
	return ok, err
}

// code returns the code of a node; ok is false if the tree does not have it.
func (t *tree) code(layer uint8, id engine.NodeID) (code uint64, ok bool, err error) {
	b, err := t.Get(idKey('n', layer, uint64(id)), nil)
	if graph.IsMissing(err) {
		return 0, false, nil
	}
	if err == nil && len(b) != 8 {
		err = fmt.Errorf("a code of %d bytes: %w", len(b), engine.ErrCorrupt)
	}
	if err != nil {
		return 0, false, err
	}
	return binary.BigEndian.Uint64(b), true, nil
}

// layerState is what is counted of a layer: its nodes, and the number that its
// next segment gets.
type layerState struct{ nodes, next uint64 }

func (t *tree) layer(layer uint8) (st layerState, err error) {
	b, err := t.Get(layerKey('t', layer), nil)
	if graph.IsMissing(err) {
		return layerState{next: 1}, nil
	}
	if err == nil && len(b) != 16 {
		err = fmt.Errorf("the state of a layer of %d bytes: %w", len(b), engine.ErrCorrupt)
	}
	if err != nil {
		return st, err
	}
	return layerState{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, nil
}

// ids yields the last number of the keys of a kind and layer, ascending, with
// their values.
func (t *tree) ids(kind byte, layer uint8, fn func(id uint64, value []byte) error) error {
	for e, err := range t.Prefix(layerKey(kind, layer)) {
		if err == nil && len(e.Key) != 10 {
			err = fmt.Errorf("a key of %d bytes: %w", len(e.Key), engine.ErrCorrupt)
		}
		if err == nil {
			err = fn(binary.BigEndian.Uint64(e.Key[2:]), e.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tree returns a tree at a view.
func (s *system) tree(v engine.Reader, name string) *tree {
	return s.p.tree(v.Bucket(treeOf(name)))
}

// tree returns the tree that a bucket of the graph holds.
func (p *Params) tree(b engine.Bucket) *tree { return &tree{b, p.sizes(), p.Bucket, p.Planes} }
