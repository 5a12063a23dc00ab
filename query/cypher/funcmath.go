package cypher

import (
	"math"
	"strconv"
	"strings"
)

// mathFunctions are the functions of numbers. If a result is undefined, such as
// that of sqrt(-1), it is NaN, as in IEEE 754.
var mathFunctions = []function{
	{name: "abs", params: "number", min: 1, max: 1, takes: aNumber, call: callAbs},
	{name: "sign", params: "number", min: 1, max: 1, takes: aNumber, call: callSign},
	{name: "round", params: "number [, digits]", min: 1, max: 3, call: callRound},
	{name: "isNaN", params: "number", min: 1, max: 1, takes: aNumber, call: callIsNaN},
	{name: "pi", call: constantFunction(math.Pi)},
	{name: "e", call: constantFunction(math.E)},
	{name: "atan2", params: "y, x", min: 2, max: 2, takes: numbers, call: callAtan2},
	ofNumber("ceil", math.Ceil),
	ofNumber("floor", math.Floor),
	ofNumber("sqrt", math.Sqrt),
	ofNumber("exp", math.Exp),
	ofNumber("log", math.Log),
	ofNumber("log10", math.Log10),
	ofNumber("sin", math.Sin),
	ofNumber("cos", math.Cos),
	ofNumber("tan", math.Tan),
	ofNumber("cot", func(x float64) float64 { return 1 / math.Tan(x) }),
	ofNumber("asin", math.Asin),
	ofNumber("acos", math.Acos),
	ofNumber("atan", math.Atan),
	ofNumber("haversin", func(x float64) float64 { return (1 - math.Cos(x)) / 2 }),
	ofNumber("degrees", func(x float64) float64 { return x * (180 / math.Pi) }),
	ofNumber("radians", func(x float64) float64 { return x * (math.Pi / 180) }),
}

// ofNumber returns a function that takes a number and returns a float.
func ofNumber(name string, f func(float64) float64) function {
	return function{name: name, params: "number", min: 1, max: 1, takes: aNumber,
		call: func(_ *exec, _ Pos, a []Value) (Value, error) { return Float(f(a[0].AsFloat())), nil }}
}

// constantFunction makes a function without arguments.
func constantFunction(x float64) func(*exec, Pos, []Value) (Value, error) {
	return func(*exec, Pos, []Value) (Value, error) { return Float(x), nil }
}

func callAtan2(_ *exec, at Pos, a []Value) (Value, error) {
	return Float(math.Atan2(a[0].AsFloat(), a[1].AsFloat())), nil
}

// callAbs keeps the type of its argument.
func callAbs(_ *exec, at Pos, a []Value) (Value, error) {
	switch {
	case a[0].kind == KindFloat:
		return Float(math.Abs(a[0].AsFloat())), nil
	case a[0].AsInt() == math.MinInt64:
		return Null, overflow(at, "abs("+a[0].String()+")", "computed")
	}
	return Int(int64(magnitude(a[0].AsInt()))), nil
}

// callSign is -1, 0 or 1.
func callSign(_ *exec, at Pos, a []Value) (Value, error) {
	x := a[0].AsFloat()
	switch {
	case x > 0:
		return Int(1), nil
	case x < 0:
		return Int(-1), nil
	}
	return Int(0), nil
}

func callIsNaN(_ *exec, at Pos, a []Value) (Value, error) {
	return Bool(math.IsNaN(a[0].AsFloat())), nil
}

// callRound rounds to a whole number, a half towards positive infinity, or to
// some decimal digits, a half away from zero; so does Neo4j.
func callRound(_ *exec, at Pos, a []Value) (Value, error) {
	if !a[0].isNumber() {
		return Null, wants(at, "round", "a number", a[0])
	}
	digits := int64(0)
	if len(a) == 2 {
		if a[1].kind != KindInt {
			return Null, wants(at, "round", "an integer as a number of digits", a[1])
		}
		digits = a[1].AsInt()
	}
	x := a[0].AsFloat()
	switch {
	case digits < 0:
		return Null, argumentError(at, "round() needs a number of digits from 0 on, not %d", digits)
	case digits == 0:
		whole := math.Floor(x)
		if x-whole >= 0.5 {
			whole++
		}
		return Float(whole), nil
	case digits > 400: // more than any float has
		return Float(x), nil
	}
	return Float(roundDecimal(x, int(digits))), nil
}

// roundDecimal rounds the shortest decimal number that stands for x, so that
// 2.675 becomes 2.68 though the float is a little smaller.
func roundDecimal(x float64, digits int) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	s := strconv.FormatFloat(math.Abs(x), 'f', -1, 64)
	point := strings.IndexByte(s, '.')
	if point < 0 || len(s)-point-1 <= digits {
		return x
	}
	kept := []byte(s[:point+1+digits])
	if s[point+1+digits] >= '5' {
		i := len(kept) - 1
		for ; i >= 0; i-- {
			if kept[i] == '.' {
				continue
			}
			if kept[i] < '9' {
				kept[i]++
				break
			}
			kept[i] = '0'
		}
		if i < 0 {
			kept = append([]byte{'1'}, kept...)
		}
	}
	y, _ := strconv.ParseFloat(string(kept), 64)
	return math.Copysign(y, x)
}
