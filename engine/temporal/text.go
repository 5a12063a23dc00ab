package temporal

import (
	"strconv"
)

// String returns the canonical text in ISO 8601, which [Kind.Parse] reads back:
// 2015-07-21T21:40:32.142+02:00[Europe/Stockholm], P1Y2M3DT4H5M6.7S. Years of
// more than four digits have a sign, seconds that are zero are left out, and each
// part of a duration has its own sign.
func (v Value) String() string {
	var b []byte
	if v.kind == KindDuration {
		return v.duration().text()
	}
	if v.kind.hasDate() {
		b = appendDate(b, v.a)
	}
	if v.kind.hasTime() {
		if len(b) > 0 {
			b = append(b, 'T')
		}
		b = appendClock(b, v.b)
	}
	if v.kind.hasZone() {
		b = appendOffset(b, v.small)
	}
	if v.zone != "" {
		b = append(append(append(b, '['), v.zone...), ']')
	}
	return string(b)
}

// text returns the duration, PT0S for none.
func (d duration) text() string {
	if d == (duration{}) {
		return "PT0S"
	}
	b := []byte{'P'}
	unit := func(n int64, letter byte) {
		if n != 0 {
			b = append(strconv.AppendInt(b, n, 10), letter)
		}
	}
	unit(d.months/12, 'Y')
	unit(d.months%12, 'M')
	unit(d.days, 'D')
	seconds, nanos := d.seconds, int64(d.nanos)
	if seconds == 0 && nanos == 0 {
		return string(b)
	}
	if seconds < 0 && nanos > 0 { // one sign for both
		seconds, nanos = seconds+1, nanos-secondNanos
	}
	b = append(b, 'T')
	unit(seconds/3600, 'H')
	unit(seconds/60%60, 'M')
	if seconds %= 60; seconds != 0 || nanos != 0 {
		if seconds == 0 && nanos < 0 {
			b = append(b, '-')
		}
		b = strconv.AppendInt(b, seconds, 10)
		b = append(appendFraction(b, max(nanos, -nanos)), 'S')
	}
	return string(b)
}

func appendDate(b []byte, days int64) []byte {
	y, m, d := civil(days)
	switch {
	case y < 0:
		b = append(b, '-')
		y = -y
	case y > 9999:
		b = append(b, '+')
	}
	b = appendPadded(b, y, 4)
	b = appendPadded(append(b, '-'), m, 2)
	return appendPadded(append(b, '-'), d, 2)
}

// appendClock leaves out seconds that are zero.
func appendClock(b []byte, nanos int64) []byte {
	seconds, fraction := nanos/secondNanos, nanos%secondNanos
	b = appendPadded(b, seconds/3600, 2)
	b = appendPadded(append(b, ':'), seconds/60%60, 2)
	if seconds%60 == 0 && fraction == 0 {
		return b
	}
	return appendFraction(appendPadded(append(b, ':'), seconds%60, 2), fraction)
}

// appendFraction appends as many digits as are needed, and nothing for zero.
func appendFraction(b []byte, nanos int64) []byte {
	if nanos == 0 {
		return b
	}
	b = appendPadded(append(b, '.'), nanos, 9)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

func appendOffset(b []byte, offset int32) []byte {
	if offset == 0 {
		return append(b, 'Z')
	}
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	b = appendPadded(append(b, sign), int64(offset/3600), 2)
	b = appendPadded(append(b, ':'), int64(offset/60%60), 2)
	if offset%60 != 0 {
		b = appendPadded(append(b, ':'), int64(offset%60), 2)
	}
	return b
}

// appendPadded appends a number of at least so many digits.
func appendPadded(b []byte, n int64, digits int) []byte {
	s := strconv.FormatInt(n, 10)
	for range digits - len(s) {
		b = append(b, '0')
	}
	return append(b, s...)
}
