package temporal

import (
	"errors"
	"fmt"
)

// given is a component that may be given.
type given struct {
	value int64
	set   bool
}

// or returns the component, or another value if it is not given.
func (g given) or(other int64) int64 {
	if g.set {
		return g.value
	}
	return other
}

// within refuses a given component that is out of its range.
func (g given) within(name string, lo, hi int64) error {
	if g.set && (g.value < lo || g.value > hi) {
		return fmt.Errorf("%s is %d, which is not between %d and %d", name, g.value, lo, hi)
	}
	return nil
}

// dateFields are the components of a date. Those of one calendar may be given:
// month and day, week and dayOfWeek, quarter and dayOfQuarter, or ordinalDay.
type dateFields struct {
	year, month, day, week, dayOfWeek, quarter, dayOfQuarter, ordinalDay given
}

// day0 returns the date. What is not given comes from base, the days of another
// date, or is the first. A day that comes from base and that the month lacks
// becomes the month's last.
func (f *dateFields) day0(base *int64) (int64, error) {
	if err := f.check(base != nil); err != nil {
		return 0, err
	}
	start := int64(0)
	if base != nil {
		start = *base
	}
	y, m, d := civil(start)
	weekYear, week := weekOf(start)
	if base == nil {
		m, d, week = 1, 1, 1
	}
	year := f.year.or(y)
	switch {
	case f.week.set || f.dayOfWeek.set:
		year = f.year.or(weekYear)
		last := weeksOfYear(year)
		if err := f.week.within("week", 1, last); err != nil {
			return 0, err
		}
		ofWeek := int64(1)
		if base != nil {
			ofWeek = weekday(start)
		}
		return weekStart(year) + 7*(f.week.or(min(week, last))-1) + f.dayOfWeek.or(ofWeek) - 1, nil
	case f.quarter.set || f.dayOfQuarter.set:
		quarter := f.quarter.or((m-1)/3 + 1)
		first := quarterStart(year, quarter)
		if f.dayOfQuarter.set {
			return first + f.dayOfQuarter.value - 1, f.dayOfQuarter.within("dayOfQuarter", 1, quarterStart(year, quarter+1)-first)
		}
		m = quarter*3 - 2 + (m-1)%3
	case f.ordinalDay.set:
		return dayOf(year, 1, 1) + f.ordinalDay.value - 1, f.ordinalDay.within("ordinalDay", 1, daysOfYear(year))
	}
	m = f.month.or(m)
	last := daysOfMonth(year, m)
	return dayOf(year, m, f.day.or(min(d, last))), f.day.within("day", 1, last)
}

// check refuses components that are out of range whatever the others are, those
// of two calendars, and those that need another.
func (f *dateFields) check(based bool) error {
	calendars := 0
	for _, pair := range [][2]given{{f.month, f.day}, {f.week, f.dayOfWeek}, {f.quarter, f.dayOfQuarter}, {f.ordinalDay, {}}} {
		if pair[0].set || pair[1].set {
			calendars++
		}
	}
	switch {
	case calendars > 1:
		return errors.New("a date takes month and day, week and dayOfWeek, quarter and dayOfQuarter, or ordinalDay, not of two of them")
	case !based && !f.year.set:
		return errors.New("a date needs a year")
	case !based && f.day.set && !f.month.set:
		return errors.New("day needs a month")
	case !based && f.dayOfWeek.set && !f.week.set:
		return errors.New("dayOfWeek needs a week")
	case !based && f.dayOfQuarter.set && !f.quarter.set:
		return errors.New("dayOfQuarter needs a quarter")
	}
	if err := f.year.within("year", minYear, maxYear); err != nil {
		return fmt.Errorf("%w: %w", ErrRange, err)
	}
	return errors.Join(
		f.month.within("month", 1, 12), f.quarter.within("quarter", 1, 4), f.dayOfWeek.within("dayOfWeek", 1, 7))
}

// clockFields are the components of a time of day.
type clockFields struct {
	hour, minute, second, milli, micro, nano given
}

func (f *clockFields) any() bool { return *f != clockFields{} }

// nanos returns the nanoseconds since midnight. What is not given comes from
// base or is zero.
func (f *clockFields) nanos(base *int64) (int64, error) {
	seconds := f.milli.set || f.micro.set || f.nano.set
	switch {
	case base == nil && f.minute.set && !f.hour.set:
		return 0, errors.New("minute needs an hour")
	case base == nil && f.second.set && !f.minute.set:
		return 0, errors.New("second needs a minute")
	case base == nil && seconds && !f.second.set:
		return 0, errors.New("a fraction of a second needs a second")
	}
	mostMicro, mostNano := int64(999_999), int64(999_999_999)
	if f.milli.set {
		mostMicro, mostNano = 999, 999_999
	}
	if f.micro.set {
		mostNano = 999
	}
	err := errors.Join(
		f.hour.within("hour", 0, 23), f.minute.within("minute", 0, 59), f.second.within("second", 0, 59),
		f.milli.within("millisecond", 0, 999), f.micro.within("microsecond", 0, mostMicro), f.nano.within("nanosecond", 0, mostNano))
	if err != nil {
		return 0, err
	}
	was := int64(0)
	if base != nil {
		was = *base
	}
	whole := was / secondNanos
	fraction := was % secondNanos
	if seconds {
		fraction = f.milli.value*1e6 + f.micro.value*1e3 + f.nano.value
	}
	h, m, s := f.hour.or(whole/3600), f.minute.or(whole/60%60), f.second.or(whole%60)
	return (h*3600+m*60+s)*secondNanos + fraction, nil
}
