package engine

import (
	"bytes"
	"context"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// aheadIter walks what was read of a snapshot, and reads what was not: the first pairs
// from where it is positioned by one round trip, further ones by an iterator of the store.
type aheadIter struct {
	r      *aheadReader
	ctx    context.Context
	lo, hi []byte // an empty hi is open

	rest kv.Iterator // of the store; nil while it was not needed
	real bool        // rest is where the iterator is
	win  *aheadRange
	from []byte // where win begins
	at   int    // in win
	end  []byte // of the walk: hi, or that of a prefix
	ok   bool
	err  error
}

// before reports whether a key is before an end.
func before(key, end []byte) bool { return len(end) == 0 || bytes.Compare(key, end) < 0 }

// keyRange returns a range with its own memory.
func keyRange(lo, hi []byte) kv.Range {
	s := kv.Range{Lo: bytes.Clone(lo)}
	if len(hi) > 0 {
		s.Hi = bytes.Clone(hi)
	}
	return s
}

func (it *aheadIter) First() bool { return it.seek(it.lo, it.hi) }

func (it *aheadIter) SeekGE(k []byte) bool {
	if bytes.Compare(k, it.lo) < 0 {
		k = it.lo
	}
	return it.seek(k, it.hi)
}

func (it *aheadIter) SeekPrefix(k []byte) bool {
	end := layout.Next(k[:it.r.split(k)])
	if len(it.hi) > 0 && !before(end, it.hi) {
		end = it.hi
	}
	if bytes.Compare(k, it.lo) < 0 {
		k = it.lo
	}
	return it.seek(k, end)
}

// seek moves to the first key >= k that is before end.
func (it *aheadIter) seek(k, end []byte) bool {
	it.ok, it.real, it.end = false, false, end
	if it.err == nil {
		it.err = it.ctx.Err()
	}
	if it.err != nil || !before(k, end) {
		return false
	}
	if it.win != nil && bytes.Compare(k, it.from) >= 0 && before(k, it.win.end) {
		it.at, _ = slices.BinarySearchFunc(it.win.rows, k, func(p kv.Pair, k []byte) int { return bytes.Compare(p.Key, k) })
		return it.settle()
	}
	win := it.r.known.from(k)
	if win == nil {
		s := keyRange(k, end)
		if it.r.wants != nil {
			return it.miss(s)
		}
		_, rows, err := it.r.from.Gather(it.ctx, nil, []kv.Range{s}, aheadRows)
		if err != nil {
			it.err = err
			return false
		}
		win = it.r.known.putRange(s, rows[0])
	}
	it.win, it.from, it.at = win, bytes.Clone(k), 0
	return it.settle()
}

// miss notes a range that is not known.
func (it *aheadIter) miss(s kv.Range) bool {
	it.r.wants.misses++
	if old, ok := it.r.wants.ranges[string(s.Lo)]; !ok || !before(s.Hi, old.Hi) || len(s.Hi) == 0 {
		it.r.wants.ranges[string(s.Lo)] = s
	}
	it.err = errNotRead
	return false
}

// settle makes the pair at hand the current one, or goes on where the known ones end.
func (it *aheadIter) settle() bool {
	if it.at < len(it.win.rows) {
		it.ok = before(it.win.rows[it.at].Key, it.end)
		return it.ok
	}
	if len(it.win.end) == 0 || !before(it.win.end, it.end) {
		it.ok = false
		return false
	}
	// The pairs that follow may have been read, too.
	next := it.win.end
	if win := it.r.known.from(next); win != nil {
		it.win, it.from, it.at = win, next, 0
		return it.settle()
	}
	if it.r.wants != nil {
		it.ok = false
		return it.miss(keyRange(next, it.end))
	}
	return it.goOn(func(rest kv.Iterator) bool { return rest.SeekGE(next) })
}

// goOn positions the iterator of the store.
func (it *aheadIter) goOn(position func(rest kv.Iterator) bool) bool {
	if it.rest == nil {
		var hi []byte
		if len(it.hi) > 0 {
			hi = it.hi
		}
		if it.rest, it.err = it.r.Snapshot.Iter(it.ctx, it.lo, hi); it.err != nil {
			it.rest, it.ok = nil, false
			return false
		}
	}
	it.real, it.ok = true, position(it.rest)
	it.err = it.rest.Err()
	it.ok = it.ok && before(it.rest.Key(), it.end)
	return it.ok
}

func (it *aheadIter) Next() bool {
	if !it.ok {
		return false
	}
	if it.err = it.ctx.Err(); it.err != nil {
		it.ok = false
		return false
	}
	if it.real {
		return it.goOn(kv.Iterator.Next)
	}
	it.at++
	return it.settle()
}

func (it *aheadIter) Last() bool {
	it.end = it.hi
	if it.r.wants != nil {
		it.r.wants.misses++
		it.ok, it.err = false, errNotRead
		return false
	}
	return it.goOn(kv.Iterator.Last)
}

func (it *aheadIter) Prev() bool {
	switch {
	case !it.ok:
		return false
	case it.real:
		return it.goOn(kv.Iterator.Prev)
	case it.at > 0:
		it.at--
		return true
	case it.r.wants != nil:
		return it.Last()
	}
	key := bytes.Clone(it.Key())
	return it.goOn(func(rest kv.Iterator) bool { return rest.SeekGE(key) && rest.Prev() })
}

func (it *aheadIter) Valid() bool { return it.ok }

func (it *aheadIter) Key() []byte {
	if it.ok && it.real {
		return it.rest.Key()
	}
	return it.known().Key
}

func (it *aheadIter) Value() []byte {
	if it.ok && it.real {
		return it.rest.Value()
	}
	return it.known().Value
}

// known returns the current pair of those that were read, none if there is no current one.
func (it *aheadIter) known() kv.Pair {
	if !it.ok {
		return kv.Pair{}
	}
	return it.win.rows[it.at]
}

func (it *aheadIter) Err() error { return it.err }

func (it *aheadIter) Close() error {
	it.ok, it.win = false, nil
	if it.rest == nil {
		return nil
	}
	return it.rest.Close()
}
