package column

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

const version = 1

// Flags of a column.
const (
	flagSparse = 1 // rows lack a value
	flagMixed  = 2 // values are of several kinds
)

// Column is a column to be written.
type Column struct {
	ID     uint32
	Values []Value // one a row
}

// Append appends a block of some rows to dst. Columns are in order of their ids, and
// those without any value are left out. rows is at most [MaxRows].
func Append(dst []byte, rows int, columns []Column) []byte {
	dst = binary.AppendUvarint(append(dst, version), uint64(rows))
	var bodies []byte
	var head []byte
	n, last := 0, uint32(0)
	for _, c := range columns {
		from := len(bodies)
		if bodies = appendColumn(bodies, c.Values); len(bodies) == from {
			continue
		}
		head = binary.AppendUvarint(head, uint64(c.ID-last))
		head = binary.AppendUvarint(head, uint64(len(bodies)-from))
		n, last = n+1, c.ID
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	return append(append(dst, head...), bodies...)
}

// appendColumn appends a column, nothing if no row has a value.
func appendColumn(dst []byte, values []Value) []byte {
	var kind Kind
	flags, some := byte(0), 0
	for i := range values {
		switch k := values[i].Kind; {
		case k == 0:
			flags |= flagSparse
			continue
		case some == 0:
			kind = k
		case k != kind:
			flags |= flagMixed
		}
		some++
	}
	if some == 0 {
		return dst
	}
	dst = append(dst, flags)
	if flags&flagSparse != 0 {
		at := len(dst)
		dst = append(dst, make([]byte, (len(values)+7)/8)...)
		for i := range values {
			if values[i].Kind != 0 {
				dst[at+i/8] |= 1 << (i % 8)
			}
		}
	}
	var kinds, numbers, floats []int64
	var strs []string
	for i := range values {
		v := &values[i]
		if v.Kind == 0 {
			continue
		}
		if flags&flagMixed != 0 {
			kinds = append(kinds, int64(v.Kind))
		}
		switch v.Kind.Class() {
		case Number:
			numbers = append(numbers, v.Num)
		case Float:
			floats = append(floats, v.Num)
		case Text:
			strs = append(strs, v.Str)
		}
	}
	if flags&flagMixed != 0 {
		dst = appendNumbers(dst, kinds)
	} else {
		dst = append(dst, byte(kind))
	}
	if len(numbers) > 0 {
		dst = appendNumbers(dst, numbers)
	}
	if len(floats) > 0 {
		dst = appendFloats(dst, floats)
	}
	if len(strs) > 0 {
		dst = appendTexts(dst, strs)
	}
	return dst
}

// Block is a block that is read. The zero Block has no rows; reading again reuses its
// memory.
type Block struct {
	rows  int
	ids   []uint32
	parts [][]byte
}

// Read reads which columns a block has. The block aliases b from then on. After an error it
// has no rows.
func (k *Block) Read(b []byte) error {
	err := k.read(b)
	if err != nil {
		k.rows, k.ids, k.parts = 0, k.ids[:0], k.parts[:0]
	}
	return err
}

var errBlock = errors.New("malformed block of columns")

func (k *Block) read(b []byte) error {
	k.ids, k.parts = k.ids[:0], k.parts[:0]
	if len(b) == 0 || b[0] != version {
		return fmt.Errorf("%w: unknown version", errBlock)
	}
	b = b[1:]
	rows, w := binary.Uvarint(b)
	if w <= 0 || rows > MaxRows {
		return fmt.Errorf("%w: rows", errBlock)
	}
	b = b[w:]
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)) {
		return fmt.Errorf("%w: number of columns", errBlock)
	}
	b = b[w:]
	k.rows = int(rows)
	sizes := make([]uint64, n)
	last, sum := uint64(0), uint64(0)
	for i := range n {
		id, w := binary.Uvarint(b)
		if w <= 0 || i > 0 && id == 0 || id > 1<<32-1 || last+id > 1<<32-1 {
			return fmt.Errorf("%w: id of a column", errBlock)
		}
		b = b[w:]
		size, w := binary.Uvarint(b)
		if w <= 0 || size > uint64(len(b)) {
			return fmt.Errorf("%w: size of a column", errBlock)
		}
		b = b[w:]
		last += id
		k.ids = append(k.ids, uint32(last))
		sizes[i] = size
		sum += size
	}
	if sum != uint64(len(b)) {
		return fmt.Errorf("%w: %d bytes in place of %d", errBlock, len(b), sum)
	}
	for _, size := range sizes {
		k.parts = append(k.parts, b[:size:size])
		b = b[size:]
	}
	return nil
}

// Rows returns the number of rows.
func (k *Block) Rows() int { return k.rows }

// IDs returns the ids of the columns in order. They are the block's own.
func (k *Block) IDs() []uint32 { return k.ids }

// Column reads a column in place of what v held. If there is none of the id, no row of v
// has a value. v does not alias the block's bytes.
func (k *Block) Column(id uint32, v *Vector) error {
	i, ok := slices.BinarySearch(k.ids, id)
	if !ok {
		v.none(k.rows)
		return nil
	}
	if err := v.read(k.parts[i], k.rows); err != nil {
		v.none(k.rows)
		return fmt.Errorf("column %d: %w", id, err)
	}
	return nil
}
