package kv

import (
	"context"
	"errors"
)

// Overlay shows a base Reader with pending operations on top. It is a Batch
// that can be read back: a Set, Delete, DeleteRange or Merge is seen by the
// next read, and AppendTo replays all of them into a real batch.
//
// A write appends to a log and notes the key's latest operation in a hash
// map; nothing is sorted until an iterator is opened. A point read costs one
// map look-up, one comparison for each range delete newer than the key's
// latest operation, and a read of the base only if the pending operations
// do not decide. The operands of a key are folded once and the result is
// kept, so reading after each of n merges folds n operands in all.
//
// An iterator sees the state at its opening: later writes do not show in it.
// An Overlay and its iterators are not safe for concurrent use. The base must
// not change while the Overlay is in use: a Snapshot is the usual one.
type Overlay struct {
	base   Reader
	schema *Schema

	ops    opLog
	last   map[string]int // latest point operation of each key
	ranges []int          // the range deletes in ops, ascending
	folds  map[int]pending
	keys   keyIndex
	arena  []byte
	size   int
	ahead  map[string][]byte // of the base, nil for no value; see ReadAhead
}

type opKind uint8

const (
	opSet opKind = iota
	opDelete
	opDeleteRange
	opMerge
)

// pendingOp is one operation of the log. For a range delete key is the start
// and val the end.
type pendingOp struct {
	key  string
	val  []byte
	prev int // latest older operation of the same key, -1 for none
	kind opKind
}

// opLog is a list of operations in chunks, so that growing it moves none.
type opLog struct {
	chunks [][]pendingOp
	n      int
}

const opChunk = 512

func (l *opLog) push(op pendingOp) {
	if l.n == opChunk*len(l.chunks) {
		size := opChunk
		if l.n == 0 {
			size = 0 // the first chunk grows with its content
		}
		l.chunks = append(l.chunks, make([]pendingOp, 0, size))
	}
	last := &l.chunks[len(l.chunks)-1]
	*last = append(*last, op)
	l.n++
}

func (l *opLog) at(i int) *pendingOp { return &l.chunks[i/opChunk][i%opChunk] }

// pending is what the operations say of one key.
type pending struct {
	state pendingState
	val   []byte
}

type pendingState uint8

const (
	untouched pendingState = iota // the base decides
	absent                        // the key has no value
	final                         // val is the value
	operand                       // val is to be folded over the base's value
)

// opOverhead is what Bytes counts for an operation beyond key and value.
const opOverhead = 16

var (
	_ Reader = (*Overlay)(nil)
	_ Batch  = (*Overlay)(nil)
)

// NewOverlay returns an Overlay without operations on top of base. The schema
// must be the one base was opened with.
func NewOverlay(base Reader, s *Schema) *Overlay {
	return &Overlay{base: base, schema: s, last: make(map[string]int)}
}

// Set gives k the value v.
func (o *Overlay) Set(k, v []byte) { o.point(opSet, k, v) }

// Delete removes k.
func (o *Overlay) Delete(k []byte) { o.point(opDelete, k, nil) }

// Merge adds the operand op to k.
func (o *Overlay) Merge(k, op []byte) { o.point(opMerge, k, op) }

// DeleteRange removes lo <= key < hi, of the base too.
func (o *Overlay) DeleteRange(lo, hi []byte) {
	if string(lo) >= string(hi) {
		return
	}
	o.ranges = append(o.ranges, o.ops.n)
	o.ops.push(pendingOp{key: string(lo), val: o.keep(hi), prev: -1, kind: opDeleteRange})
	o.size += len(lo) + len(hi) + opOverhead
}

// Bytes is the approximate size of the operations so far.
func (o *Overlay) Bytes() int { return o.size }

// Len is the number of operations so far.
func (o *Overlay) Len() int { return o.ops.n }

// AppendTo replays the operations into b in their order.
func (o *Overlay) AppendTo(b Batch) {
	if sized, ok := b.(interface{ Reserve(bytes int) }); ok {
		sized.Reserve(o.size)
	}
	var key []byte
	for i := range o.ops.n {
		op := o.ops.at(i)
		key = append(key[:0], op.key...)
		switch op.kind {
		case opSet:
			b.Set(key, op.val)
		case opDelete:
			b.Delete(key)
		case opDeleteRange:
			b.DeleteRange(key, op.val)
		case opMerge:
			b.Merge(key, op.val)
		}
	}
}

func (o *Overlay) point(kind opKind, k, v []byte) {
	prev, old := o.last[string(k)]
	op := pendingOp{val: o.keep(v), prev: -1, kind: kind}
	if old {
		op.prev = prev
		op.key = o.ops.at(prev).key
	} else {
		op.key = string(k)
		o.keys.add(op.key)
	}
	o.last[op.key] = o.ops.n
	o.ops.push(op)
	o.size += len(k) + len(v) + opOverhead
}

// keep copies b into the arena, whose filled chunks stay where they are.
func (o *Overlay) keep(b []byte) []byte {
	const minChunk, maxChunk = 1 << 10, 256 << 10
	if len(b) == 0 {
		return nil
	}
	if len(b) > cap(o.arena)-len(o.arena) {
		n := min(max(2*cap(o.arena), minChunk), maxChunk)
		o.arena = make([]byte, 0, max(n, len(b)))
	}
	n := len(o.arena)
	o.arena = append(o.arena, b...)
	return o.arena[n:len(o.arena):len(o.arena)]
}

// covered reports whether a range delete with an index in (after, before)
// covers key.
func (o *Overlay) covered(key string, after, before int) bool {
	return o.covering(key, after, before) >= 0
}

// covering returns the newest range delete with an index in (after, before)
// that covers key, or -1.
func (o *Overlay) covering(key string, after, before int) int {
	for i := len(o.ranges) - 1; i >= 0; i-- {
		r := o.ranges[i]
		if r <= after {
			break
		}
		if r < before && o.ops.at(r).key <= key && key < string(o.ops.at(r).val) {
			return r
		}
	}
	return -1
}

// lookup returns what the first seq operations say of key.
func (o *Overlay) lookup(key string, seq int) pending {
	i, ok := o.last[key]
	if !ok {
		i = -1
	}
	for i >= seq {
		i = o.ops.at(i).prev
	}
	switch {
	case o.covered(key, i, seq):
		return pending{state: absent}
	case i < 0:
		return pending{state: untouched}
	}
	return o.after(i)
}

// after returns the state of the key of operation i right after it.
func (o *Overlay) after(i int) pending {
	op := o.ops.at(i)
	switch {
	case op.kind == opSet:
		return pending{final, op.val}
	case op.kind == opDelete:
		return pending{state: absent}
	case op.prev < 0 && !o.covered(op.key, -1, i):
		return pending{operand, op.val}
	}
	if p, ok := o.folds[i]; ok {
		return p
	}
	p := o.fold(i)
	if o.folds == nil {
		o.folds = make(map[int]pending)
	}
	o.folds[i] = p
	return p
}

// fold combines the merge at i with the older operations of its key.
func (o *Overlay) fold(i int) pending {
	f := o.schema.NewFold([]byte(o.ops.at(i).key), o.ops.at(i).val)
	for {
		prev := o.ops.at(i).prev
		if o.covered(o.ops.at(i).key, prev, i) {
			return pending{final, f.Finish(true)}
		}
		if prev < 0 {
			return pending{operand, f.Finish(false)}
		}
		p, known := o.folds[prev]
		op := o.ops.at(prev)
		switch {
		case op.kind == opDelete:
			return pending{final, f.Finish(true)}
		case op.kind == opSet:
			f.Older(op.val)
			return pending{final, f.Finish(true)}
		case known:
			f.Older(p.val)
			return pending{p.state, f.Finish(p.state == final)}
		}
		f.Older(op.val)
		i = prev
	}
}

// over folds the operand op over a base value, or over none if found is
// false.
func (o *Overlay) over(key, op, base []byte, found bool) []byte {
	f := o.schema.NewFold(key, op)
	if found {
		f.Older(base)
	}
	return f.Finish(true)
}

// Get appends the value of key to dst.
func (o *Overlay) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	p := o.lookup(string(key), o.ops.n)
	if p.state == untouched {
		return o.fromBase(ctx, key, dst)
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	switch p.state {
	case absent:
		return dst, ErrNotFound
	case final:
		return append(dst, p.val...), nil
	}
	v, err := o.fromBase(ctx, key, nil)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return dst, err
	}
	return append(dst, o.over(key, p.val, v, err == nil)...), nil
}

// ReadAhead reads keys of the base in one read, for calls of Get that come later. The
// values are kept as long as the Overlay; they do not count in Bytes.
func (o *Overlay) ReadAhead(ctx context.Context, keys [][]byte) error {
	var want [][]byte
	for _, k := range keys {
		if _, has := o.ahead[string(k)]; !has && o.lookup(string(k), o.ops.n).state == untouched {
			want = append(want, k)
		}
	}
	if len(want) == 0 {
		return nil
	}
	if o.ahead == nil {
		o.ahead = map[string][]byte{}
	}
	return o.base.MultiGet(ctx, want, func(i int, v []byte) error {
		if v != nil {
			v = present(o.keep(v))
		}
		o.ahead[string(want[i])] = v
		return nil
	})
}

// fromBase is Get of the base.
func (o *Overlay) fromBase(ctx context.Context, key, dst []byte) ([]byte, error) {
	v, has := o.ahead[string(key)]
	switch {
	case !has:
		return o.base.Get(ctx, key, dst)
	case ctx.Err() != nil:
		return dst, ctx.Err()
	case v == nil:
		return dst, ErrNotFound
	}
	return append(dst, v...), nil
}

// MultiGet calls fn for the keys the operations decide, then for the others
// as the base reads them.
func (o *Overlay) MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	var (
		rest     [][]byte // keys the base is asked for
		index    []int    // their places in keys
		operands [][]byte // what to fold over the base's value, nil for nothing
	)
	for i, k := range keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := o.lookup(string(k), o.ops.n)
		switch p.state {
		case absent:
			if err := fn(i, nil); err != nil {
				return err
			}
		case final:
			if err := fn(i, present(p.val)); err != nil {
				return err
			}
		default:
			rest, index = append(rest, k), append(index, i)
			if p.state == operand {
				operands = append(operands, present(p.val))
			} else {
				operands = append(operands, nil)
			}
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return o.base.MultiGet(ctx, rest, func(j int, v []byte) error {
		if operands[j] != nil {
			v = present(o.over(rest[j], operands[j], v, v != nil))
		}
		return fn(index[j], v)
	})
}

// present returns v, not nil: a key with an empty value has one.
func present(v []byte) []byte {
	if v == nil {
		return []byte{}
	}
	return v
}
