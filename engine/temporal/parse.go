package temporal

import (
	"fmt"
	"strings"
)

// maxText bounds the length of a text that is read.
const maxText = 512

// examples has a text of each kind, for messages.
var examples = [...]string{
	KindDate: "2015-07-21", KindLocalTime: "21:40:32.142", KindTime: "21:40:32+01:00",
	KindLocalDateTime: "2015-07-21T21:40:32", KindDateTime: "2015-07-21T21:40:32+01:00",
	KindDuration: "P1Y2M3DT4H5M6S",
}

// Parse reads a text in ISO 8601 as a value of the kind.
//
// Dates may be basic or extended (20150721, 2015-07-21), of a week (2015-W30-2),
// of a quarter (2015-Q3-21) or a day of the year (2015-202), and may end early
// (2015-07). Years of other than four digits have a sign. Times may end early
// (21:40), and the last part may have a fraction of a second. Offsets are Z,
// +01, +0100, +01:00 or +01:00:00; without one a time is at UTC. A datetime may
// end with a zone in brackets; if it has an offset too, the zone must have that
// offset then. Durations are P1Y2M3W4DT5H6M7.8S with any part left out, negative
// or with a fraction, or P2012-02-02T14:37:21.
//
// A nil z means that a zone beside an offset is not looked up.
func (kind Kind) Parse(text string, z *Zones) (Value, error) {
	bad := func() (Value, error) {
		return Value{}, fmt.Errorf("%.80q is no %s, such as %s", text, kind, examples[kind])
	}
	if kind < KindDate || kind > KindDuration {
		return Value{}, fmt.Errorf("%d is no kind of temporal value", kind)
	}
	if len(text) > maxText {
		return bad()
	}
	if kind == KindDuration {
		return parseDuration(text)
	}
	var p parts
	date, clock, hasClock := text, text, true
	if kind.hasDate() {
		date, clock, hasClock = strings.Cut(text, "T")
		if kind == KindDateTime && !hasClock { // 2015-07-21[Europe/Stockholm]
			if i := strings.IndexByte(text, '['); i >= 0 {
				date, clock, hasClock = text[:i], "00:00"+text[i:], true
			}
		}
		if kind == KindDate && hasClock {
			return bad()
		}
		var err error
		if p.days, err = parseDate(date); err != nil {
			return Value{}, err
		}
	}
	if !kind.hasTime() || !hasClock {
		return p.of(kind)
	}
	zone, offset, hasOffset := "", "", false
	if i := strings.IndexByte(clock, '['); i >= 0 {
		if kind != KindDateTime || clock[len(clock)-1] != ']' {
			return bad()
		}
		clock, zone = clock[:i], clock[i+1:len(clock)-1]
		if err := checkZone(zone); err != nil {
			return Value{}, err
		}
	}
	if i := strings.IndexAny(clock, "Z+-"); i >= 0 {
		clock, offset, hasOffset = clock[:i], clock[i:], true
	}
	var ok bool
	if p.nanos, ok = parseClock(clock); !ok {
		return bad()
	}
	if hasOffset {
		if p.offset, ok = parseOffset(offset); !ok || !kind.hasZone() {
			return bad()
		}
	}
	if zone == "" {
		return p.of(kind)
	}
	return inZone(p, text, zone, hasOffset, z)
}

// inZone places a date and time in a zone. A given offset must be the zone's.
func inZone(p parts, text, zone string, hasOffset bool, z *Zones) (Value, error) {
	if hasOffset && z == nil {
		p.zone = zone
		return p.of(KindDateTime)
	}
	in, err := z.zoneOf(zone)
	if err != nil {
		return Value{}, err
	}
	if !hasOffset {
		return in.local(p.days, p.nanos).of(KindDateTime)
	}
	seconds, nanos := p.utc()
	at := in.at(seconds, nanos)
	if at.offset != p.offset {
		return Value{}, fmt.Errorf("%.80q has an offset that %s has not then", text, zone)
	}
	return at.of(KindDateTime)
}

// digits reads a number of exactly n digits.
func digits(s string, n int) (value int64, rest string, ok bool) {
	if len(s) < n {
		return 0, s, false
	}
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return 0, s, false
		}
		value = value*10 + int64(s[i]-'0')
	}
	return value, s[n:], true
}

// digitsAhead counts the digits that a text begins with.
func digitsAhead(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// parseDate reads a date in any form.
func parseDate(text string) (int64, error) {
	bad := fmt.Errorf("%.80q is no date, such as 2015-07-21", text)
	s, sign, year, width := text, int64(1), int64(0), 4
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
		// With a sign the year takes what stands before the next mark.
		if width = digitsAhead(s); width > 9 || width < 1 || len(s) > width && s[width] != '-' {
			return 0, bad
		}
	}
	year, s, ok := digits(s, width)
	year *= sign
	if !ok {
		return 0, bad
	}
	if s == "" {
		return dayOf(year, 1, 1), nil
	}
	extended := s[0] == '-'
	if extended {
		s = s[1:]
	}
	f := dateFields{year: given{year, true}}
	if s == "" {
		return 0, bad
	}
	part := func(n int) given {
		var g given
		g.value, s, g.set = digits(s, n)
		ok = ok && g.set
		return g
	}
	// next reads a further part if there is one.
	next := func(n int) given {
		if s == "" {
			return given{}
		}
		if extended {
			if s[0] != '-' {
				ok = false
				return given{}
			}
			s = s[1:]
		}
		return part(n)
	}
	switch {
	case s[0] == 'W':
		s = s[1:]
		f.week = part(2)
		f.dayOfWeek = next(1)
	case s[0] == 'Q':
		s = s[1:]
		f.quarter = part(1)
		f.dayOfQuarter = next(2)
	case digitsAhead(s) == 3 && len(s) == 3:
		f.ordinalDay = part(3)
	default:
		f.month = part(2)
		f.day = next(2)
	}
	if !ok || s != "" {
		return 0, bad
	}
	day, err := f.day0(nil)
	if err != nil {
		return 0, fmt.Errorf("%.80q is no date: %w", text, err)
	}
	return day, nil
}

// parseClock reads a time of day: 21, 2140, 21:40, 214032.142, 21:40:32.142.
func parseClock(s string) (nanos int64, ok bool) {
	hour, s, ok := digits(s, 2)
	if !ok || hour > 23 {
		return 0, false
	}
	nanos = hour * 3600 * secondNanos
	extended := strings.HasPrefix(s, ":")
	for _, unit := range [2]int64{60 * secondNanos, secondNanos} {
		if s == "" {
			return nanos, true
		}
		if extended {
			if s[0] != ':' {
				return 0, false
			}
			s = s[1:]
		}
		var n int64
		if n, s, ok = digits(s, 2); !ok || n > 59 {
			return 0, false
		}
		nanos += n * unit
	}
	if s == "" {
		return nanos, true
	}
	n := digitsAhead(s[1:])
	if s[0] != '.' && s[0] != ',' || n == 0 || n > 9 || n != len(s)-1 {
		return 0, false
	}
	fraction, _, _ := digits(s[1:], n)
	for range 9 - n {
		fraction *= 10
	}
	return nanos + fraction, true
}

// parseOffset reads an offset from UTC: Z, +01, +0100, +01:00, +010000, +01:00:00.
func parseOffset(s string) (int32, bool) {
	if s == "Z" {
		return 0, true
	}
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hours, rest, ok := digits(s[1:], 2)
	seconds := hours * 3600
	extended := strings.HasPrefix(rest, ":")
	for _, unit := range [2]int64{60, 1} {
		if rest == "" {
			break
		}
		if extended && rest[0] != ':' {
			return 0, false
		}
		if extended {
			rest = rest[1:]
		}
		var n int64
		var digit bool
		n, rest, digit = digits(rest, 2)
		ok = ok && digit && n < 60
		seconds += n * unit
	}
	if !ok || rest != "" || seconds > maxOffset {
		return 0, false
	}
	if s[0] == '-' {
		seconds = -seconds
	}
	return int32(seconds), true
}
