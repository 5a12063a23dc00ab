package temporal

import (
	"errors"
	"fmt"
	"maps"
)

// timeUnits are the units of a time of day, in nanoseconds.
var timeUnits = map[string]int64{
	"day": dayNanos, "hour": 3600 * secondNanos, "minute": 60 * secondNanos, "second": secondNanos,
	"millisecond": 1e6, "microsecond": 1e3,
}

// Truncate cuts an instant down to a unit, and returns it as a value of a kind
// with the given components (see [Kind.Make]) in place of the cut ones; nil for none.
// The units are millennium, century, decade, year, weekYear, quarter, month,
// week, day, hour, minute, second, millisecond and microsecond. A timezone among
// the components replaces the zone and leaves the time as it is written.
func (v Value) Truncate(kind Kind, unit string, fields map[string]any, z *Zones) (Value, error) {
	has := v.Kind()
	if has == KindDuration || kind == KindDuration {
		return Value{}, errors.New("a duration cannot be truncated")
	}
	p := v.split()
	cut, ofDay := timeUnits[unit]
	day, ofDate := p.days, ofDay
	if !ofDay {
		if day, ofDate = truncateDay(unit, p.days); !ofDate {
			return Value{}, fmt.Errorf("%.40q is no unit, such as 'year' or 'hour'", unit)
		}
		cut = dayNanos
	}
	switch {
	case !kind.hasTime() && cut < dayNanos, !has.hasTime() && cut < dayNanos:
		return Value{}, fmt.Errorf("a date has no %s", unit)
	case !kind.hasDate() && !ofDay:
		return Value{}, fmt.Errorf("a %s has no %s", kind, unit)
	case kind.hasDate() && !has.hasDate(), !kind.hasDate() && !has.hasTime():
		return Value{}, fmt.Errorf("a %s cannot be made of a %s", kind, has)
	}
	p.days, p.nanos = day, p.nanos/cut*cut
	rest := maps.Clone(fields)
	var c components
	if kind.hasDate() {
		c.date = Value{kind: KindDate, a: p.days}
	}
	if kind.hasTime() {
		c.time = Value{kind: KindLocalTime, b: p.nanos}
		// A nanosecond is one of the millisecond or microsecond that is left.
		if n, ok := rest["nanosecond"].(int64); ok && cut < secondNanos {
			if n < 0 || n >= cut {
				return Value{}, fmt.Errorf("nanosecond is %d, which is not between 0 and %d", n, cut-1)
			}
			rest["nanosecond"] = p.nanos%secondNanos + n
		}
	}
	for name, x := range rest {
		if name == "date" || name == "time" || name == "datetime" {
			return Value{}, fmt.Errorf("a truncated %s has no component %q", kind, name)
		}
		if err := c.set(kind, name, x); err != nil {
			return Value{}, err
		}
	}
	if !c.zone && kind.hasZone() && has.hasZone() { // the zone is kept
		c.zone, c.timezone, c.like = true, p.zone, given{int64(p.offset), true}
		if p.zone == "" || kind == KindTime {
			c.timezone = string(appendOffset(nil, p.offset))
		}
	}
	return c.make(kind, z)
}

// truncateDay cuts a date down to a unit of more than a day.
func truncateDay(unit string, days int64) (int64, bool) {
	y, m, _ := civil(days)
	switch unit {
	case "millennium":
		return dayOf(floorDiv(y, 1000)*1000, 1, 1), true
	case "century":
		return dayOf(floorDiv(y, 100)*100, 1, 1), true
	case "decade":
		return dayOf(floorDiv(y, 10)*10, 1, 1), true
	case "year":
		return dayOf(y, 1, 1), true
	case "weekYear":
		year, _ := weekOf(days)
		return weekStart(year), true
	case "quarter":
		return quarterStart(y, (m-1)/3+1), true
	case "month":
		return dayOf(y, m, 1), true
	case "week":
		return days - weekday(days) + 1, true
	}
	return 0, false
}
