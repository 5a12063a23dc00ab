package kvtest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// Run runs the conformance suite. open returns a new empty store with the
// schema s; the suite closes it. s is [Schema] or one that takes the same
// keys and operands. The tests named in without are left out.
func Run(t *testing.T, open func(t *testing.T) kv.Store, s *kv.Schema, without ...string) {
	for _, c := range []struct {
		name string
		fn   func(x *suite)
	}{
		{"Get", (*suite).get},
		{"MultiGet", (*suite).multiGet},
		{"Order", (*suite).order},
		{"Bounds", (*suite).bounds},
		{"Turns", (*suite).turns},
		{"SeekPrefix", (*suite).seekPrefix},
		{"IteratorIsFrozen", (*suite).iteratorIsFrozen},
		{"Batch", (*suite).batch},
		{"EmptyBatch", (*suite).emptyBatch},
		{"ForeignBatch", (*suite).foreignBatch},
		{"InvalidKey", (*suite).invalidKey},
		{"DeleteRange", (*suite).deleteRange},
		{"Merge", (*suite).merge},
		{"Snapshot", (*suite).snapshot},
		{"LargeValue", (*suite).largeValue},
		{"Cancelled", (*suite).cancelled},
		{"Closed", (*suite).closed},
		{"CloseRefused", (*suite).closeRefused},
		{"Ingest", (*suite).ingest},
		{"IngestFails", (*suite).ingestFails},
		{"IngestDeletes", (*suite).ingestDeletes},
		{"Maintain", (*suite).maintain},
		{"Concurrent", (*suite).concurrent},
		{"Random", (*suite).random},
	} {
		if slices.Contains(without, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := &suite{T: t, s: s, st: open(t)}
			c.fn(x)
			if err := x.st.Close(); err != nil && !errors.Is(err, kv.ErrClosed) {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// suite is one test and its store.
type suite struct {
	*testing.T
	s  *kv.Schema
	st kv.Store
}

func (x *suite) must(err error) {
	x.Helper()
	if err != nil {
		x.Fatal(err)
	}
}

// apply commits what fn adds to a batch.
func (x *suite) apply(fn func(b kv.Batch)) {
	x.Helper()
	b := x.st.NewBatch()
	fn(b)
	x.must(x.st.Apply(x.Context(), b, kv.NoSync))
}

// set commits keys, each with itself as the value.
func (x *suite) set(keys ...string) {
	x.Helper()
	x.apply(func(b kv.Batch) {
		for _, k := range keys {
			b.Set([]byte(k), []byte(k))
		}
	})
}

// want compares the value of key; "-" stands for none.
func (x *suite) want(r kv.Reader, key, want string) {
	x.Helper()
	v, err := r.Get(x.Context(), []byte(key), nil)
	if errors.Is(err, kv.ErrNotFound) {
		v, err = []byte("-"), nil
	}
	if err != nil || string(v) != want {
		x.Errorf("%s is %q, %v; want %q", key, v, err, want)
	}
}

func (x *suite) iter(r kv.Reader, lo, hi []byte) kv.Iterator {
	x.Helper()
	it, err := r.Iter(x.Context(), lo, hi)
	x.must(err)
	return it
}

// scan returns the keys of a range, read forward and backward.
func (x *suite) scan(r kv.Reader, lo, hi []byte) string {
	x.Helper()
	it := x.iter(r, lo, hi)
	var up, down []string
	for it.First(); it.Valid(); it.Next() {
		up = append(up, string(it.Key()))
	}
	x.must(it.Err())
	for it.Last(); it.Valid(); it.Prev() {
		down = append(down, string(it.Key()))
	}
	x.must(it.Err())
	x.must(it.Close())
	slices.Reverse(down)
	if !slices.Equal(up, down) {
		x.Errorf("forward %q, backward %q", up, down)
	}
	return strings.Join(up, " ")
}

// settle flushes and compacts if the store can.
func (x *suite) settle() {
	x.Helper()
	if m, ok := x.st.(kv.Maintainer); ok {
		x.must(m.Flush(x.Context()))
		x.must(m.Compact(x.Context(), nil, nil))
	}
}
