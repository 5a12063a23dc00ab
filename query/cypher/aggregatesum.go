package cypher

import (
	"math"
	"math/bits"

	"github.com/ragdb/ragdb/engine/temporal"
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

// durations is a sum of durations.
type durations struct {
	n   int64
	sum temporal.Value
}

// addDuration adds a duration to a sum, which it makes. Durations and numbers have no
// sum.
func (t *total) addDuration(at Pos, v Value, to **durations) error {
	if t.n > 0 || !isDuration(v) {
		return typeError(at, "durations and numbers have no sum")
	}
	if *to == nil {
		*to = &durations{n: 1, sum: v.AsTemporal()}
		return nil
	}
	d := *to
	sum, err := d.sum.Add(v.AsTemporal(), nil)
	if _, err := instant(at, sum, err); err != nil {
		return err
	}
	d.n, d.sum = d.n+1, sum
	return nil
}

// sumAggregator is an integer as long as all numbers are, or a duration.
type sumAggregator struct {
	at Pos
	total
	lengths *durations // nil without durations
}

func startSum(at Pos, _ Value) (aggregator, error) { return &sumAggregator{at: at}, nil }

func (a *sumAggregator) add(v Value) error {
	if v.kind == KindTemporal || a.lengths != nil {
		return a.addDuration(a.at, v, &a.lengths)
	}
	a.total.add(v)
	return nil
}

func (a *sumAggregator) result(*exec) (Value, error) {
	if a.lengths != nil {
		return Temporal(a.lengths.sum), nil
	}
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

// avgAggregator is a float or a duration, null of no values.
type avgAggregator struct {
	at Pos
	total
	lengths *durations // nil without durations
}

func startAvg(at Pos, _ Value) (aggregator, error) { return &avgAggregator{at: at}, nil }

func (a *avgAggregator) add(v Value) error {
	if v.kind == KindTemporal || a.lengths != nil {
		return a.addDuration(a.at, v, &a.lengths)
	}
	a.total.add(v)
	return nil
}

func (a *avgAggregator) result(*exec) (Value, error) {
	if a.lengths != nil {
		mean, err := a.lengths.sum.DividedBy(float64(a.lengths.n))
		return instant(a.at, mean, err)
	}
	if a.n == 0 {
		return Null, nil
	}
	return Float(a.float() / float64(a.n)), nil
}

func (a *avgAggregator) bytes() int64 { return 64 }
