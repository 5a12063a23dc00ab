package column

import (
	"fmt"
	"math/bits"
	"slices"
)

// Vector is a column that is read: the values of a block's rows. The slices are its own
// and good until it is read again; a caller must not change them.
type Vector struct {
	// Kind is the kind of all values, 0 if they are of several or if there is none.
	Kind Kind
	// Nums are the numbers by row, those of floats being their bits, if Kind is of such
	// a class. A row without a value has 0.
	Nums []int64
	// Codes are the places in Dict of the texts by row, if Kind is of that class. A row
	// without a value has 0.
	Codes []int64
	// Dict are the texts that Codes name. It may have a text twice.
	Dict []string

	rows   int
	some   int     // rows with a value
	has    []byte  // a bitmap of the rows that have a value, unless all or none have one
	mixed  []Value // by row, if values are of several kinds
	values texts
}

// Rows returns the number of rows.
func (v *Vector) Rows() int { return v.rows }

// Some returns how many rows have a value.
func (v *Vector) Some() int { return v.some }

// Has reports whether a row has a value.
func (v *Vector) Has(row int) bool {
	if v.some == v.rows || v.some == 0 {
		return v.some > 0
	}
	return v.has[row/8]>>(row%8)&1 != 0
}

// At returns the value of a row.
func (v *Vector) At(row int) Value {
	switch {
	case !v.Has(row):
		return Value{}
	case v.Kind == 0:
		return v.mixed[row]
	case v.Kind.Class() == Text:
		return Value{Kind: v.Kind, Str: v.Dict[v.Codes[row]]}
	}
	return Value{Kind: v.Kind, Num: v.Nums[row]}
}

// Fill makes v the vector of some values, one a row, in place of what it held. mixed
// vectors alias values.
func (v *Vector) Fill(values []Value) {
	v.none(len(values))
	v.has = slices.Grow(v.has, (len(values)+7)/8)[:(len(values)+7)/8]
	clear(v.has)
	one := true
	for i := range values {
		k := values[i].Kind
		if k == 0 {
			continue
		}
		if v.some == 0 {
			v.Kind = k
		}
		one = one && k == v.Kind
		v.some++
		v.has[i/8] |= 1 << (i % 8)
	}
	if v.some == 0 {
		return
	}
	if !one {
		v.Kind, v.mixed = 0, values
		return
	}
	if v.Kind.Class() != Text {
		v.Nums = sized(v.Nums, len(values))
		for i := range values {
			v.Nums[i] = values[i].Num
		}
		return
	}
	v.Codes, v.Dict = sized(v.Codes, len(values)), slices.Grow(v.Dict, len(values))[:len(values)]
	for i := range values {
		v.Codes[i], v.Dict[i] = int64(i), values[i].Str
	}
}

// none makes v a vector of rows without a value.
func (v *Vector) none(rows int) {
	v.Kind, v.rows, v.some = 0, rows, 0
	v.Nums, v.Codes, v.Dict, v.has, v.mixed = v.Nums[:0], v.Codes[:0], v.Dict[:0], v.has[:0], nil
}

func sized(x []int64, n int) []int64 { return slices.Grow(x[:0], n)[:n] }

var errColumn = fmt.Errorf("%w: a column that ends early or has an unknown form", errBlock)

// read reads a column in place of what v held.
func (v *Vector) read(b []byte, rows int) error {
	v.none(rows)
	if len(b) == 0 || b[0] > flagSparse|flagMixed {
		return errColumn
	}
	flags := b[0]
	b = b[1:]
	some := rows
	if flags&flagSparse != 0 {
		n := (rows + 7) / 8
		if len(b) < n {
			return errColumn
		}
		v.has = append(v.has, b[:n]...)
		if rows%8 != 0 {
			v.has[n-1] &= 1<<(rows%8) - 1
		}
		some = 0
		for _, c := range v.has {
			some += bits.OnesCount8(c)
		}
		b = b[n:]
	}
	if some == 0 {
		return errColumn
	}
	if flags&flagMixed != 0 {
		return v.readMixed(b, some)
	}
	if len(b) == 0 || !Kind(b[0]).valid() {
		return errColumn
	}
	v.Kind, v.some = Kind(b[0]), some
	b = b[1:]
	ok := false
	switch v.Kind.Class() {
	case Text:
		v.values.codes, v.values.dict = v.Codes, v.Dict
		b, ok = readTexts(b, some, &v.values)
		v.Codes, v.Dict = v.values.codes, v.values.dict
		v.Codes = v.spread(v.Codes)
	case Float:
		v.Nums = sized(v.Nums, some)
		b, ok = readFloats(b, v.Nums)
		v.Nums = v.spread(v.Nums)
	default:
		v.Nums = sized(v.Nums, some)
		b, ok = readNumbers(b, v.Nums)
		v.Nums = v.spread(v.Nums)
	}
	if !ok || len(b) > 0 {
		return errColumn
	}
	return nil
}

// spread moves the numbers of rows that have a value to their rows.
func (v *Vector) spread(x []int64) []int64 {
	if v.some == v.rows {
		return x
	}
	from := v.some - 1
	x = slices.Grow(x, v.rows-v.some)[:v.rows]
	for row := v.rows - 1; row >= 0; row-- {
		if v.Has(row) {
			x[row] = x[from]
			from--
		} else {
			x[row] = 0
		}
	}
	return x
}

// readMixed reads values of several kinds.
func (v *Vector) readMixed(b []byte, some int) error {
	kinds := make([]int64, some)
	b, ok := readNumbers(b, kinds)
	if !ok {
		return errColumn
	}
	var count [4]int
	for _, k := range kinds {
		if k < 0 || k > 255 || !Kind(k).valid() {
			return errColumn
		}
		count[Kind(k)>>6]++
	}
	numbers, floats := make([]int64, count[Number>>6]), make([]int64, count[Float>>6])
	var strs texts
	if len(numbers) > 0 && ok {
		b, ok = readNumbers(b, numbers)
	}
	if len(floats) > 0 && ok {
		b, ok = readFloats(b, floats)
	}
	if n := count[Text>>6]; n > 0 && ok {
		b, ok = readTexts(b, n, &strs)
	}
	if !ok || len(b) > 0 {
		return errColumn
	}
	v.some = some
	v.mixed = make([]Value, v.rows)
	for row := range v.rows {
		if !v.Has(row) {
			continue
		}
		x := Value{Kind: Kind(kinds[0])}
		kinds = kinds[1:]
		switch x.Kind.Class() {
		case Text:
			x.Str = strs.dict[strs.codes[0]]
			strs.codes = strs.codes[1:]
		case Float:
			x.Num, floats = floats[0], floats[1:]
		default:
			x.Num, numbers = numbers[0], numbers[1:]
		}
		v.mixed[row] = x
	}
	return nil
}
