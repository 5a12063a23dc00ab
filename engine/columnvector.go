package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine/internal/schema"
)

// columnVector holds the values of a property for the nodes of a block.
type columnVector struct {
	kinds  []Kind   // by row
	nums   []uint64 // by row: a number, or a place in values
	values []Value  // that are no number
	heap   int      // bytes that values refer to
}

// value returns the value of a row.
func (v *columnVector) value(row int) Value {
	if row >= len(v.kinds) {
		return Value{}
	}
	switch k := v.kinds[row]; k {
	case kindNull:
		return Value{}
	case KindBool, KindInt, KindText:
		return Value{kind: k, num: int64(v.nums[row])}
	case KindFloat:
		return Value{kind: k, flt: math.Float64frombits(v.nums[row])}
	}
	return v.values[v.nums[row]]
}

// size returns the memory that the vector takes.
func (v *columnVector) size() int {
	const valueBytes = 64
	return 9*cap(v.kinds) + valueBytes*cap(v.values) + v.heap
}

func (v *columnVector) grow(rows int) {
	if n := rows - len(v.kinds); n > 0 {
		v.kinds = append(slices.Grow(v.kinds, blockIDs-len(v.kinds)), make([]Kind, n)...)
		v.nums = append(slices.Grow(v.nums, blockIDs-len(v.nums)), make([]uint64, n)...)
	}
}

// add sets the value of a row.
func (v *columnVector) add(row int, x Value) {
	v.grow(row + 1)
	v.kinds[row] = x.kind
	switch x.kind {
	case kindNull:
	case KindBool, KindInt, KindText:
		v.nums[row] = uint64(x.num)
	case KindFloat:
		v.nums[row] = math.Float64bits(x.flt)
	default:
		v.nums[row] = uint64(len(v.values))
		v.values = append(v.values, x)
		v.heap += len(x.str)
		for _, s := range x.list {
			v.heap += 16 + len(s)
		}
	}
}

// vectorFill makes the vectors of a block from records.
type vectorFill struct {
	pids    []uint32
	vectors []*columnVector
	known   []map[string]uint64 // by column, the places of values by kind and bytes
	key     []byte
}

// begin starts vectors of some properties.
func (f *vectorFill) begin(pids []uint32) {
	f.pids = pids
	f.vectors = make([]*columnVector, len(pids))
	for len(f.known) < len(pids) {
		f.known = append(f.known, map[string]uint64{})
	}
	for i := range f.vectors {
		f.vectors[i] = &columnVector{}
		clear(f.known[i])
	}
}

// add sets the values of a row to those of a record.
func (f *vectorFill) add(row int, buf []byte) (err error) {
	defer guard(&err)
	n := schema.GetRootAsNode(buf, 0)
	var p schema.Property
	left := room(len(buf))
	for i := range n.PropsLength() {
		if !n.Props(&p, i) {
			return fmt.Errorf("malformed record: property %d is missing", i)
		}
		at := slices.Index(f.pids, p.Id())
		if at < 0 {
			continue
		}
		if err := f.set(at, row, &p, &left); err != nil {
			return err
		}
	}
	return nil
}

// set sets a value of a column. Values of equal bytes are kept once.
func (f *vectorFill) set(at, row int, p *schema.Property, left *room) error {
	v := f.vectors[at]
	kind := Kind(p.Kind())
	switch kind {
	case KindString, KindBytes, KindTemporal, KindPoint, KindList:
		f.key = append(append(f.key[:0], byte(kind)), p.BytesBytes()...)
		if place, ok := f.known[at][string(f.key)]; ok {
			v.grow(row + 1)
			v.kinds[row], v.nums[row] = kind, place
			return left.take(elementSize + len(f.key) - 1)
		}
		f.known[at][string(f.key)] = uint64(len(v.values))
	}
	x, err := decodeProp(p, left)
	if err != nil {
		return err
	}
	v.add(row, x.value)
	return nil
}
