package engine

import (
	"encoding/binary"
	"math"

	"github.com/ragdb/ragdb/internal/column"
)

// Vector holds one property of the rows of a block, nodes or edges. It is good until its
// block is read again, and a caller must not change its slices.
type Vector struct {
	values column.Vector
}

// Rows returns the number of rows, and Some how many of them have the property.
func (v *Vector) Rows() int { return v.values.Rows() }

// Some returns how many rows have the property.
func (v *Vector) Some() int { return v.values.Some() }

// Has reports whether a row has the property.
func (v *Vector) Has(row int) bool { return v.values.Has(row) }

// At returns the value of a row, null if it lacks the property.
func (v *Vector) At(row int) Value { return fromColumn(v.values.At(row)) }

// Kind returns the kind of all values. ok is false if there are none or if they are of
// several kinds: then [Vector.At] alone tells the values.
func (v *Vector) Kind() (k Kind, ok bool) {
	k = kindOf(v.values.Kind)
	return k, k != kindNull
}

// Ints returns the values by row if all are of [KindInt] or all of [KindBool], which is 1
// for true, else nil. A row that lacks the property has 0.
func (v *Vector) Ints() []int64 {
	if v.values.Kind.Class() == column.Number {
		return v.values.Nums
	}
	return nil
}

// Strings returns the values if all are of [KindString]: that of a row is dict[codes[row]],
// if it has the property. dict may have a string twice. It returns nil for other kinds.
func (v *Vector) Strings() (codes []int64, dict []string) {
	if v.values.Kind == columnKind(KindString) {
		return v.values.Codes, v.values.Dict
	}
	return nil, nil
}

// columnKind returns a kind as columns have it.
func columnKind(k Kind) column.Kind {
	switch k {
	case KindBool, KindInt, KindText:
		return column.Number | column.Kind(k)
	case KindFloat:
		return column.Float | column.Kind(k)
	case kindNull:
		return 0
	}
	return column.Text | column.Kind(k)
}

// kindOf is the reverse of columnKind.
func kindOf(k column.Kind) Kind { return Kind(k - k.Class()) }

// toColumn returns a value as columns have it.
func toColumn(v Value) column.Value {
	out := column.Value{Kind: columnKind(v.kind)}
	switch out.Kind.Class() {
	case column.Float:
		out.Num = int64(math.Float64bits(v.flt + 0)) // -0 becomes 0, as in a record
	case column.Number:
		out.Num = v.num
	default:
		out.Str = v.str
		if v.kind == KindStrings {
			var b []byte
			for _, s := range v.list {
				b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
			}
			out.Str = string(b)
		}
	}
	return out
}

// fromColumn is the reverse of toColumn. Of a value that no toColumn makes, it returns
// null; verifyColumn tells it from one.
func fromColumn(c column.Value) Value {
	v := Value{kind: kindOf(c.Kind)}
	switch {
	case c.Kind == 0 || columnKind(v.kind) != c.Kind:
		return Value{}
	case c.Kind.Class() == column.Float:
		v.flt = c.Float()
	case c.Kind.Class() == column.Number:
		v.num = c.Num
	case v.kind == KindStrings:
		v.list = []string{}
		for b := c.Str; len(b) > 0; {
			n, k := uvarint(b)
			if k <= 0 || n > uint64(len(b)-k) {
				return Value{}
			}
			v.list = append(v.list, b[k:k+int(n)])
			b = b[k+int(n):]
		}
	default:
		v.str = c.Str
	}
	return v
}

// uvarint is binary.Uvarint of a string.
func uvarint(s string) (x uint64, n int) {
	for i := range min(len(s), binary.MaxVarintLen64) {
		if s[i] < 0x80 {
			return x | uint64(s[i])<<(7*i), i + 1
		}
		x |= uint64(s[i]&0x7F) << (7 * i)
	}
	return 0, 0
}
