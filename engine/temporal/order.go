package temporal

import (
	"cmp"
	"encoding/binary"
	"errors"
	"strings"
)

// Compare returns -1, 0 or 1 as a comes before b, is b, or comes after b in the
// order of ORDER BY; values of two kinds come in the order of the kinds.
func (v Value) Compare(o Value) int {
	if c := cmp.Compare(v.kind, o.kind); c != 0 {
		return c
	}
	if v.kind == KindDuration {
		return v.duration().compare(o.duration())
	}
	p, q := v.split(), o.split()
	s, n := p.utc()
	t, m := q.utc()
	return cmp.Or(cmp.Compare(s, t), cmp.Compare(n, m), cmp.Compare(p.offset, q.offset), strings.Compare(p.zone, q.zone))
}

func (d duration) compare(o duration) int {
	a, _ := d.length()
	b, _ := o.length()
	return cmp.Or(cmp.Compare(a, b), cmp.Compare(d.nanos, o.nanos), cmp.Compare(d.months, o.months), cmp.Compare(d.days, o.days))
}

// Append appends bytes that are ordered as [Value.Compare] orders values of one kind:
//
//	date           days since 1970 (8)
//	localtime      nanoseconds since midnight (8)
//	time           nanoseconds since midnight at UTC (8), offset in seconds (4)
//	localdatetime  seconds since 1970 (8), nanoseconds (4)
//	datetime       seconds since 1970 at UTC (8), nanoseconds (4), offset (4), zone
//	duration       mean length in seconds (8), nanoseconds (4), months (8), days (8)
//
// Numbers are big-endian with the sign bit turned.
func (v Value) Append(dst []byte) []byte {
	long := func(n int64) { dst = binary.BigEndian.AppendUint64(dst, uint64(n)^1<<63) }
	short := func(n int32) { dst = binary.BigEndian.AppendUint32(dst, uint32(n)^1<<31) }
	p := v.split()
	switch v.kind {
	case KindDate:
		long(p.days)
	case KindLocalTime:
		long(p.nanos)
	case KindTime:
		long(p.nanos - int64(p.offset)*secondNanos)
		short(p.offset)
	case KindDuration:
		d := v.duration()
		length, _ := d.length()
		long(length)
		short(d.nanos)
		long(d.months)
		long(d.days)
	default:
		seconds, nanos := p.utc()
		long(seconds)
		short(int32(nanos))
		if v.Kind() == KindDateTime {
			short(p.offset)
			dst = append(dst, p.zone...)
		}
	}
	return dst
}

// errBytes is the error of bytes that this package never writes.
var errBytes = errors.New("these bytes are no temporal value")

// sizes are the lengths of the bytes of each kind, without the name of a zone.
var sizes = [...]int{KindDate: 8, KindLocalTime: 8, KindTime: 12, KindLocalDateTime: 12, KindDateTime: 16, KindDuration: 28}

// Decode reads what [Value.Append] wrote of a kind. Any other bytes are an error.
func (k Kind) Decode(b []byte) (Value, error) {
	if k < KindDate || k > KindDuration || len(b) < sizes[k] || len(b) > sizes[k] && k != KindDateTime {
		return Value{}, errBytes
	}
	long := func(at int) int64 { return int64(binary.BigEndian.Uint64(b[at:]) ^ 1<<63) }
	short := func(at int) int32 { return int32(binary.BigEndian.Uint32(b[at:]) ^ 1<<31) }
	p := parts{}
	seconds, nanos := long(0), int64(0)
	switch k {
	case KindDate:
		p.days = seconds
	case KindLocalTime:
		p.nanos = seconds
	case KindTime:
		p.offset = short(8)
		if seconds < -dayNanos || seconds > 2*dayNanos {
			return Value{}, errBytes
		}
		p.nanos = seconds + int64(p.offset)*secondNanos
	case KindDuration:
		return decodeDuration(seconds, short(8), long(12), long(20))
	default:
		nanos = int64(short(8))
		if k == KindDateTime {
			p.offset, p.zone = short(12), string(b[16:])
		}
		if p.zone != "" && checkZone(p.zone) != nil || nanos < 0 || nanos >= secondNanos ||
			seconds > (maxDay+2)*daySeconds || seconds < (minDay-2)*daySeconds {
			return Value{}, errBytes
		}
		p = fromUTC(seconds, nanos, p.offset, p.zone)
	}
	if p.nanos < 0 || p.nanos >= dayNanos || p.offset > maxOffset || p.offset < -maxOffset {
		return Value{}, errBytes
	}
	return p.of(k)
}

func decodeDuration(length int64, nanos int32, months, days int64) (Value, error) {
	m, ok := multiplyAdd(months, -monthSeconds, 0)
	n, ok2 := multiplyAdd(days, -daySeconds, 0)
	if !ok || !ok2 || nanos < 0 || int64(nanos) >= secondNanos {
		return Value{}, errBytes
	}
	// What is left of the length are the seconds.
	rest, ok := sum(length, m, n)
	if !ok {
		return Value{}, errBytes
	}
	return NewDuration(months, days, rest, int64(nanos))
}
