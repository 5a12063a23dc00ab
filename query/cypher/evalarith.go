package cypher

import (
	"math"
	"math/bits"
	"strconv"
	"unsafe"
)

// isArithmetic reports whether an operator computes a value other than a
// boolean.
func isArithmetic(op binaryOp) bool { return op >= opAdd && op <= opPower }

// sign compiles -x and +x.
func (c *compiler) sign(e *unaryExpr) evaluator {
	run := c.eval(e.X)
	at, negative := e.Pos, e.Op == opNegative
	return func(x *exec, r row) (Value, error) {
		v, err := run(x, r)
		if err != nil || v.IsNull() {
			return Null, err
		}
		switch {
		case !v.isNumber():
			return Null, typeError(at, "a sign needs a number, not %s", aKind(v))
		case !negative:
			return v, nil
		case v.kind == KindFloat:
			return Float(-v.AsFloat()), nil
		case v.AsInt() == math.MinInt64:
			return Null, overflow(at, v.String(), "negated")
		}
		return Int(-v.AsInt()), nil
	}
}

// arithmetic compiles + - * / % and ^. Null makes null.
func (c *compiler) arithmetic(e *binaryExpr) evaluator {
	left, right := c.eval(e.L), c.eval(e.R)
	if e.Op == opAdd {
		c.builds = true
	}
	op, at := e.Op, e.Pos
	return func(x *exec, r row) (Value, error) {
		a, b, err := both(x, r, left, right)
		switch {
		case err != nil || a.IsNull() || b.IsNull():
			return Null, err
		case a.kind == KindInt && b.kind == KindInt && op != opPower:
			return intArithmetic(op, at, a.AsInt(), b.AsInt())
		case a.isNumber() && b.isNumber():
			return Float(floatArithmetic(op, a.AsFloat(), b.AsFloat())), nil
		case (a.kind == KindTemporal || b.kind == KindTemporal) && a.kind != KindList && b.kind != KindList:
			return x.temporalArithmetic(op, at, a, b)
		case op == opAdd:
			return x.join(at, a, b)
		}
		return Null, typeError(at, "%s needs numbers, not %s and %s", binaryOps[op].text, aKind(a), aKind(b))
	}
}

// intArithmetic computes with integers. If the result is not a 64-bit integer,
// it is an ArithmeticError. A quotient is truncated towards zero.
func intArithmetic(op binaryOp, at Pos, a, b int64) (Value, error) {
	var n int64
	ok := true
	switch op {
	case opAdd:
		n = a + b
		ok = (n > a) == (b > 0)
	case opSubtract:
		n = a - b
		ok = (n < a) == (b > 0)
	case opMultiply:
		n, ok = multiply(a, b)
	case opDivide, opModulo:
		if b == 0 {
			return Null, arithmeticError(at, "an integer is divided by zero")
		}
		if b == -1 { // the quotient may be too large, and the remainder is 0
			if op == opModulo {
				return Int(0), nil
			}
			n, ok = -a, a != math.MinInt64
			break
		}
		if op == opModulo {
			return Int(a % b), nil
		}
		n = a / b
	}
	if !ok {
		return Null, overflow(at, strconv.FormatInt(a, 10)+" "+binaryOps[op].text+" "+strconv.FormatInt(b, 10), "computed")
	}
	return Int(n), nil
}

// multiply multiplies magnitudes in 128 bits.
func multiply(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	negative := (a < 0) != (b < 0)
	switch {
	case hi != 0 || lo > 1<<63 || lo == 1<<63 && !negative:
		return 0, false
	case negative:
		return int64(-lo), true
	}
	return int64(lo), true
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func overflow(at Pos, what, done string) error {
	return arithmeticError(at, "%s cannot be %s: no integer of 64 bits holds the result", what, done)
}

// floatArithmetic computes with floats as in IEEE 754: a division by zero gives
// an infinity or NaN.
func floatArithmetic(op binaryOp, a, b float64) float64 {
	switch op {
	case opAdd:
		return a + b
	case opSubtract:
		return a - b
	case opMultiply:
		return a * b
	case opDivide:
		return a / b
	case opModulo:
		return math.Mod(a, b)
	}
	return math.Pow(a, b)
}

// join is + for operands that are not both numbers: it joins strings, a string
// and a number, lists, and a list and an element at either end.
func (x *exec) join(at Pos, a, b Value) (Value, error) {
	switch {
	case a.kind == KindList && b.kind == KindList:
		return x.joinLists(at, a, b)
	case a.kind == KindList:
		return x.joinLists(at, a, ListOf([]Value{b}))
	case b.kind == KindList:
		return x.joinLists(at, ListOf([]Value{a}), b)
	case a.kind == KindString && (b.kind == KindString || b.isNumber()),
		a.isNumber() && b.kind == KindString:
		return x.joinStrings(at, a.String(), b.String())
	}
	return Null, typeError(at, "+ cannot join %s and %s", aKind(a), aKind(b))
}

// joinStrings and joinLists charge for the added length if they extend the
// value that was joined last, else for the whole value.
func (x *exec) joinStrings(at Pos, a, b string) (Value, error) {
	g, s, t := &x.eval.text, bytesOf(a), bytesOf(b)
	n := int64(len(a) + len(b))
	if g.last(s) {
		n = int64(len(b))
	} else if g.last(t) {
		n = int64(len(a))
	}
	if err := x.charge(at, n); err != nil {
		return Null, err
	}
	both, err := g.join(x, s, t)
	if err != nil {
		return Null, err
	}
	return String(unsafe.String(unsafe.SliceData(both), len(both))), nil
}

// bytesOf returns the bytes of a string, which must not be written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func (x *exec) joinLists(at Pos, a, b Value) (Value, error) {
	g, s, t := &x.eval.list, a.AsList(), b.AsList()
	n := a.memory() + b.memory()
	if g.last(s) {
		n = b.memory()
	} else if g.last(t) {
		n = a.memory()
	}
	if err := x.charge(at, n); err != nil {
		return Null, err
	}
	both, err := g.join(x, s, t)
	if err != nil {
		return Null, err
	}
	return listWith(both, int64(a.num)+int64(b.num)), nil
}
