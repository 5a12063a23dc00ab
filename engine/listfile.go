package engine

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// listFile keeps values in a file, the last of each key. An empty value says
// that the key is removed.
type listFile struct {
	file    spill
	lists   []keptList          // of ascending keys
	others  map[forwardKey]span // that did not come in order
	pending []byte              // the end of the file, not written yet

	window []byte // a part of the file, which begins at from
	from   int64
}

// keptList says where the value of a key is.
type keptList struct {
	key forwardKey
	at  span
}

// forwardKey is the key of a forward list as numbers, in the same order.
type forwardKey struct {
	g, field uint32
	node     uint64
}

func forwardKeyOf(key []byte) forwardKey {
	field, node := layout.TermsOfID(key)
	return forwardKey{binary.BigEndian.Uint32(key[1:]), field, node}
}

func (k forwardKey) key() []byte { return layout.TermsOf(k.g, k.field, k.node) }

func compareForwardKeys(a, b forwardKey) int {
	return cmp.Or(cmp.Compare(a.g, b.g), cmp.Compare(a.field, b.field), cmp.Compare(a.node, b.node))
}

// listBuffer is how many bytes of values are written at once.
const listBuffer = 1 << 20

func (l *listFile) set(key, value []byte) error {
	k, at := forwardKeyOf(key), span{l.file.size + int64(len(l.pending)), int64(len(value))}
	if n := len(l.lists); n == 0 || compareForwardKeys(l.lists[n-1].key, k) < 0 {
		l.lists = append(l.lists, keptList{k, at})
	} else if i, ok := l.search(k); ok {
		l.lists[i].at = at
	} else {
		if l.others == nil {
			l.others = map[forwardKey]span{}
		}
		l.others[k] = at
	}
	if l.pending = append(l.pending, value...); len(l.pending) < listBuffer {
		return nil
	}
	err := l.file.write(func(w *bufio.Writer) error {
		_, err := w.Write(l.pending)
		return err
	})
	l.pending = l.pending[:0]
	return err
}

func (l *listFile) search(k forwardKey) (i int, ok bool) {
	return slices.BinarySearchFunc(l.lists, k, func(x keptList, k forwardKey) int { return compareForwardKeys(x.key, k) })
}

// get appends the value of a key to dst, [ErrNotFound] for one that is removed; ok
// is false for a key that the file does not have.
func (l *listFile) get(key, dst []byte) (b []byte, ok bool, err error) {
	k := forwardKeyOf(key)
	at, ok := l.others[k]
	if i, has := l.search(k); has {
		at, ok = l.lists[i].at, true
	}
	if !ok {
		return dst, false, nil
	}
	b, err = l.value(at)
	return append(dst, b...), true, err
}

// value returns the value at a place until the next call.
func (l *listFile) value(at span) ([]byte, error) {
	switch {
	case at.n == 0:
		return nil, ErrNotFound
	case at.from >= l.file.size:
		from := at.from - l.file.size
		return l.pending[from : from+at.n], nil
	}
	return l.read(at)
}

// sorted returns the lists in order of their keys.
func (l *listFile) sorted() []keptList {
	if len(l.others) == 0 {
		return l.lists
	}
	all := slices.Clone(l.lists)
	for k, at := range l.others {
		all = append(all, keptList{k, at})
	}
	slices.SortFunc(all, func(a, b keptList) int { return compareForwardKeys(a.key, b.key) })
	return all
}

// read returns a part of the file until the next call. If it lies a little after
// the one before, which is so where lists are read as they were written, the
// file is read through a buffer.
func (l *listFile) read(at span) ([]byte, error) {
	const buffer = 64 << 10
	end := l.from + int64(len(l.window))
	if at.from < l.from || at.from+at.n > end {
		n := at.n
		if at.from >= l.from && at.from < end+buffer {
			n = min(max(n, buffer), l.file.size-at.from)
		}
		l.from, l.window = at.from, slices.Grow(l.window[:0], int(n))[:n]
		if _, err := l.file.f.ReadAt(l.window, at.from); err != nil {
			l.window = l.window[:0]
			return nil, err
		}
	}
	return l.window[at.from-l.from:][:at.n], nil
}
