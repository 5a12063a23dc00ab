package cypher

import (
	"math"
	"strconv"
	"strings"
)

// conversionFunctions convert between types. A string that does not represent a
// value gives null. A type that cannot be converted is a TypeError, or null in
// the functions whose names end in OrNull.
var conversionFunctions = []function{
	{name: "toInteger", params: "value", min: 1, max: 1, call: strict("toInteger", toInteger)},
	{name: "toIntegerOrNull", params: "value", min: 1, max: 1, call: orNull(toInteger)},
	{name: "toFloat", params: "value", min: 1, max: 1, call: strict("toFloat", toFloat)},
	{name: "toFloatOrNull", params: "value", min: 1, max: 1, call: orNull(toFloat)},
	{name: "toBoolean", params: "value", min: 1, max: 1, call: strict("toBoolean", toBoolean)},
	{name: "toBooleanOrNull", params: "value", min: 1, max: 1, call: orNull(toBoolean)},
	{name: "toString", params: "value", min: 1, max: 1, call: strict("toString", toText)},
	{name: "toStringOrNull", params: "value", min: 1, max: 1, call: orNull(toText)},
}

// maxNumber bounds the length of a string that is parsed as a number, in bytes.
const maxNumber = 64 << 10

// conversion is how a conversion ended.
type conversion uint8

const (
	converted  conversion = iota // to a value or to null
	wrongType                    // no value of the type can be converted
	outOfRange                   // the value is a number that does not fit
)

func strict(name string, f func(Value) (Value, conversion)) func(*exec, Pos, []Value) (Value, error) {
	return func(x *exec, at Pos, a []Value) (Value, error) {
		v, how := f(a[0])
		switch how {
		case wrongType:
			return Null, evalError(at, codeType, "InvalidArgumentValue", "%s() cannot convert %s", name, aKind(a[0]))
		case outOfRange:
			return Null, arithmeticError(at, "%s() of %.40s fits into no integer of 64 bits", name, a[0].String())
		}
		return x.built(at, v)
	}
}

func orNull(f func(Value) (Value, conversion)) func(*exec, Pos, []Value) (Value, error) {
	return func(x *exec, at Pos, a []Value) (Value, error) {
		v, how := f(a[0])
		if how != converted {
			return Null, nil
		}
		return x.built(at, v)
	}
}

// toInteger cuts floats towards zero, and reads strings as integers or as
// floats to be cut.
func toInteger(v Value) (Value, conversion) {
	switch v.kind {
	case KindInt:
		return v, converted
	case KindBool:
		return Int(int64(v.num)), converted
	case KindFloat:
		return cutFloat(v.AsFloat())
	case KindString:
		if len(v.AsString()) > maxNumber {
			return Null, converted
		}
		s := strings.TrimSpace(v.AsString())
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return Int(n), converted
		}
		x, ok := readFloat(s)
		if !ok || math.IsNaN(x) {
			return Null, converted
		}
		return cutFloat(x)
	}
	return Null, wrongType
}

func cutFloat(x float64) (Value, conversion) {
	if math.IsNaN(x) || x >= 1<<63 || x < -1<<63 {
		return Null, outOfRange
	}
	return Int(int64(x)), converted
}

func toFloat(v Value) (Value, conversion) {
	switch v.kind {
	case KindFloat:
		return v, converted
	case KindInt:
		return Float(v.AsFloat()), converted
	case KindString:
		if len(v.AsString()) > maxNumber {
			return Null, converted
		}
		if x, ok := readFloat(strings.TrimSpace(v.AsString())); ok {
			return Float(x), converted
		}
		return Null, converted
	}
	return Null, wrongType
}

// readFloat reads a decimal number, NaN or an infinity.
func readFloat(s string) (float64, bool) {
	switch s {
	case "NaN", "Infinity", "-Infinity":
	default:
		if strings.Trim(s, "0123456789+-.eE") != "" {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(s, 64)
	// A number that is too large is an infinity.
	return x, err == nil || math.IsInf(x, 0)
}

// toBoolean reads true and false in any case; 0 is false and other integers are
// true.
func toBoolean(v Value) (Value, conversion) {
	switch v.kind {
	case KindBool:
		return v, converted
	case KindInt:
		return Bool(v.AsInt() != 0), converted
	case KindString:
		switch strings.ToLower(strings.TrimSpace(v.AsString())) {
		case "true":
			return Bool(true), converted
		case "false":
			return Bool(false), converted
		}
		return Null, converted
	}
	return Null, wrongType
}

func toText(v Value) (Value, conversion) {
	switch v.kind {
	case KindString:
		return v, converted
	case KindBool, KindInt, KindFloat, KindTemporal, KindPoint:
		return String(v.String()), converted
	}
	return Null, wrongType
}
