package kvtest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/kv"
)

// Schema returns the schema of the suite. Keys are any bytes but the empty
// key and those that begin with 0xFF; Split ends after the first slash, or at
// the end if there is none. A merge changes a set of bytes: see [Delta].
func Schema() *kv.Schema {
	return &kv.Schema{
		ComparerName: "kvtest.cmp.v1",
		MergerName:   "kvtest.merge.v1",
		Split: func(key []byte) int {
			if i := bytes.IndexByte(key, '/'); i >= 0 {
				return i + 1
			}
			return len(key)
		},
		Validate: func(key []byte) error {
			if len(key) > 0 && key[0] == 0xFF {
				return errors.New("reserved")
			}
			return nil
		},
		Format: func(key []byte) string { return fmt.Sprintf("%q", key) },
		NewFold: func(_, first []byte) kv.Fold {
			f := &setFold{}
			f.Newer(first)
			return f
		},
	}
}

// Set values and operands begin with their kind:
//
//	baseKind  elements ascending
//	deltaKind number of added elements (2 bytes, big-endian),
//	          those added ascending, those removed ascending
const (
	baseKind  = 'b'
	deltaKind = 'd'
)

// Elements returns the value of a set that holds the bytes of s.
func Elements(s string) []byte {
	var f setFold
	f.Newer(Delta(s, ""))
	return f.Finish(true)
}

// Delta returns the operand that adds the bytes of add and then removes those
// of del.
func Delta(add, del string) []byte {
	var f setFold
	for i := range len(add) {
		f.fate[add[i]] = added
	}
	for i := range len(del) {
		f.fate[del[i]] = removed
	}
	return f.Finish(false)
}

// setFold folds set deltas; the newest word on an element counts.
type setFold struct {
	fate [256]uint8
}

const (
	unknown uint8 = iota
	added
	removed
)

func (f *setFold) Newer(op []byte) {
	each(op, func(e byte, fate uint8) { f.fate[e] = fate })
}

func (f *setFold) Older(op []byte) {
	each(op, func(e byte, fate uint8) {
		if f.fate[e] == unknown {
			f.fate[e] = fate
		}
	})
}

func (f *setFold) Finish(hasBase bool) []byte {
	var add, del []byte
	for e, fate := range f.fate {
		switch fate {
		case added:
			add = append(add, byte(e))
		case removed:
			del = append(del, byte(e))
		}
	}
	if hasBase {
		return append([]byte{baseKind}, add...)
	}
	out := []byte{deltaKind, byte(len(add) >> 8), byte(len(add))}
	return append(append(out, add...), del...)
}

// each calls fn for the elements of a set or delta and for none of anything
// else.
func each(op []byte, fn func(e byte, fate uint8)) {
	switch {
	case len(op) > 0 && op[0] == baseKind:
		for _, e := range op[1:] {
			fn(e, added)
		}
	case len(op) > 2 && op[0] == deltaKind:
		n := int(op[1])<<8 | int(op[2])
		if n > len(op)-3 {
			return
		}
		for i, e := range op[3:] {
			if i < n {
				fn(e, added)
			} else {
				fn(e, removed)
			}
		}
	}
}
