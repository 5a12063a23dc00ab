package temporal

import (
	"fmt"
	"math/big"
	"strings"
)

// parseDuration reads P1Y2M3W4DT5H6M7.8S with any part left out, negative or
// with a fraction, and P2012-02-02T14:37:21.545. A sign before the P is that of
// the whole.
func parseDuration(text string) (Value, error) {
	bad := fmt.Errorf("%.80q is no duration, such as %s", text, examples[KindDuration])
	s, negative := text, false
	if s != "" && (s[0] == '+' || s[0] == '-') {
		negative = s[0] == '-'
		s = s[1:]
	}
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return Value{}, bad
	}
	var e exact
	if strings.Contains(strings.TrimPrefix(s, "-"), "-") && !strings.ContainsAny(s, "YMWDHS") {
		ok = e.calendar(s)
	} else {
		ok = e.units(s)
	}
	if !ok {
		return Value{}, bad
	}
	d, err := e.duration()
	if err == nil && negative {
		d, err = d.Negated()
	}
	return d, err
}

// units reads the form with letters, which come in order.
func (e *exact) units(s string) bool {
	date, clock, hasClock := strings.Cut(s, "T")
	return e.series(date, "YMWD", "years", "months", "weeks", "days") &&
		(!hasClock || clock != "" && e.series(clock, "HMS", "hours", "minutes", "seconds"))
}

// series reads numbers, each followed by the letter of its unit.
func (e *exact) series(s, letters string, units ...string) bool {
	for s != "" {
		n := 0
		for n < len(s) && strings.IndexByte("+-0123456789.,", s[n]) >= 0 {
			n++
		}
		if n == len(s) {
			return false
		}
		i := strings.IndexByte(letters, s[n])
		x, ok := parseDecimal(s[:n])
		if i < 0 || !ok {
			return false
		}
		e.add(units[i], x)
		s, letters, units = s[n+1:], letters[i+1:], units[i+1:]
	}
	return true
}

// parseDecimal reads digits with an optional sign and fraction.
func parseDecimal(s string) (*big.Rat, bool) {
	s = strings.Replace(s, ",", ".", 1)
	unsigned := strings.TrimLeft(s, "+-")
	whole, fraction, hasFraction := strings.Cut(unsigned, ".")
	if len(s)-len(unsigned) > 1 || digitsAhead(whole) != len(whole) || digitsAhead(fraction) != len(fraction) ||
		whole == "" || hasFraction && fraction == "" {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// calendar reads the form that looks like a date and a time.
func (e *exact) calendar(s string) bool {
	date, clock, hasClock := strings.Cut(s, "T")
	parts := strings.Split(date, "-")
	if len(parts) != 3 || len(parts[0]) != 4 {
		return false
	}
	for i, unit := range [3]string{"years", "months", "days"} {
		n, rest, ok := digits(parts[i], len(parts[i]))
		if !ok || rest != "" || i > 0 && len(parts[i]) != 2 {
			return false
		}
		e.add(unit, new(big.Rat).SetInt64(n))
	}
	if !hasClock {
		return true
	}
	nanos, ok := parseClock(clock)
	e.add("nanoseconds", new(big.Rat).SetInt64(nanos))
	return ok
}
