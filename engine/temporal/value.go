package temporal

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the type of a [Value].
type Kind uint8

// The kinds of values.
const (
	KindDate          Kind = iota + 1 // a day of the Gregorian calendar, extended to the time before it
	KindLocalTime                     // a time of day
	KindTime                          // a time of day with an offset from UTC
	KindLocalDateTime                 // a date and a time of day
	KindDateTime                      // a point in time, with an offset and optionally a zone
	KindDuration                      // months, days and seconds
)

// String returns the name of the function that makes values of the kind: date,
// localdatetime.
func (k Kind) String() string {
	names := [...]string{"unknown", "date", "localtime", "time", "localdatetime", "datetime", "duration"}
	if int(k) < len(names) {
		return names[k]
	}
	return names[0]
}

// hasDate reports whether instants of the kind have a date.
func (k Kind) hasDate() bool { return k == KindDate || k == KindLocalDateTime || k == KindDateTime }

// hasTime reports whether instants of the kind have a time of day.
func (k Kind) hasTime() bool { return k >= KindLocalTime && k <= KindDateTime }

// hasZone reports whether instants of the kind have an offset.
func (k Kind) hasZone() bool { return k == KindTime || k == KindDateTime }

// Value is an instant or a duration. == compares as openCypher's = does: two
// instants at the same point in time with two offsets differ. The zero Value has
// no kind and is no value.
type Value struct {
	kind  Kind
	small int32  // offset in seconds, or the nanoseconds of a duration
	a     int64  // days since 1970, or the months of a duration
	b     int64  // nanoseconds since local midnight, or the days of a duration
	c     int64  // the seconds of a duration
	zone  string // "" for an offset alone
}

// ErrRange is the error of a value that is out of range: a year beyond
// 999,999,999, or a duration of more seconds than an int64 holds.
var ErrRange = errors.New("out of range")

const (
	minYear = -999_999_999
	maxYear = 999_999_999

	secondNanos  = int64(1e9)
	daySeconds   = 86_400
	dayNanos     = daySeconds * secondNanos
	maxOffset    = 18 * 3600
	monthSeconds = 2_629_746 // a twelfth of the mean year
)

// duration is a difference: months, days and seconds, which are three because a
// month has no fixed number of days and a day none of seconds.
type duration struct {
	months, days, seconds int64
	nanos                 int32 // 0 to 999,999,999, to be added
}

// parts are the components of an instant; those that it lacks are zero.
type parts struct {
	days, nanos int64
	offset      int32
	zone        string
}

// utc returns the point in time in whole seconds since 1970 and nanoseconds.
func (p parts) utc() (seconds, nanos int64) {
	return p.days*daySeconds + p.nanos/secondNanos - int64(p.offset), p.nanos % secondNanos
}

// Kind returns the type of the value.
func (v Value) Kind() Kind { return v.kind }

// split returns the parts of an instant.
func (v Value) split() parts {
	return parts{days: v.a, nanos: v.b, offset: v.small, zone: v.zone}
}

// duration returns the parts of a duration.
func (v Value) duration() duration {
	return duration{months: v.a, days: v.b, seconds: v.c, nanos: v.small}
}

// value returns the duration as a value.
func (d duration) value() Value {
	return Value{kind: KindDuration, a: d.months, b: d.days, c: d.seconds, small: d.nanos}
}

// of returns an instant of a kind; parts that the kind lacks are left out.
func (p parts) of(kind Kind) (Value, error) {
	v := Value{kind: kind}
	if kind.hasDate() {
		if p.days < minDay || p.days > maxDay {
			return Value{}, fmt.Errorf("%w: a year is not between %d and %d", ErrRange, minYear, maxYear)
		}
		v.a = p.days
	}
	if kind.hasTime() {
		v.b = p.nanos
	}
	if kind.hasZone() {
		v.small = p.offset
	}
	if kind == KindDateTime {
		v.zone = p.zone
	}
	return v, nil
}

// At returns a point in time as an instant of the kind, as a clock in the
// location of t shows it. A datetime keeps the location's name if
// it is a zone's with this offset, and UTC and other locations as an offset.
func (k Kind) At(t time.Time) (Value, error) {
	if k < KindDate || k >= KindDuration {
		return Value{}, fmt.Errorf("%s is no kind of instant", k)
	}
	_, offset := t.Zone()
	if offset < -maxOffset || offset > maxOffset {
		return Value{}, fmt.Errorf("%w: an offset of more than 18 hours", ErrRange)
	}
	name := t.Location().String()
	if name == "UTC" {
		name = ""
	}
	if name != "" {
		if l, err := (*Zones)(nil).load(name); err != nil || offsetAt(l, t.Unix()) != int32(offset) {
			name = ""
		}
	}
	return fromUTC(t.Unix(), int64(t.Nanosecond()), int32(offset), name).of(k)
}

// fromUTC returns the parts of a point in time as they are written with an
// offset.
func fromUTC(seconds, nanos int64, offset int32, zone string) parts {
	seconds += int64(offset)
	day := floorDiv(seconds, daySeconds)
	return parts{days: day, nanos: (seconds-day*daySeconds)*secondNanos + nanos, offset: offset, zone: zone}
}

// Time returns an instant for Go, in UTC or, if it has another offset, in a
// location of that offset. The date of a time of day is 1970-01-01.
func (v Value) Time() time.Time {
	seconds, nanos := v.split().utc()
	out := time.Unix(seconds, nanos).UTC()
	if v.small == 0 || v.kind == KindDuration {
		return out
	}
	return out.In(time.FixedZone(v.zone, int(v.small)))
}
