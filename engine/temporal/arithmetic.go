package temporal

import (
	"fmt"
	"math"
)

// Add adds a duration to an instant or to another duration.
//
// Months are added first, and a day that the new month lacks becomes its last;
// then days, then seconds. A date takes the whole days of the seconds; a time of
// day takes the seconds alone, and goes around at midnight. In a zone months and
// days keep the time that clocks show, and seconds are those that pass.
func (v Value) Add(length Value, z *Zones) (Value, error) {
	if length.kind != KindDuration {
		return Value{}, notDuration(length)
	}
	d := length.duration()
	if v.kind == KindDuration {
		return addDurations(v.duration(), d)
	}
	kind, p := v.Kind(), v.split()
	days, nanos := floorDiv(d.seconds, daySeconds), floorMod(d.seconds, daySeconds)*secondNanos+int64(d.nanos)
	if !kind.hasDate() {
		p.nanos = floorMod(p.nanos+nanos, dayNanos)
		return p.of(kind)
	}
	if kind == KindDate && days < 0 && nanos > 0 {
		days++ // whole days, towards zero
	}
	moved, ok := addMonths(p.days, d.months)
	if !ok || d.days > math.MaxInt64/4 || d.days < math.MinInt64/4 {
		return Value{}, fmt.Errorf("%w: %s and %s", ErrRange, v, length)
	}
	moved += d.days
	switch kind {
	case KindDate:
		p.days = moved + days
		return p.of(kind)
	case KindLocalDateTime:
		p.nanos += nanos
		p.days = moved + days + floorDiv(p.nanos, dayNanos)
		p.nanos = floorMod(p.nanos, dayNanos)
		return p.of(kind)
	}
	if moved < minDay || moved > maxDay {
		return parts{days: moved}.of(kind)
	}
	in := zoned{offset: p.offset}
	if p.zone != "" && d != (duration{}) {
		var err error
		if in, err = z.of(p); err != nil {
			return Value{}, err
		}
	}
	if moved != p.days {
		p = in.near(moved, p.nanos, p.offset)
	}
	if d.seconds == 0 && d.nanos == 0 {
		return p.of(kind)
	}
	if days > maxDay-minDay || days < minDay-maxDay {
		return parts{days: math.MaxInt64}.of(kind)
	}
	seconds, rest := p.utc()
	rest += int64(d.nanos)
	return in.at(seconds+d.seconds+rest/secondNanos, rest%secondNanos).of(kind)
}

func addDurations(a, b duration) (Value, error) {
	months, ok := multiplyAdd(a.months, 1, b.months)
	days, ok2 := multiplyAdd(a.days, 1, b.days)
	seconds, ok3 := multiplyAdd(a.seconds, 1, b.seconds)
	if !ok || !ok2 || !ok3 {
		return Value{}, fmt.Errorf("%w: a duration of more seconds than 64 bits hold", ErrRange)
	}
	return NewDuration(months, days, seconds, int64(a.nanos)+int64(b.nanos))
}

// Until returns the duration from one instant to another, by unit: "" for
// months, then days, then seconds, "months", "days" or "seconds" for the whole
// numbers of these alone, with the fraction of the last second.
//
// If one instant lacks a date or a zone, it takes that of the other; what both
// lack is midnight or UTC. If one lacks a date, there are no months and days.
func (v Value) Until(unit string, to Value, z *Zones) (Value, error) {
	a, b := v.Kind(), to.Kind()
	if a == KindDuration || b == KindDuration {
		return Value{}, fmt.Errorf("a duration lies between two instants, not between a %s and a %s", a, b)
	}
	p, q := v.split(), to.split()
	if !a.hasDate() {
		p.days = q.days
	}
	if !b.hasDate() {
		q.days = p.days
	}
	in, err := commonZone(&p, &q, a, b, z)
	if err != nil {
		return Value{}, err
	}
	dated := a.hasDate() && b.hasDate()
	var months, days int64
	switch {
	case unit == "seconds":
	case unit == "months" && dated:
		return NewDuration(monthsUntil(p, q), 0, 0, 0)
	case unit == "days" && dated:
		return NewDuration(0, daysUntil(p, q), 0, 0)
	case unit == "months", unit == "days":
		return NewDuration(0, 0, 0, 0)
	case dated:
		months = monthsUntil(p, q)
		moved, _ := addMonths(p.days, months)
		p = in.near(moved, p.nanos, p.offset)
		days = daysUntil(p, q)
		p = in.near(p.days+days, p.nanos, p.offset)
	}
	s, n := p.utc()
	t, m := q.utc()
	return NewDuration(months, days, t-s, m-n)
}

// commonZone gives both instants the zone of the first that has one, and returns
// it.
func commonZone(p, q *parts, a, b Kind, z *Zones) (zoned, error) {
	var in zoned
	var err error
	switch {
	case a.hasZone():
		in, err = z.of(*p)
	case b.hasZone():
		in, err = z.of(*q)
	default:
		return zoned{}, nil
	}
	if err != nil {
		return zoned{}, err
	}
	move := func(x *parts, k Kind) {
		if k.hasZone() {
			seconds, nanos := x.utc()
			*x = in.at(seconds, nanos)
		} else {
			*x = in.local(x.days, x.nanos)
		}
	}
	move(p, a)
	move(q, b)
	return in, nil
}

// daysUntil counts whole days towards zero, by what clocks show.
func daysUntil(p, q parts) int64 {
	days := q.days - p.days
	switch {
	case days > 0 && q.nanos < p.nanos:
		days--
	case days < 0 && q.nanos > p.nanos:
		days++
	}
	return days
}

// monthsUntil counts whole months towards zero, by what clocks show.
func monthsUntil(p, q parts) int64 {
	y1, m1, d1 := civil(p.days)
	y2, m2, d2 := civil(p.days + daysUntil(p, q))
	return ((y2*12+m2)*32 + d2 - (y1*12+m1)*32 - d1) / 32
}
