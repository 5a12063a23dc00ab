package cypher

import (
	"math"
	"math/bits"
)

// total is a sum of numbers. Integers are added exactly, in 128 bits, so that
// their order does not matter. Floats are added in the order in which they
// come, with the rounding error added at the end (Neumaier 1974).
type total struct {
	n          int64
	hi, lo     uint64 // of the integers, in two's complement
	floats     bool   // there was a float
	sum, small float64
}

func (t *total) add(v Value) {
	t.n++
	if v.kind == KindInt {
		n := v.AsInt()
		var carry uint64
		t.lo, carry = bits.Add64(t.lo, uint64(n), 0)
		t.hi, _ = bits.Add64(t.hi, uint64(n>>63), carry)
		return
	}
	t.floats = true
	x := v.AsFloat()
	s := t.sum + x
	if math.Abs(t.sum) >= math.Abs(x) {
		t.small += (t.sum - s) + x
	} else {
		t.small += (x - s) + t.sum
	}
	t.sum = s
}

// integer returns the sum of the integers, and whether it fits.
func (t *total) integer() (int64, bool) {
	n := int64(t.lo)
	return n, t.hi == uint64(n>>63)
}

// float returns the sum of all numbers.
func (t *total) float() float64 {
	hi, lo, sign := t.hi, t.lo, 1.0
	if int64(hi) < 0 {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
		sign = -1
	}
	ints := sign * (float64(hi)*(1<<64) + float64(lo))
	if math.IsNaN(t.sum) || math.IsInf(t.sum, 0) {
		return t.sum
	}
	return ints + (t.sum + t.small)
}

// sumAggregator is an integer as long as all numbers are.
type sumAggregator struct {
	at Pos
	total
}

func startSum(at Pos, _ Value) (aggregator, error) { return &sumAggregator{at: at}, nil }

func (a *sumAggregator) add(v Value) error {
	a.total.add(v)
	return nil
}

func (a *sumAggregator) result(*exec) (Value, error) {
	if a.floats {
		return Float(a.float()), nil
	}
	n, ok := a.integer()
	if !ok {
		return Null, arithmeticError(a.at, "the sum fits into no integer of 64 bits; write sum(toFloat(...))")
	}
	return Int(n), nil
}

func (a *sumAggregator) bytes() int64 { return 64 }

// avgAggregator is a float, null of no numbers.
type avgAggregator struct{ total }

func startAvg(Pos, Value) (aggregator, error) { return &avgAggregator{}, nil }

func (a *avgAggregator) add(v Value) error {
	a.total.add(v)
	return nil
}

func (a *avgAggregator) result(*exec) (Value, error) {
	if a.n == 0 {
		return Null, nil
	}
	return Float(a.float() / float64(a.n)), nil
}

func (a *avgAggregator) bytes() int64 { return 64 }
