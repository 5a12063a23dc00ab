package engine

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"golang.org/x/text/unicode/norm"

	"github.com/ragdb/ragdb/internal/layout"
)

// Kind is the type of a property value.
type Kind uint8

// The kinds of values. They are stored; their numbers do not change.
const (
	kindNull    Kind = 0
	KindBool    Kind = 1
	KindInt     Kind = 2
	KindFloat   Kind = 3
	KindString  Kind = 4
	KindBytes   Kind = 6
	KindStrings Kind = 7
	// KindText is a string kept outside its node's record because it is long;
	// [Reader.Text] reads it. Only records hold it: a caller writes a string.
	KindText Kind = 8
	// KindTemporal is a date, a time or a duration; [Value.AsTemporal] tells which.
	KindTemporal Kind = 9
	KindPoint    Kind = 10
	// KindList is a list of values of one kind other than strings; [Value.AsList]
	// returns them.
	KindList Kind = 11
)

// Value is a property value. The zero Value is null.
type Value struct {
	kind Kind
	num  int64
	flt  float64
	str  string // of a string or bytes; encoded of a temporal value, a point, a list
	list []string
}

// Bool returns a boolean value.
func Bool(v bool) Value {
	if v {
		return Value{kind: KindBool, num: 1}
	}
	return Value{kind: KindBool}
}

// Int returns an integer value.
func Int(v int64) Value { return Value{kind: KindInt, num: v} }

// Float returns a floating-point value. NaN is refused when it is stored.
func Float(v float64) Value { return Value{kind: KindFloat, flt: v} }

// String returns a string value; it must be UTF-8.
func String(v string) Value { return Value{kind: KindString, str: v} }

// Bytes returns a value of opaque bytes, which it copies.
func Bytes(v []byte) Value { return Value{kind: KindBytes, str: string(v)} }

// Strings returns a list value, which it copies.
func Strings(v ...string) Value { return Value{kind: KindStrings, list: slices.Clone(v)} }

// Kind returns the value's type.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == kindNull }

// AsBool returns a boolean, false for other kinds.
func (v Value) AsBool() bool { return v.kind == KindBool && v.num != 0 }

// AsInt returns an integer, a float cut to one, or 0.
func (v Value) AsInt() int64 {
	switch v.kind {
	case KindInt, KindBool:
		return v.num
	case KindFloat:
		return int64(v.flt)
	}
	return 0
}

// AsFloat returns a number as a float, or 0.
func (v Value) AsFloat() float64 {
	switch v.kind {
	case KindFloat:
		return v.flt
	case KindInt:
		return float64(v.num)
	}
	return 0
}

// AsString returns a string or the bytes as one, "" for other kinds.
func (v Value) AsString() string {
	if v.kind == KindString || v.kind == KindBytes {
		return v.str
	}
	return ""
}

// AsBytes returns a copy of bytes or of a string's, nil for other kinds.
func (v Value) AsBytes() []byte {
	if v.kind == KindString || v.kind == KindBytes {
		return []byte(v.str)
	}
	return nil
}

// AsStrings returns a list, or the one string of a string value. The caller
// must not change it.
func (v Value) AsStrings() []string {
	switch v.kind {
	case KindStrings:
		return v.list
	case KindString:
		return []string{v.str}
	}
	return nil
}

// Size returns the length in bytes of a string, of bytes or of external text.
func (v Value) Size() int {
	if v.kind == KindText {
		return int(v.num)
	}
	return len(v.str)
}

// Equal reports whether two values are of one kind and equal.
func (v Value) Equal(o Value) bool {
	return v.kind == o.kind && v.num == o.num && v.str == o.str &&
		math.Float64bits(v.flt) == math.Float64bits(o.flt) && slices.Equal(v.list, o.list)
}

// String renders the value for people.
func (v Value) String() string {
	switch v.kind {
	case kindNull:
		return "null"
	case KindBool:
		return strconv.FormatBool(v.num != 0)
	case KindInt:
		return strconv.FormatInt(v.num, 10)
	case KindFloat:
		return strconv.FormatFloat(v.flt, 'g', -1, 64)
	case KindTemporal:
		return v.AsTemporal().String()
	case KindPoint:
		return v.AsPoint().String()
	case KindList:
		return fmt.Sprint(v.AsList())
	case KindBytes:
		return fmt.Sprintf("%d bytes", len(v.str))
	case KindStrings:
		return fmt.Sprintf("%q", v.list)
	case KindText:
		return fmt.Sprintf("text of %d bytes", v.num)
	}
	return v.str
}

// MarshalJSON writes the value as JSON: temporal values, points and bytes as
// objects of one field ({"date": "2025-01-31"}, {"datetime": ...}, {"point": {"srid",
// "x", "y", "z"}}, {"bytes": base64}), the others as JSON's own types, a whole float
// with a fraction so that it reads back as a float.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case KindBool:
		return json.Marshal(v.num != 0)
	case KindInt:
		return json.Marshal(v.num)
	case KindFloat:
		b, err := json.Marshal(v.flt)
		if err == nil && !bytes.ContainsAny(b, ".eE") {
			b = append(b, '.', '0')
		}
		return b, err
	case KindString:
		return json.Marshal(v.str)
	case KindTemporal:
		t := v.AsTemporal()
		return json.Marshal(map[string]string{t.Kind().String(): t.String()})
	case KindPoint:
		return json.Marshal(map[string]jsonPoint{"point": v.AsPoint().json()})
	case KindList:
		return json.Marshal(v.AsList())
	case KindBytes:
		return json.Marshal(map[string]string{"bytes": base64.StdEncoding.EncodeToString([]byte(v.str))})
	case KindStrings:
		if v.list == nil {
			return []byte("[]"), nil
		}
		return json.Marshal(v.list)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads what MarshalJSON writes. A number without fraction and
// exponent is an integer.
func (v *Value) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return phase.Mark(ErrInvalid, "empty JSON value")
	}
	switch b[0] {
	case 'n':
		*v = Value{}
		return nil
	case 't', 'f':
		var x bool
		err := json.Unmarshal(b, &x)
		*v = Bool(x)
		return err
	case '"':
		var x string
		err := json.Unmarshal(b, &x)
		*v = String(x)
		return err
	case '[':
		var x []Value
		if err := json.Unmarshal(b, &x); err != nil {
			return err
		}
		list, err := ListOf(x)
		*v = list
		return err
	case '{':
		return v.unmarshalObject(b)
	}
	if bytes.ContainsAny(b, ".eE") {
		x, err := strconv.ParseFloat(string(b), 64)
		*v = Float(x)
		return err
	}
	x, err := strconv.ParseInt(string(b), 10, 64)
	*v = Int(x)
	return err
}

// The first byte of an indexed value: kinds sort in this order, numbers of
// both kinds together.
const (
	orderBool     = 1
	orderNumber   = 2
	orderTemporal = 3
	orderString   = 4
	orderPoint    = 7
)

// appendOrdered appends an order-preserving encoding of a scalar for indexes;
// ok is false for kinds that have none (null, bytes, lists, text). Integers
// beyond 2^53 share the place of the nearest float.
func (v Value) appendOrdered(dst []byte) (out []byte, ok bool) {
	switch v.kind {
	case KindBool:
		return append(dst, orderBool, byte(v.num)), true
	case KindInt, KindFloat:
		out, err := layout.AppendFloat(append(dst, orderNumber), v.AsFloat())
		return out, err == nil
	case KindTemporal:
		return append(append(dst, orderTemporal), v.str...), true
	case KindPoint:
		return append(append(dst, orderPoint), v.str...), true
	case KindString:
		return append(append(dst, orderString), v.str...), true
	}
	return dst, false
}

// Props are a node's or edge's properties by name.
type Props map[string]Value

// normalized returns the properties under the names that are stored; two
// spellings of one name are refused.
func (p Props) normalized() (Props, error) {
	plain := true
	for name := range p {
		plain = plain && norm.NFC.IsNormalString(name)
	}
	if plain {
		return p, nil
	}
	out := make(Props, len(p))
	for name, v := range p {
		name = norm.NFC.String(name)
		if _, twice := out[name]; twice {
			return nil, phase.Mark(ErrInvalid, "property %q is given twice", name)
		}
		out[name] = v
	}
	return out, nil
}
