package layout

import (
	"bytes"
	"slices"
)

// operands keeps the operands of a fold that does its work once, in Finish: a
// whole value replaces all that is older than it.
type operands struct {
	whole func(op []byte) bool
	newer [][]byte // oldest first
	older [][]byte // newest first
	done  bool     // a whole value was met: what is older does not count
}

func newOperands(first []byte, whole func(op []byte) bool) operands {
	return operands{whole: whole, newer: [][]byte{bytes.Clone(first)}, done: whole(first)}
}

// Newer implements kv.Fold.
func (o *operands) Newer(op []byte) {
	if o.whole(op) {
		o.newer, o.older, o.done = o.newer[:0], nil, true
	}
	o.newer = append(o.newer, bytes.Clone(op))
}

// Older implements kv.Fold.
func (o *operands) Older(op []byte) {
	if o.done {
		return
	}
	o.older = append(o.older, bytes.Clone(op))
	o.done = o.whole(op)
}

// all returns what counts, the oldest first. It ends the use of o.
func (o *operands) all() [][]byte {
	slices.Reverse(o.older)
	return append(o.older, o.newer...)
}
