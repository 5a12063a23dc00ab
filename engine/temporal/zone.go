package temporal

import (
	"fmt"
	"time"
)

// Zones remembers the rules of zones by name. The zero value is ready. One
// goroutine at a time may use it. A nil *Zones remembers none.
type Zones struct {
	known map[string]*time.Location
}

// load returns the rules of a zone.
func (z *Zones) load(name string) (*time.Location, error) {
	if z != nil {
		if l := z.known[name]; l != nil {
			return l, nil
		}
	}
	if err := checkZone(name); err != nil {
		return nil, err
	}
	l, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("the time zone %q is not known here", name)
	}
	if z != nil {
		if z.known == nil {
			z.known = map[string]*time.Location{}
		}
		z.known[name] = l
	}
	return l, nil
}

// checkZone refuses what cannot be the name of a zone.
func checkZone(name string) error {
	ok := name != "" && name != "Local" && len(name) <= 64 && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
	for i := range len(name) {
		switch c := name[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9', c == '_', c == '-', c == '+', c == '/':
		default:
			ok = false
		}
	}
	if !ok {
		return fmt.Errorf("%.80q is no time zone, such as Europe/Stockholm or +01:00", name)
	}
	return nil
}

// offsetAt returns the offset of a zone at a point in time.
func offsetAt(l *time.Location, seconds int64) int32 {
	_, offset := time.Unix(seconds, 0).In(l).Zone()
	return int32(offset)
}

// zoned is an offset from UTC or a zone.
type zoned struct {
	offset int32
	rules  *time.Location // nil for an offset alone
	name   string
}

// zoneOf reads an offset or loads a zone.
func (z *Zones) zoneOf(s string) (zoned, error) {
	if s != "" && (s[0] == '+' || s[0] == '-' || s == "Z") {
		offset, ok := parseOffset(s)
		if !ok {
			return zoned{}, fmt.Errorf("%.80q is no offset from UTC, such as +01:00", s)
		}
		return zoned{offset: offset}, nil
	}
	l, err := z.load(s)
	return zoned{rules: l, name: s}, err
}

// of returns the zone of an instant.
func (z *Zones) of(p parts) (zoned, error) {
	if p.zone == "" {
		return zoned{offset: p.offset}, nil
	}
	return z.zoneOf(p.zone)
}

// local places a date and a time in the zone. If clocks are set back and the
// time comes twice, it is the first; if clocks are set forward and the time does
// not come, it is moved by the gap.
func (z zoned) local(days, nanos int64) parts {
	p := parts{days: days, nanos: nanos, offset: z.offset, zone: z.name}
	if z.rules == nil {
		return p
	}
	seconds := days*daySeconds + nanos/secondNanos
	earlier, later := offsetAt(z.rules, seconds-daySeconds), offsetAt(z.rules, seconds+daySeconds)
	for _, offset := range [2]int32{earlier, later} {
		if offsetAt(z.rules, seconds-int64(offset)) == offset {
			p.offset = offset
			return p
		}
	}
	return z.at(seconds-int64(earlier), nanos%secondNanos)
}

// near is local, but if the time comes twice and once with the given offset, it
// is that one.
func (z zoned) near(days, nanos int64, offset int32) parts {
	if z.rules != nil {
		seconds := days*daySeconds + nanos/secondNanos - int64(offset)
		if offsetAt(z.rules, seconds) == offset {
			return parts{days: days, nanos: nanos, offset: offset, zone: z.name}
		}
	}
	return z.local(days, nanos)
}

// at writes a point in time in the zone.
func (z zoned) at(seconds, nanos int64) parts {
	offset := z.offset
	if z.rules != nil {
		offset = offsetAt(z.rules, seconds)
	}
	return fromUTC(seconds, nanos, offset, z.name)
}
