package vecindex

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// get reads a record of the index, nil if there is none.
func (ix *Index) get(ctx context.Context, r kv.Reader, name string) (key, b []byte, err error) {
	key = ix.cfg.Table.Meta(name)
	b, err = r.Get(ctx, key, nil)
	if errors.Is(err, kv.ErrNotFound) {
		return key, nil, nil
	}
	return key, b, err
}

func (l *loader) readRecords(ctx context.Context) (ok bool, err error) {
	ix := l.ix
	key, b, err := ix.get(ctx, l.r, graphName)
	if err != nil || b == nil {
		return false, err
	}
	l.raw = b
	if l.record, err = readGraph(key, b, l.meta.next); err != nil {
		return false, err
	}
	if l.record.m != uint32(ix.cfg.m()) {
		return false, fmt.Errorf("graph of M %d, not %d: %w", l.record.m, ix.cfg.m(), ErrModelMismatch)
	}
	key, b, err = ix.get(ctx, l.r, codecName(l.record.edition))
	if err != nil {
		return false, err
	}
	l.codec, err = ix.readCodec(key, b)
	return err == nil, err
}

// readCodec returns the codec of a record: the same one for the same record,
// since searches that read it each have what they prepared for it.
func (ix *Index) readCodec(key, b []byte) (*quant.Codec, error) {
	if last := ix.codec.Load(); last != nil && bytes.Equal(last.record, b) {
		return last.codec, nil
	}
	codec, err := quant.ReadRecord(b, ix.cfg.Dim, ix.cfg.Metric == InnerProduct)
	if err != nil {
		return nil, corrupt(key, "%v", err)
	}
	ix.codec.Store(&readCodec{bytes.Clone(b), codec})
	return codec, nil
}

// linked returns the number of nodes of the graph, dead ones included.
func (l *loader) linked() (n int) {
	for _, in := range l.record.layers {
		n += in.Linked
	}
	return n
}

// marks returns up to n slots that are marked, the first at from or above: 0
// for those to be linked, 1 for those to be taken out. They ascend. Of the latter
// it counts the layers in gone, unless that is nil.
func (l *loader) marks(ctx context.Context, kind uint8, from uint32, n int, gone *[256]int) (slots []uint32, err error) {
	if n <= 0 {
		return nil, nil
	}
	prefix := append(l.ix.cfg.Table.Prefix(layout.TagPending), kind)
	lower := binary.BigEndian.AppendUint32(slices.Clone(prefix), from)
	err = l.within(ctx, prefix, lower, layout.Next(prefix), 4, func(key, rest, value []byte) error {
		slot := binary.BigEndian.Uint32(rest)
		if slot >= l.meta.next || len(value) != int(kind) {
			return corrupt(key, "malformed mark of slot %d of %d", slot, l.meta.next)
		}
		if gone != nil {
			gone[value[0]]++
		}
		if slots = append(slots, slot); len(slots) == n {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return slots, err
}

// each calls fn with what follows a prefix in its keys, and the values.
func (l *loader) each(ctx context.Context, prefix []byte, rest int, fn func(key, rest, value []byte) error) error {
	return l.within(ctx, prefix, prefix, layout.Next(prefix), rest, fn)
}

// within is each for the keys of a range.
func (l *loader) within(ctx context.Context, prefix, from, to []byte, rest int, fn func(key, rest, value []byte) error) (err error) {
	it, err := l.r.Iter(ctx, from, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok, n := it.First(), 1; ok; ok, n = it.Next(), n+1 {
		if n%ctxStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		key := it.Key()
		if len(key) != len(prefix)+rest {
			return corrupt(key, "key of %d bytes", len(key))
		}
		if err := fn(key, key[len(prefix):], it.Value()); err != nil {
			return err
		}
	}
	return it.Err()
}

func (l *loader) readPending(ctx context.Context) error {
	return l.each(ctx, l.ix.cfg.Table.Prefix(layout.TagPending), 5, func(key, rest, value []byte) error {
		slot := binary.BigEndian.Uint32(rest[1:])
		switch {
		case slot >= l.meta.next:
			return corrupt(key, "slot %d of %d", slot, l.meta.next)
		case rest[0] == 0 && len(value) == 0:
			l.pending[slot] = true
		case rest[0] == 1 && len(value) == 1:
			l.dead[slot] = value[0]
		default:
			return corrupt(key, "malformed mark of pending work")
		}
		return nil
	})
}

// readTop finds the highest slot with a vector.
func (l *loader) readTop(ctx context.Context) (err error) {
	it, err := l.ix.in(l.r).iter(ctx, layout.TagSlot)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	if !it.Last() {
		return it.Err()
	}
	slot, err := keySlot(it.Key())
	if err != nil {
		return err
	}
	if slot >= l.meta.next {
		return corrupt(it.Key(), "slot %d of %d", slot, l.meta.next)
	}
	l.slots = max(l.slots, slot+1)
	return nil
}

// readSlots notes which nodes the graph has.
func (l *loader) readSlots(ctx context.Context, g *hnsw.Restored) error {
	node := func(slot uint32, id uint64, layer uint8, life hnsw.Life) {
		g.Node(slot, id, layer)
		l.has[slot/64] |= 1 << (slot % 64)
		l.lives = append(l.lives, life)
	}
	live := 0
	err := l.each(ctx, l.ix.cfg.Table.Prefix(layout.TagSlot), 4, func(key, rest, value []byte) error {
		slot := binary.BigEndian.Uint32(rest)
		rec, err := readSlot(key, value)
		if err != nil {
			return err
		}
		if err := l.meta.accepts(rec, slot, key); err != nil {
			return err
		}
		live++
		if _, dead := l.dead[slot]; dead {
			return corrupt(key, "a slot that is alive and dead")
		}
		if !l.pending[slot] {
			node(slot, rec.id, rec.layer, hnsw.Life{Slot: slot, Born: rec.born})
		}
		return nil
	})
	if err == nil && live != int(l.meta.live) {
		err = corrupt(l.ix.cfg.Table.Meta(metaName), "%d vectors of %d", live, l.meta.live)
	}
	if err != nil {
		return err
	}
	for slot, layer := range l.dead {
		// Nobody sees it: which node it was does not matter.
		node(slot, ^uint64(slot), layer, hnsw.Life{Slot: slot, Born: 1, Died: l.meta.seq})
	}
	nodes := 0
	for _, layer := range l.record.layers {
		nodes += layer.Linked
	}
	if nodes != len(l.lives) {
		return corrupt(l.ix.cfg.Table.Meta(graphName), "%d nodes of %d", len(l.lives), nodes)
	}
	return nil
}

// readCodes reads the codes of a range of slots and returns how many there
// are.
func (l *loader) readCodes(ctx context.Context, g *hnsw.Restored, from, to uint32) (n int, err error) {
	size, t := l.codec.Size(), l.ix.cfg.Table
	v := g.Version()
	prefix := append(t.Prefix(layout.TagCode), l.record.edition)
	lower, upper := t.Code(l.record.edition, from), t.Code(l.record.edition, to)
	err = l.within(ctx, prefix, lower, upper, 4, func(key, rest, value []byte) error {
		slot := binary.BigEndian.Uint32(rest)
		if !l.known(slot) {
			return nil
		}
		if len(value) != size {
			return corrupt(key, "code of %d bytes", len(value))
		}
		if !l.codec.Valid(value) {
			return corrupt(key, "malformed code")
		}
		n++
		copy(v.Code(slot), value)
		return nil
	})
	return n, err
}

func (l *loader) readLinks(ctx context.Context, g *hnsw.Restored) error {
	n := 0
	var links []uint32
	prefix := append(l.ix.cfg.Table.Prefix(layout.TagLinks), l.record.edition)
	err := l.each(ctx, prefix, 5, func(key, rest, value []byte) error {
		list := hnsw.List{Key: hnsw.ListKey{Level: rest[0], Slot: binary.BigEndian.Uint32(rest[1:])}}
		if !l.known(list.Key.Slot) {
			return nil
		}
		if len(value)%4 != 0 || list.Key.Level == 0 && len(value) == 0 {
			return corrupt(key, "links of %d bytes", len(value))
		}
		if list.Key.Level == 0 {
			n++
			list.Parent = binary.LittleEndian.Uint32(value)
			value = value[4:]
		}
		links = links[:0]
		for ; len(value) > 0; value = value[4:] {
			links = append(links, binary.LittleEndian.Uint32(value))
		}
		list.Links = links
		if err := g.List(list, l.known); err != nil {
			return corrupt(key, "%v", err)
		}
		return nil
	})
	if err == nil && n != len(l.lives) {
		err = corrupt(l.ix.cfg.Table.Meta(graphName), "links of %d nodes of %d", n, len(l.lives))
	}
	return err
}

// readCodec is a codec with the record that it was read from.
type readCodec struct {
	record []byte
	codec  *quant.Codec
}
