package temporal

import (
	"errors"
	"fmt"
	"math"
)

// components are what [Make] is given.
type components struct {
	dateFields
	clockFields
	date, time, datetime Value
	epochSeconds, milli0 given
	timezone             string
	zone                 bool // timezone is given
	// like is the offset that is taken if a time comes twice in the zone, if one
	// is.
	like given
}

// Make makes a value of the kind from components: an int64, a string, or a Value;
// those of a duration may be a float64.
//
// A date takes year and what follows it in one calendar: month and day, week and
// dayOfWeek, quarter and dayOfQuarter, ordinalDay; what is left out is the first.
// A time takes hour, minute, second, millisecond, microsecond, nanosecond. With
// date, time or datetime another value gives what is left out. A time and a
// datetime take timezone, an offset or, of a datetime, a zone: another value that
// has a zone is converted to it. A datetime takes epochSeconds or epochMillis
// instead, and nanosecond with them. A duration takes years, quarters, months,
// weeks, days, hours, minutes, seconds, milliseconds, microseconds and
// nanoseconds; a fraction of a month or day becomes days and seconds, of 30.436875
// days and 86,400 seconds.
//
// An error names the component.
func (kind Kind) Make(fields map[string]any, z *Zones) (Value, error) {
	if kind == KindDuration {
		return makeDuration(fields)
	}
	var c components
	for name, v := range fields {
		if err := c.set(kind, name, v); err != nil {
			return Value{}, err
		}
	}
	return c.make(kind, z)
}

// Convert makes a value of a kind of another value: what the kind has is taken,
// what v lacks is midnight or UTC. It fails if v lacks the date or time that the
// kind is about.
func (v Value) Convert(kind Kind, z *Zones) (Value, error) {
	has := v.Kind()
	var c components
	switch {
	case has == KindDuration, kind == KindDuration, !kind.hasDate() && !has.hasTime(), kind.hasDate() && !has.hasDate():
		return Value{}, fmt.Errorf("a %s cannot be made of a %s", kind, has)
	case !kind.hasTime() || !has.hasTime():
		c.date = v
	case !kind.hasDate():
		c.time = v
	default:
		c.datetime = v
	}
	return c.make(kind, z)
}

// set takes a component.
func (c *components) set(kind Kind, name string, v any) error {
	number := map[string]*given{}
	if kind.hasDate() {
		number = map[string]*given{
			"year": &c.year, "month": &c.month, "day": &c.day, "week": &c.week, "dayOfWeek": &c.dayOfWeek,
			"quarter": &c.quarter, "dayOfQuarter": &c.dayOfQuarter, "ordinalDay": &c.ordinalDay,
		}
	}
	p := number[name]
	if p == nil && kind.hasTime() {
		p = map[string]*given{
			"hour": &c.hour, "minute": &c.minute, "second": &c.second,
			"millisecond": &c.clockFields.milli, "microsecond": &c.micro, "nanosecond": &c.nano,
		}[name]
	}
	if p == nil && kind == KindDateTime {
		p = map[string]*given{"epochSeconds": &c.epochSeconds, "epochMillis": &c.milli0}[name]
	}
	if p != nil {
		n, ok := v.(int64)
		if !ok {
			return fmt.Errorf("%s must be an integer", name)
		}
		*p = given{n, true}
		return nil
	}
	other, _ := v.(Value)
	switch {
	case name == "timezone" && kind.hasZone():
		s, ok := v.(string)
		if !ok {
			return errors.New("timezone must be a string")
		}
		c.timezone, c.zone = s, true
		return nil
	case name == "date" && kind.hasDate():
		if !other.Kind().hasDate() {
			return errors.New("date must be a value with a date")
		}
		c.date = other
		return nil
	case name == "time" && kind.hasTime():
		if !other.Kind().hasTime() {
			return errors.New("time must be a value with a time of day")
		}
		c.time = other
		return nil
	case name == "datetime" && kind.hasDate() && kind.hasTime():
		if !other.Kind().hasTime() || !other.Kind().hasDate() {
			return errors.New("datetime must be a value with a date and a time of day")
		}
		c.datetime = other
		return nil
	}
	return fmt.Errorf("a %s has no component %.40q", kind, name)
}

// make makes an instant.
func (c *components) make(kind Kind, z *Zones) (Value, error) {
	if c.epochSeconds.set || c.milli0.set {
		return c.epoch(z)
	}
	if c.datetime.kind != 0 {
		if c.date.kind != 0 || c.time.kind != 0 {
			return Value{}, errors.New("datetime stands beside date or time")
		}
		c.date, c.time = c.datetime, c.datetime
	}
	var to zoned
	var err error
	if c.zone {
		if to, err = z.zoneOf(c.timezone); err != nil {
			return Value{}, err
		}
	}
	var day, nanos *int64
	if c.date.kind != 0 {
		day = &[]int64{c.date.split().days}[0]
	}
	var p parts
	if c.time.kind != 0 {
		p = c.time.split()
		nanos = &[]int64{p.nanos}[0]
	}
	converted := c.zone && c.time.kind != 0 && c.time.Kind().hasZone()
	if converted && c.datetime.kind != 0 {
		seconds, fraction := p.utc()
		at := to.at(seconds, fraction)
		c.like = given{int64(at.offset), true}
		*day, *nanos = at.days, at.nanos
	}
	var out parts
	if kind.hasDate() {
		if out.days, err = c.day0(day); err != nil {
			return Value{}, err
		}
	}
	if converted && c.datetime.kind == 0 {
		if kind.hasDate() && (out.days != p.days || !c.time.kind.hasDate()) {
			in, err := z.of(p)
			if err != nil {
				return Value{}, err
			}
			p = in.local(out.days, p.nanos)
		}
		seconds, fraction := p.utc()
		if to.rules != nil && !kind.hasDate() && !c.time.Kind().hasDate() {
			return Value{}, errNoDate(c.timezone)
		}
		at := to.at(seconds, fraction)
		*nanos, to.offset = at.nanos, at.offset
	}
	if kind.hasTime() {
		if nanos == nil && kind != KindDateTime && kind != KindLocalDateTime && !c.hour.set {
			return Value{}, fmt.Errorf("a %s needs an hour", kind)
		}
		if out.nanos, err = c.nanos(nanos); err != nil {
			return Value{}, err
		}
	}
	return c.place(kind, out, to, converted, z)
}

// place adds the zone: the given one, that of the time that is the base, or UTC.
func (c *components) place(kind Kind, out parts, to zoned, converted bool, z *Zones) (Value, error) {
	if !kind.hasZone() {
		return out.of(kind)
	}
	if c.zone {
		if kind == KindTime {
			if to.rules != nil && !converted {
				return Value{}, errNoDate(c.timezone)
			}
			out.offset = to.offset
			return out.of(kind)
		}
		if kind == KindDateTime && (out.days < minDay || out.days > maxDay) {
			return out.of(kind)
		}
		return to.near(out.days, out.nanos, int32(c.like.or(maxOffset+1))).of(kind)
	}
	if c.time.kind == 0 || !c.time.Kind().hasZone() {
		return out.of(kind)
	}
	was := c.time.split()
	if kind == KindTime || was.days == out.days && was.nanos == out.nanos {
		out.offset, out.zone = was.offset, was.zone
		return out.of(kind)
	}
	in, err := z.of(was)
	if err != nil {
		return Value{}, err
	}
	return in.near(out.days, out.nanos, was.offset).of(kind)
}

func errNoDate(zone string) error {
	return fmt.Errorf("a time has an offset such as +01:00, and %.80q has no offset without a date", zone)
}

// epoch makes a datetime of seconds or milliseconds since 1970.
func (c *components) epoch(z *Zones) (Value, error) {
	rest := *c
	rest.epochSeconds, rest.milli0, rest.nano, rest.timezone, rest.zone = given{}, given{}, given{}, "", false
	if rest != (components{}) || c.epochSeconds.set && c.milli0.set {
		return Value{}, errors.New("epochSeconds or epochMillis takes nanosecond and timezone beside it, and nothing else")
	}
	seconds, nanos, most := c.epochSeconds.value, c.nano.value, int64(999_999_999)
	if c.milli0.set {
		seconds = floorDiv(c.milli0.value, 1000)
		nanos += floorMod(c.milli0.value, 1000) * 1e6
		most = 999_999
	}
	if err := c.nano.within("nanosecond", 0, most); err != nil {
		return Value{}, err
	}
	var to zoned
	if c.zone {
		var err error
		if to, err = z.zoneOf(c.timezone); err != nil {
			return Value{}, err
		}
	}
	if seconds > math.MaxInt64/2 || seconds < math.MinInt64/2 {
		return Value{}, fmt.Errorf("%w: seconds since 1970", ErrRange)
	}
	return to.at(seconds, nanos).of(KindDateTime)
}
