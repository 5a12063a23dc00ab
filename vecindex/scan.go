package vecindex

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// stored reads the records of an index from one state of the store.
type stored struct {
	r       kv.Reader
	table   layout.Table
	dim     int
	element Element
}

// ctxStride is how many records are read between two looks at the context.
const ctxStride = 1024

// meta reads the index's record of itself; it is zero if the index was
// never written.
func (s stored) meta(ctx context.Context) (meta, error) {
	key := s.table.Meta(metaName)
	b, err := s.r.Get(ctx, key, nil)
	if errors.Is(err, kv.ErrNotFound) {
		return meta{}, nil
	}
	if err != nil {
		return meta{}, err
	}
	return readMeta(key, b)
}

// scan calls fn with every slot's record, number and encoded vector under its
// key, slots ascending. key and raw are valid until fn returns.
func (s stored) scan(ctx context.Context, fn func(rec slotRecord, slot uint32, key, raw []byte) error) error {
	return s.scanFrom(ctx, 0, fn)
}

// scanFrom is scan for the slots from one on.
func (s stored) scanFrom(ctx context.Context, from uint32, fn func(rec slotRecord, slot uint32, key, raw []byte) error) (err error) {
	slots, err := s.iterFrom(ctx, layout.TagSlot, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, slots.Close()) }()
	vectors, err := s.iterFrom(ctx, layout.TagVector, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, vectors.Close()) }()

	okS, okV := slots.First(), vectors.First()
	for n := 1; okS && okV; n++ {
		if n%ctxStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		slot, err := keySlot(slots.Key())
		if err != nil {
			return err
		}
		other, err := keySlot(vectors.Key())
		if err != nil {
			return err
		}
		if slot < other {
			return corrupt(slots.Key(), "slot without a vector")
		}
		if slot > other {
			return corrupt(vectors.Key(), "vector without a slot")
		}
		rec, err := readSlot(slots.Key(), slots.Value())
		if err != nil {
			return err
		}
		if err := fn(rec, slot, vectors.Key(), vectors.Value()); err != nil {
			return err
		}
		okS, okV = slots.Next(), vectors.Next()
	}
	if err := errors.Join(slots.Err(), vectors.Err(), ctx.Err()); err != nil {
		return err
	}
	if okS {
		return corrupt(slots.Key(), "slot without a vector")
	}
	if okV {
		return corrupt(vectors.Key(), "vector without a slot")
	}
	return nil
}

func (s stored) iter(ctx context.Context, tag layout.Tag) (kv.Iterator, error) {
	prefix := s.table.Prefix(tag)
	return s.r.Iter(ctx, prefix, layout.Next(prefix))
}

// iterFrom is iter of a table keyed by slot, from one on.
func (s stored) iterFrom(ctx context.Context, tag layout.Tag, slot uint32) (kv.Iterator, error) {
	return s.r.Iter(ctx, s.table.Slot(tag, slot), layout.Next(s.table.Prefix(tag)))
}

// slotOf returns the slot of a node, ok being false if it has none.
func (s stored) slotOf(ctx context.Context, id uint64) (slot uint32, ok bool, err error) {
	key := s.table.SlotOf(id)
	var buf [slotOfSize]byte
	b, err := s.r.Get(ctx, key, buf[:0])
	if errors.Is(err, kv.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	slot, err = readSlotOf(key, b)
	return slot, err == nil, err
}

// vectors calls fn with the place in ids, layer and vector of each id that the
// index has, in any order. v is valid until fn returns.
func (s stored) vectors(ctx context.Context, ids []uint64, fn func(i int, layer uint8, v []float32) error) error {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = s.table.SlotOf(id)
	}
	const none = math.MaxUint64
	slots := make([]uint64, len(ids))
	err := s.r.MultiGet(ctx, keys, func(i int, b []byte) error {
		if slots[i] = none; b == nil {
			return nil
		}
		slot, err := readSlotOf(keys[i], b)
		slots[i] = uint64(slot)
		return err
	})
	if err != nil {
		return err
	}
	where := make([]int, 0, len(ids))
	for i, slot := range slots {
		if slot != none {
			keys[len(where)] = s.table.Slot(layout.TagSlot, uint32(slot))
			where = append(where, i)
		}
	}
	keys = keys[:len(where)]
	layers := make([]uint8, len(where))
	err = s.r.MultiGet(ctx, keys, func(j int, b []byte) error {
		rec, err := readSlot(keys[j], b)
		if err == nil && rec.id != ids[where[j]] {
			err = corrupt(keys[j], "slot of node %d belongs to node %d", ids[where[j]], rec.id)
		}
		layers[j] = rec.layer
		return err
	})
	if err != nil {
		return err
	}
	for j, i := range where {
		keys[j] = s.table.Slot(layout.TagVector, uint32(slots[i]))
	}
	row := make([]float32, s.dim)
	return s.r.MultiGet(ctx, keys, func(j int, b []byte) error {
		if err := s.element.read(keys[j], b, row); err != nil {
			return err
		}
		return fn(where[j], layers[j], row)
	})
}

// place is the slot of a vector that is wanted as number i.
type place struct {
	i     int
	slot  uint32
	layer uint8
}

// inSlots calls fn with the number, layer and vector of each place, in any
// order. Each has to have a vector. x is valid until fn returns.
func (s stored) inSlots(ctx context.Context, places []place, fn func(i int, layer uint8, x []float32) error) error {
	if len(places) == 0 {
		return nil
	}
	keys := make([][]byte, len(places))
	for j, p := range places {
		keys[j] = s.table.Slot(layout.TagVector, p.slot)
	}
	row := make([]float32, s.dim)
	return s.r.MultiGet(ctx, keys, func(j int, b []byte) error {
		if b == nil {
			return corrupt(keys[j], "slot without a vector")
		}
		if err := s.element.read(keys[j], b, row); err != nil {
			return err
		}
		return fn(places[j].i, places[j].layer, row)
	})
}

// scanSlots calls fn with every slot's record, slots ascending.
func (s stored) scanSlots(ctx context.Context, fn func(slot uint32, rec slotRecord)) (err error) {
	it, err := s.iter(ctx, layout.TagSlot)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok, n := it.First(), 1; ok; ok, n = it.Next(), n+1 {
		if n%ctxStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		slot, err := keySlot(it.Key())
		if err != nil {
			return err
		}
		rec, err := readSlot(it.Key(), it.Value())
		if err != nil {
			return err
		}
		fn(slot, rec)
	}
	return it.Err()
}

// pending calls fn with every slot from one on that is to be linked, ascending.
// x is valid until fn returns.
func (s stored) pending(ctx context.Context, from uint32, fn func(slot uint32, rec slotRecord, x []float32) error) (err error) {
	prefix := append(s.table.Prefix(layout.TagPending), 0)
	it, err := s.r.Iter(ctx, s.table.Pending(false, from), layout.Next(prefix))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	slots, err := s.iter(ctx, layout.TagSlot)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, slots.Close()) }()
	vectors, err := s.iter(ctx, layout.TagVector)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, vectors.Close()) }()
	x := make([]float32, s.dim)
	for ok, n := it.First(), 1; ok; ok, n = it.Next(), n+1 {
		if n%ctxStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		slot, err := pendingSlot(it.Key())
		if err != nil {
			return err
		}
		key, err := seek(slots, s.table.Slot(layout.TagSlot, slot))
		if err != nil {
			return err
		}
		rec, err := readSlot(key, slots.Value())
		if err != nil {
			return err
		}
		if key, err = seek(vectors, s.table.Slot(layout.TagVector, slot)); err != nil {
			return err
		}
		if err := s.element.read(key, vectors.Value(), x); err != nil {
			return err
		}
		if err := fn(slot, rec, x); err != nil {
			return err
		}
	}
	return it.Err()
}

// seek moves an iterator to a key that must be there. Keys are mostly sought
// in order, one after the other.
func seek(it kv.Iterator, key []byte) ([]byte, error) {
	if it.Valid() && it.Next() && bytes.Equal(it.Key(), key) {
		return it.Key(), nil
	}
	if it.SeekGE(key) && bytes.Equal(it.Key(), key) {
		return it.Key(), nil
	}
	if err := it.Err(); err != nil {
		return nil, err
	}
	return nil, corrupt(key, "a pending slot without its record")
}

// pendingSlot reads the slot from a mark of pending work.
func pendingSlot(key []byte) (uint32, error) {
	if rest := layout.TableRest(key); len(rest) == 5 {
		return binary.BigEndian.Uint32(rest[1:]), nil
	}
	return 0, corrupt(key, "key of %d bytes", len(key))
}
