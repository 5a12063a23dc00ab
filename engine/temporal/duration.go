package temporal

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// NewDuration returns a duration of months, days, seconds and nanoseconds, each
// of which may be negative. All together, a month taken as 2,629,746 seconds and
// a day as 86,400, must fit into an int64 of seconds, else it is an [ErrRange].
func NewDuration(months, days, seconds, nanos int64) (Value, error) {
	whole := floorDiv(nanos, secondNanos)
	sum, ok := multiplyAdd(seconds, 1, whole)
	d := duration{months: months, days: days, seconds: sum, nanos: int32(nanos - whole*secondNanos)}
	if ok {
		_, ok = d.length()
	}
	if !ok {
		return Value{}, fmt.Errorf("%w: a duration of more seconds than 64 bits hold", ErrRange)
	}
	return d.value(), nil
}

// length returns the mean length in whole seconds, by which durations are
// ordered.
func (d duration) length() (int64, bool) {
	m, ok := multiplyAdd(d.months, monthSeconds, 0)
	if !ok {
		return 0, false
	}
	n, ok := multiplyAdd(d.days, daySeconds, 0)
	if !ok {
		return 0, false
	}
	return sum(m, n, d.seconds)
}

// sum adds numbers of any signs, false if the result does not fit.
func sum(list ...int64) (int64, bool) {
	hi, lo := uint64(0), uint64(0)
	for _, x := range list {
		var carry uint64
		lo, carry = bits.Add64(lo, uint64(x), 0)
		hi, _ = bits.Add64(hi, uint64(x>>63), carry)
	}
	return int64(lo), hi == uint64(int64(lo)>>63)
}

// multiplyAdd returns a*b+c, false if it does not fit.
func multiplyAdd(a, b, c int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// The high word of the signed product.
	hi -= uint64(a>>63)&uint64(b) + uint64(b>>63)&uint64(a)
	var carry uint64
	lo, carry = bits.Add64(lo, uint64(c), 0)
	hi, _ = bits.Add64(hi, uint64(c>>63), carry)
	return int64(lo), hi == uint64(int64(lo)>>63)
}

// exact is a duration whose parts may have fractions.
type exact struct{ months, days, seconds big.Rat }

// durationUnits are the components of a duration, each as so many months, days
// or seconds.
var durationUnits = map[string]struct {
	of     byte // m, d or s
	times  int64
	divide int64
}{
	"years": {'m', 12, 1}, "quarters": {'m', 3, 1}, "months": {'m', 1, 1},
	"weeks": {'d', 7, 1}, "days": {'d', 1, 1},
	"hours": {'s', 3600, 1}, "minutes": {'s', 60, 1}, "seconds": {'s', 1, 1},
	"milliseconds": {'s', 1, 1e3}, "microseconds": {'s', 1, 1e6}, "nanoseconds": {'s', 1, 1e9},
}

// add adds a number of a unit.
func (e *exact) add(unit string, n *big.Rat) {
	u := durationUnits[unit]
	n.Mul(n, big.NewRat(u.times, u.divide))
	switch u.of {
	case 'm':
		e.months.Add(&e.months, n)
	case 'd':
		e.days.Add(&e.days, n)
	default:
		e.seconds.Add(&e.seconds, n)
	}
}

// duration turns fractions of months into days, those of days into seconds, and
// leaves out what is below a nanosecond.
func (e *exact) duration() (Value, error) {
	months, rest := cut(&e.months)
	rest.Mul(rest, big.NewRat(monthSeconds, daySeconds))
	days, rest := cut(rest.Add(rest, &e.days))
	rest.Mul(rest, big.NewRat(daySeconds, 1))
	seconds, rest := cut(rest.Add(rest, &e.seconds))
	nanos, _ := cut(rest.Mul(rest, big.NewRat(secondNanos, 1)))
	if !months.IsInt64() || !days.IsInt64() || !seconds.IsInt64() {
		return Value{}, fmt.Errorf("%w: a duration of more seconds than 64 bits hold", ErrRange)
	}
	return NewDuration(months.Int64(), days.Int64(), seconds.Int64(), nanos.Int64())
}

// cut returns the integer towards zero and what is left.
func cut(x *big.Rat) (*big.Int, *big.Rat) {
	whole := new(big.Int).Quo(x.Num(), x.Denom())
	return whole, new(big.Rat).Sub(x, new(big.Rat).SetInt(whole))
}

// decimal returns a float as the number that its shortest text says: 0.7 is
// seven tenths.
func decimal(x float64) (*big.Rat, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, fmt.Errorf("%w: a duration has no %v", ErrRange, x)
	}
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return r, nil
}

func makeDuration(fields map[string]any) (Value, error) {
	var e exact
	for name, v := range fields {
		if _, ok := durationUnits[name]; !ok {
			return Value{}, fmt.Errorf("a duration has no component %.40q", name)
		}
		switch v := v.(type) {
		case int64:
			e.add(name, new(big.Rat).SetInt64(v))
		case float64:
			r, err := decimal(v)
			if err != nil {
				return Value{}, err
			}
			e.add(name, r)
		default:
			return Value{}, fmt.Errorf("%s must be a number", name)
		}
	}
	return e.duration()
}

// notDuration is the error of a method for durations alone.
func notDuration(v Value) error { return fmt.Errorf("a %s is no duration", v.kind) }

// Negated returns a duration with all signs turned.
func (v Value) Negated() (Value, error) {
	if v.kind != KindDuration {
		return Value{}, notDuration(v)
	}
	d := v.duration()
	if d.seconds == math.MinInt64 {
		return Value{}, fmt.Errorf("%w: a duration of more seconds than 64 bits hold", ErrRange)
	}
	return NewDuration(-d.months, -d.days, -d.seconds, -int64(d.nanos))
}

// Times returns a duration multiplied by a number. Fractions of months and days
// become days and seconds as [Kind.Make] says.
func (v Value) Times(x float64) (Value, error) {
	r, err := decimal(x)
	if err != nil {
		return Value{}, err
	}
	return v.scaled(r)
}

// DividedBy returns a duration divided by a number. Division by zero is an
// [ErrRange].
func (v Value) DividedBy(x float64) (Value, error) {
	r, err := decimal(x)
	if err != nil {
		return Value{}, err
	}
	if r.Sign() == 0 {
		return Value{}, fmt.Errorf("%w: a duration is divided by zero", ErrRange)
	}
	return v.scaled(r.Inv(r))
}

func (v Value) scaled(by *big.Rat) (Value, error) {
	if v.kind != KindDuration {
		return Value{}, notDuration(v)
	}
	d := v.duration()
	var e exact
	e.months.Mul(new(big.Rat).SetInt64(d.months), by)
	e.days.Mul(new(big.Rat).SetInt64(d.days), by)
	e.seconds.SetFrac64(int64(d.nanos), secondNanos)
	e.seconds.Add(&e.seconds, new(big.Rat).SetInt64(d.seconds))
	e.seconds.Mul(&e.seconds, by)
	return e.duration()
}
