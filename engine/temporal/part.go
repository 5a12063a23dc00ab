package temporal

import "fmt"

// Part returns a component of a value by its name, an int64 or a string. It
// fails if the value has none of that name, or with [ErrRange] if a duration in a
// small unit fits into no int64.
//
//   - Dates have year, quarter, month, week, weekYear, day, ordinalDay,
//     dayOfQuarter and dayOfWeek, which is also weekDay; Monday is 1.
//   - Times have hour, minute, second, and of the fraction of the second
//     millisecond, microsecond and nanosecond.
//   - Those with an offset have timezone, offset, offsetMinutes and
//     offsetSeconds; a datetime also epochSeconds and epochMillis.
//   - Durations have years, quarters, months, weeks, days, hours, minutes,
//     seconds, milliseconds, microseconds and nanoseconds, each the whole in that
//     unit, and what the larger unit leaves: quartersOfYear, monthsOfYear,
//     monthsOfQuarter, daysOfWeek, minutesOfHour, secondsOfMinute,
//     millisecondsOfSecond, microsecondsOfSecond, nanosecondsOfSecond.
func (v Value) Part(name string) (any, error) {
	kind := v.Kind()
	if kind == KindDuration {
		d := v.duration()
		if n, ok := d.part(name); ok {
			return n, nil
		}
		return d.total(name)
	}
	p := v.split()
	if kind.hasDate() {
		if n, ok := datePart(p.days, name); ok {
			return n, nil
		}
	}
	if kind.hasTime() {
		if n, ok := clockPart(p.nanos, name); ok {
			return n, nil
		}
	}
	if kind.hasZone() {
		if x, ok := zonePart(kind, p, name); ok {
			return x, nil
		}
	}
	return nil, fmt.Errorf("a %s has no part %.40q", kind, name)
}

func datePart(days int64, name string) (int64, bool) {
	y, m, d := civil(days)
	switch name {
	case "year":
		return y, true
	case "quarter":
		return (m-1)/3 + 1, true
	case "month":
		return m, true
	case "week":
		_, week := weekOf(days)
		return week, true
	case "weekYear":
		year, _ := weekOf(days)
		return year, true
	case "day":
		return d, true
	case "ordinalDay":
		return days - dayOf(y, 1, 1) + 1, true
	case "dayOfQuarter":
		return days - quarterStart(y, (m-1)/3+1) + 1, true
	case "dayOfWeek", "weekDay":
		return weekday(days), true
	}
	return 0, false
}

func clockPart(nanos int64, name string) (int64, bool) {
	seconds, fraction := nanos/secondNanos, nanos%secondNanos
	switch name {
	case "hour":
		return seconds / 3600, true
	case "minute":
		return seconds / 60 % 60, true
	case "second":
		return seconds % 60, true
	case "millisecond":
		return fraction / 1e6, true
	case "microsecond":
		return fraction / 1e3, true
	case "nanosecond":
		return fraction, true
	}
	return 0, false
}

func zonePart(kind Kind, p parts, name string) (any, bool) {
	switch name {
	case "timezone":
		if p.zone != "" {
			return p.zone, true
		}
		return string(appendOffset(nil, p.offset)), true
	case "offset":
		return string(appendOffset(nil, p.offset)), true
	case "offsetMinutes":
		return int64(p.offset / 60), true
	case "offsetSeconds":
		return int64(p.offset), true
	}
	if kind != KindDateTime {
		return nil, false
	}
	seconds, nanos := p.utc()
	switch name {
	case "epochSeconds":
		return seconds, true
	case "epochMillis":
		return seconds*1000 + nanos/1e6, true
	}
	return nil, false
}

// part returns what is at most one of the duration's fields.
func (d duration) part(name string) (n int64, ok bool) {
	switch name {
	case "years":
		return d.months / 12, true
	case "quarters":
		return d.months / 3, true
	case "months":
		return d.months, true
	case "weeks":
		return d.days / 7, true
	case "days":
		return d.days, true
	case "hours":
		return d.seconds / 3600, true
	case "minutes":
		return d.seconds / 60, true
	case "seconds":
		return d.seconds, true
	case "quartersOfYear":
		return d.months / 3 % 4, true
	case "monthsOfYear":
		return d.months % 12, true
	case "monthsOfQuarter":
		return d.months % 3, true
	case "daysOfWeek":
		return d.days % 7, true
	case "minutesOfHour":
		return d.seconds / 60 % 60, true
	case "secondsOfMinute":
		return d.seconds % 60, true
	case "millisecondsOfSecond":
		return int64(d.nanos) / 1e6, true
	case "microsecondsOfSecond":
		return int64(d.nanos) / 1e3, true
	case "nanosecondsOfSecond":
		return int64(d.nanos), true
	}
	return 0, false
}

// total returns the seconds in a smaller unit.
func (d duration) total(name string) (any, error) {
	unit := map[string]int64{"milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}[name]
	if unit == 0 {
		return nil, fmt.Errorf("a duration has no part %.40q", name)
	}
	n, ok := multiplyAdd(d.seconds, unit, int64(d.nanos)/(secondNanos/unit))
	if !ok {
		return nil, fmt.Errorf("%w: %s of %s", ErrRange, name, d.text())
	}
	return n, nil
}
