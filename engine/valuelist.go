package engine

import (
	"encoding/binary"
	"errors"
	"math"
)

// errNoValue is the error of stored bytes that this package never writes.
var errNoValue = errors.New("malformed value")

// ListOf returns a list of values of one kind: booleans, integers, floats,
// strings, points, or temporal values of one kind among these. An empty list is
// one of strings. Others, and lists that mix kinds, are [ErrInvalid].
func ListOf(list []Value) (Value, error) {
	if len(list) == 0 {
		return Strings(), nil
	}
	first := list[0]
	b := []byte{byte(first.kind)}
	var texts []string
	for _, v := range list {
		if v.kind != first.kind || v.kind == KindTemporal && v.str[0] != first.str[0] {
			return Value{}, phase.Mark(ErrInvalid, "a list with %s and %s: a list has values of one kind", first.typeName(), v.typeName())
		}
		switch v.kind {
		case KindBool:
			b = append(b, byte(v.num))
		case KindInt:
			b = binary.BigEndian.AppendUint64(b, uint64(v.num))
		case KindFloat:
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(v.flt))
		case KindString:
			texts = append(texts, v.str)
		case KindTemporal, KindPoint:
			b = append(binary.AppendUvarint(b, uint64(len(v.str))), v.str...)
		default:
			return Value{}, phase.Mark(ErrInvalid, "a list with %s in it", v.typeName())
		}
	}
	if first.kind == KindString {
		return Strings(texts...), nil
	}
	return Value{kind: KindList, str: string(b)}, nil
}

// isList reports whether the value is a list.
func (v Value) isList() bool { return v.kind == KindStrings || v.kind == KindList }

// AsList returns the elements of a list, nil for other kinds.
func (v Value) AsList() []Value {
	var out []Value
	_ = v.eachElement(func(x Value) error {
		out = append(out, x)
		return nil
	})
	return out
}

// eachElement calls fn with the elements of a list; of other kinds there are none.
// It fails if the bytes of the list are damaged.
func (v Value) eachElement(fn func(Value) error) error {
	if v.kind == KindStrings {
		for _, s := range v.list {
			if err := fn(String(s)); err != nil {
				return err
			}
		}
		return nil
	}
	if v.kind != KindList {
		return nil
	}
	if len(v.str) < 2 {
		return errNoValue
	}
	kind, rest, sub := Kind(v.str[0]), v.str[1:], byte(0)
	for i := 0; rest != ""; i++ {
		x := Value{kind: kind}
		n := 8
		switch kind {
		case KindBool:
			n = 1
		case KindInt, KindFloat:
		case KindTemporal, KindPoint:
			size, used := binary.Uvarint([]byte(rest[:min(len(rest), binary.MaxVarintLen64)]))
			if used <= 0 || size > uint64(len(rest)-used) || size == 0 {
				return errNoValue
			}
			rest, n = rest[used:], int(size)
		default:
			return errNoValue
		}
		if len(rest) < n {
			return errNoValue
		}
		part := rest[:n]
		rest = rest[n:]
		switch kind {
		case KindBool:
			x.num = int64(part[0])
		case KindInt:
			x.num = int64(binary.BigEndian.Uint64([]byte(part)))
		case KindFloat:
			x.flt = math.Float64frombits(binary.BigEndian.Uint64([]byte(part)))
		default:
			x.str = part
			if i == 0 {
				sub = part[0]
			}
			if kind == KindTemporal && part[0] != sub {
				return errNoValue
			}
		}
		if err := x.whole(); err != nil {
			return err
		}
		if err := fn(x); err != nil {
			return err
		}
	}
	return nil
}

// whole refuses a value whose bytes no value is written as.
func (v Value) whole() error {
	var err error
	switch v.kind {
	case KindBool:
		if v.num != 0 && v.num != 1 {
			err = errNoValue
		}
	case KindFloat:
		if math.IsNaN(v.flt) || math.IsInf(v.flt, 0) {
			err = errNoValue
		}
	case KindTemporal:
		_, err = decodeTemporal(v.str)
	case KindPoint:
		_, err = decodePoint(v)
	case KindList:
		err = v.eachElement(func(Value) error { return nil })
	}
	return err
}

// typeName returns the type of a value with its article.
func (v Value) typeName() string {
	switch v.kind {
	case kindNull:
		return "null"
	case KindBool:
		return "a boolean"
	case KindInt:
		return "an integer"
	case KindFloat:
		return "a float"
	case KindString, KindText:
		return "a string"
	case KindTemporal:
		return "a " + v.AsTemporal().Kind().String()
	case KindPoint:
		return "a point"
	case KindBytes:
		return "bytes"
	}
	return "a list"
}
