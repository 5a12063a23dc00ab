package cypher

import "unsafe"

// joined is the memory of the last list or string that + made. If + extends it
// at either end, the extension is made in place, so that joining many parts (as
// reduce and chains of + do) copies each part a few times and not once for each
// later part. The content of a value is never overwritten.
type joined[T any] struct {
	room     []T
	from, to int // of the last value within room
	// begins and ends record at which end it was extended so far.
	begins, ends bool
}

// fewJoined is how many bytes a value has at most that gets no room to grow.
const fewJoined = 1 << 10

// last reports whether a is the last value.
func (g *joined[T]) last(a []T) bool {
	return len(a) > 0 && len(a) == g.to-g.from && &a[0] == &g.room[g.from]
}

// join returns a followed by b. It looks at the context while it copies.
func (g *joined[T]) join(x *exec, a, b []T) ([]T, error) {
	n := len(a) + len(b)
	ends, begins := g.last(a), g.last(b)
	switch {
	case n == 0:
		return nil, nil
	case ends || begins:
		g.begins, g.ends = g.begins || begins && !ends, g.ends || ends
	default:
		*g = joined[T]{}
	}
	switch {
	case ends && len(b) <= len(g.room)-g.to:
		at := g.to
		g.to += len(b)
		return g.value(), copied(x, g.room[at:g.to], b)
	case begins && len(a) <= g.from:
		g.from -= len(a)
		return g.value(), copied(x, g.room[g.from:], a)
	}
	var one T
	before, behind := 0, 0
	if n*int(unsafe.Sizeof(one)) > fewJoined {
		if g.begins {
			before = n / 4
		}
		if g.ends {
			behind = n / 4
		}
	}
	room, err := made[T](x, before+n+behind)
	if err != nil {
		return nil, err
	}
	g.room, g.from, g.to = room, before, before+n
	out := g.value()
	if err := copied(x, out, a); err != nil {
		return nil, err
	}
	return out, copied(x, out[len(a):], b)
}

// value returns the last value.
func (g *joined[T]) value() []T { return g.room[g.from:g.to:g.to] }

// copied copies src to dst, a piece after the other, and looks at the context
// between them.
func copied[T any](x *exec, dst, src []T) error {
	var one T
	most := max(1, pieceBytes/int(unsafe.Sizeof(one)))
	for len(src) > most {
		dst, src = dst[copy(dst, src[:most]):], src[most:]
		if err := x.work(stepsBetweenLooks); err != nil {
			return err
		}
	}
	copy(dst, src)
	return nil
}
