package kv

import (
	"context"
	"time"
)

// Table is an ordered table of keys and values that a server keeps and several
// processes share. It can do less than a [Store]: it has bounds, folds nothing, and
// each call is a round trip. Package tablekv makes a Store of it. A Table is safe
// for concurrent use.
type Table interface {
	// Bounds returns what the table can take. It never changes.
	Bounds() Bounds
	// View opens the state of the latest commit and reads some keys of it, as
	// [TableView.MultiGet] does, in one round trip. Its error is [ErrRefused] if
	// the same call may succeed a moment later. That of a view's reads is [ErrExpired] if
	// the view is lost, with its connection or by its age.
	View(ctx context.Context, keys ...[]byte) (TableView, [][]byte, error)
	// Write makes all changes in one transaction, provided that the key of the guard has
	// the value that it expects: else it changes nothing and returns [ErrGuard]. It is
	// durable when it returns. After [ErrRefused] it changed nothing and may be called
	// again; after [ErrUncertain] the value of the guard's key tells whether it did.
	Write(ctx context.Context, g Guard, c *Changes) error
	// Close releases all connections. Views must be closed before.
	Close() error
}

// TableView reads one state of a [Table]. It is safe for concurrent use.
type TableView interface {
	// MultiGet returns the values of keys in their order, nil for a key that has none:
	// an empty value is not nil. It is one round trip. The caller owns the values.
	MultiGet(ctx context.Context, keys [][]byte) ([][]byte, error)
	// Scan returns the first pairs with lo <= key < hi, at most limit of them, the last
	// ones in descending order if reverse is set. Fewer mean that there are no more. A
	// nil bound is open. It is one round trip. The caller owns the pairs.
	Scan(ctx context.Context, lo, hi []byte, reverse bool, limit int) ([]Pair, error)
	// Gather reads keys as MultiGet does, and the first pairs of ranges as Scan does, all
	// in one round trip.
	Gather(ctx context.Context, keys [][]byte, ranges []Range, limit int) (values [][]byte, rows [][]Pair, err error)
	Close() error
}

// Pair is a key with its value.
type Pair struct{ Key, Value []byte }

// Range is the keys lo <= key < hi.
type Range struct{ Lo, Hi []byte }

// Changes are the changes of one transaction of a [Table]. The ranges are removed
// first, then the other changes are made. Keys are distinct and ascending within each
// list, and no key is in both.
type Changes struct {
	Remove []Range
	Delete [][]byte
	Set    []Pair
	// New says that the table has none of the keys of Set, which may save the server a
	// look at each. A transaction that says so in error fails, or is made all the same.
	New bool
}

// Bytes is the approximate size of the changes.
func (c *Changes) Bytes() int {
	n := 0
	for _, r := range c.Remove {
		n += len(r.Lo) + len(r.Hi) + opOverhead
	}
	for _, k := range c.Delete {
		n += len(k) + opOverhead
	}
	for _, p := range c.Set {
		n += len(p.Key) + len(p.Value) + opOverhead
	}
	return n
}

// Guard makes a transaction depend on the value of one key, and changes that value:
// of two transactions that expect the same value only one is done.
type Guard struct {
	Key []byte
	// Old is the value that the key must have, nil if it must have none.
	Old []byte
	// New is the value that the transaction gives it.
	New []byte
}

// Bounds are what a [Table] can take. A zero means that there is no such bound.
type Bounds struct {
	// KeyBytes bounds a key.
	KeyBytes int
	// ValueBytes bounds a value.
	ValueBytes int
	// ChangeBytes bounds [Changes.Bytes] of one transaction.
	ChangeBytes int
	// RemoveKeys bounds the keys that the ranges of one transaction may remove.
	RemoveKeys int
	// ViewAge is how long a view can be read; then its calls return [ErrExpired].
	ViewAge time.Duration
}
