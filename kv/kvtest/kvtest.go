package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// Run runs the conformance suite. open returns a new empty store with the
// schema s; the suite closes it. s is [Schema] or one that takes the same
// keys and operands.
func Run(t *testing.T, open func(t *testing.T) kv.Store, s *kv.Schema) {
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
		{"Maintain", (*suite).maintain},
		{"Concurrent", (*suite).concurrent},
		{"Random", (*suite).random},
	} {
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

func (x *suite) get() {
	x.want(x.st, "a", "-")
	x.apply(func(b kv.Batch) {
		b.Set([]byte("a"), []byte("1"))
		b.Set([]byte("b"), nil)
	})
	x.want(x.st, "a", "1")
	x.want(x.st, "b", "")
	x.want(x.st, "", "-")
	x.want(x.st, "aa", "-")
	v, err := x.st.Get(x.Context(), []byte("a"), []byte("dst"))
	if string(v) != "dst1" || err != nil {
		x.Errorf("append: %q, %v", v, err)
	}
	for i := range v {
		v[i] = 'x'
	}
	x.want(x.st, "a", "1")
	v, err = x.st.Get(x.Context(), []byte("c"), []byte("dst"))
	if string(v) != "dst" || !errors.Is(err, kv.ErrNotFound) {
		x.Errorf("missing: %q, %v", v, err)
	}
}

func (x *suite) multiGet() {
	x.set("a", "b/1", "b/2", "c")
	x.apply(func(b kv.Batch) { b.Set([]byte("empty"), nil) })
	keys := [][]byte{[]byte("c"), []byte("none"), []byte("b/1"), []byte("c"), []byte("empty"), {}}
	got := map[int]string{}
	x.must(x.st.MultiGet(x.Context(), keys, func(i int, v []byte) error {
		if v == nil {
			got[i] = "-"
		} else {
			got[i] = string(v)
		}
		return nil
	}))
	if s := fmt.Sprint(got); s != "map[0:c 1:- 2:b/1 3:c 4: 5:-]" {
		x.Errorf("multiget: %s", s)
	}
	x.must(x.st.MultiGet(x.Context(), nil, nil))
	stop, calls := errors.New("stop"), 0
	err := x.st.MultiGet(x.Context(), keys, func(int, []byte) error {
		calls++
		return stop
	})
	if !errors.Is(err, stop) || calls != 1 {
		x.Errorf("error of fn: %v after %d calls", err, calls)
	}
}

func (x *suite) order() {
	if s := x.scan(x.st, nil, nil); s != "" {
		x.Errorf("empty store: %q", s)
	}
	x.set("b", "a", "a\x00", "c/\xff", "c/", "c", "a/2", "a/10")
	if s := x.scan(x.st, nil, nil); s != "a a\x00 a/10 a/2 b c c/ c/\xff" {
		x.Errorf("order: %q", s)
	}
}

func (x *suite) bounds() {
	x.set("a", "b", "c", "d")
	for _, c := range []struct{ lo, hi, want string }{
		{"", "z", "a b c d"}, {"b", "d", "b c"}, {"bb", "cc", "c"}, {"b", "b", ""},
		{"c", "b", ""}, {"e", "z", ""}, {"", "a", ""}, {"", "", ""}, {"a", "a\x00", "a"},
	} {
		if got := x.scan(x.st, []byte(c.lo), []byte(c.hi)); got != c.want {
			x.Errorf("[%q, %q): %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
	if got := x.scan(x.st, []byte("c"), nil); got != "c d" {
		x.Errorf("open end: %q", got)
	}
	if got := x.scan(x.st, nil, []byte("b\x00")); got != "a b" {
		x.Errorf("open start: %q", got)
	}
	x.emptySeeks()
	it := x.iter(x.st, []byte("b"), []byte("d"))
	defer it.Close()
	if !it.SeekGE([]byte("a")) || string(it.Key()) != "b" {
		x.Errorf("seek before the range: %q", it.Key())
	}
	if !it.SeekPrefix([]byte("c")) || string(it.Key()) != "c" {
		x.Errorf("seek prefix in the range: %q", it.Key())
	}
	for _, k := range []string{"a", "d", "z"} {
		if it.SeekPrefix([]byte(k)) || it.Err() != nil {
			x.Errorf("seek prefix %s: %q, %v", k, it.Key(), it.Err())
		}
	}
	for _, k := range []string{"d", "dd", "z"} {
		if it.SeekGE([]byte(k)) || it.Err() != nil {
			x.Errorf("seek %s: %q, %v", k, it.Key(), it.Err())
		}
	}
}

// emptySeeks seeks the empty key, which is before every other and a prefix of
// none.
func (x *suite) emptySeeks() {
	it := x.iter(x.st, nil, nil)
	defer it.Close()
	for _, k := range [][]byte{nil, {}} {
		if !it.SeekGE(k) || string(it.Key()) != "a" {
			x.Errorf("seek of an empty key: %q", it.Key())
		}
		if it.SeekPrefix(k) || it.Err() != nil {
			x.Errorf("seek prefix of an empty key: %q, %v", it.Key(), it.Err())
		}
	}
}

func (x *suite) turns() {
	x.set("a", "b", "c")
	it := x.iter(x.st, nil, nil)
	defer it.Close()
	step := func(name string, fn func() bool, want string) {
		x.Helper()
		got := "-"
		if ok := fn(); ok != it.Valid() {
			x.Errorf("%s returns %v but Valid is %v", name, ok, it.Valid())
		} else if ok {
			got = string(it.Key())
		}
		if got != want || it.Err() != nil {
			x.Errorf("%s: %q, %v; want %q", name, got, it.Err(), want)
		}
	}
	step("next before any seek", it.Next, "-")
	step("prev before any seek", it.Prev, "-")
	step("first", it.First, "a")
	step("next", it.Next, "b")
	step("prev", it.Prev, "a")
	step("next", it.Next, "b")
	step("next", it.Next, "c")
	step("prev", it.Prev, "b")
	step("next", it.Next, "c")
	step("next at the end", it.Next, "-")
	step("next after the end", it.Next, "-")
	step("prev after the end", it.Prev, "-")
	step("last", it.Last, "c")
	step("prev", it.Prev, "b")
	step("prev", it.Prev, "a")
	step("prev at the start", it.Prev, "-")
	step("next after the start", it.Next, "-")
}

func (x *suite) seekPrefix() {
	x.set("a", "a/", "a/1", "a/2", "b/1", "c/1")
	it := x.iter(x.st, nil, nil)
	defer it.Close()
	walk := func(k string, next func() bool) string {
		var out []string
		for ok := it.SeekPrefix([]byte(k)); ok; ok = next() {
			out = append(out, string(it.Key()))
		}
		x.must(it.Err())
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ seek, want string }{
		{"a/", "a/ a/1 a/2"}, {"a/1", "a/1 a/2"}, {"a/3", ""}, {"a", "a"},
		{"b/", "b/1"}, {"bb/", ""}, {"b", ""}, {"zz/", ""},
	} {
		if got := walk(c.seek, it.Next); got != c.want {
			x.Errorf("seek prefix %s: %q, want %q", c.seek, got, c.want)
		}
	}
	if got := walk("a/2", it.Prev); got != "a/2 a/1 a/" {
		x.Errorf("back from a/2: %q", got)
	}
	if !it.SeekPrefix([]byte("a/1")) || !it.Next() || !it.Prev() || string(it.Key()) != "a/1" {
		x.Errorf("turn within the prefix: %q", it.Key())
	}
	if !it.Prev() || !it.Next() || !it.Next() || string(it.Key()) != "a/2" || it.Next() {
		x.Errorf("turn and leave the prefix: %q", it.Key())
	}
	if !it.SeekGE([]byte("a/2")) || !it.Next() || string(it.Key()) != "b/1" {
		x.Errorf("seek after seek prefix: %q", it.Key())
	}
}

func (x *suite) iteratorIsFrozen() {
	x.set("a", "c")
	it := x.iter(x.st, nil, nil)
	x.apply(func(b kv.Batch) {
		b.Set([]byte("b"), nil)
		b.Delete([]byte("c"))
		b.Set([]byte("a"), []byte("new"))
	})
	var got []string
	for it.First(); it.Valid(); it.Next() {
		got = append(got, string(it.Key())+"="+string(it.Value()))
	}
	x.must(it.Close())
	if s := strings.Join(got, " "); s != "a=a c=c" {
		x.Errorf("iterator sees %q", s)
	}
	if it.First() || it.Valid() || !errors.Is(it.Err(), kv.ErrClosed) {
		x.Errorf("closed iterator: %v", it.Err())
	}
	x.must(it.Close())
}

func (x *suite) batch() {
	b := x.st.NewBatch()
	k, v := []byte("k"), []byte("v1")
	b.Set(k, v)
	k[0], v[1] = 'x', 'x'
	b.Set([]byte("gone"), v)
	b.Delete([]byte("gone"))
	b.Delete([]byte("never"))
	b.Delete([]byte("back"))
	b.Set([]byte("back"), []byte("1"))
	b.Set([]byte("back"), []byte("2"))
	if n := b.Bytes(); n < len("kv1gonevxback") {
		x.Errorf("size %d", n)
	}
	if s := x.scan(x.st, nil, nil); s != "" {
		x.Errorf("visible before apply: %q", s)
	}
	x.must(x.st.Apply(x.Context(), b, kv.Sync))
	x.want(x.st, "k", "v1")
	x.want(x.st, "back", "2")
	if s := x.scan(x.st, nil, nil); s != "back k" {
		x.Errorf("after apply: %q", s)
	}
	if x.st.Apply(x.Context(), b, kv.Sync) == nil {
		x.Error("a batch is applied twice")
	}
}

func (x *suite) emptyBatch() {
	x.set("a")
	for _, d := range []kv.Durability{kv.Sync, kv.NoSync} {
		x.must(x.st.Apply(x.Context(), x.st.NewBatch(), d))
	}
	if s := x.scan(x.st, nil, nil); s != "a" {
		x.Errorf("after empty batches: %q", s)
	}
}

func (x *suite) foreignBatch() {
	if x.st.Apply(x.Context(), NewModel(x.s), kv.Sync) == nil {
		x.Error("a batch of another kind is applied")
	}
}

func (x *suite) invalidKey() {
	for name, op := range map[string]func(b kv.Batch){
		"set":    func(b kv.Batch) { b.Set(nil, []byte("v")) },
		"delete": func(b kv.Batch) { b.Delete(nil) },
		"merge":  func(b kv.Batch) { b.Merge(nil, Delta("a", "")) },
	} {
		b := x.st.NewBatch()
		b.Set([]byte("a"), nil)
		op(b)
		b.Set([]byte("b"), nil)
		if x.st.Apply(x.Context(), b, kv.Sync) == nil {
			x.Errorf("%s of an invalid key is applied", name)
		}
	}
	if s := x.scan(x.st, nil, nil); s != "" {
		x.Errorf("applied in part: %q", s)
	}
}

func (x *suite) deleteRange() {
	x.set("a", "b", "c", "d")
	x.apply(func(b kv.Batch) {
		b.Set([]byte("bb"), nil)
		b.DeleteRange([]byte("b"), []byte("d"))
		b.Set([]byte("c"), []byte("new"))
	})
	x.want(x.st, "c", "new")
	x.want(x.st, "b", "-")
	if s := x.scan(x.st, nil, nil); s != "a c d" {
		x.Errorf("after delete range: %q", s)
	}
	x.apply(func(b kv.Batch) {
		b.DeleteRange([]byte("d"), []byte("a"))
		b.DeleteRange([]byte("a"), []byte("a"))
		b.DeleteRange([]byte("a"), nil)
		b.DeleteRange(nil, nil)
	})
	if s := x.scan(x.st, nil, nil); s != "a c d" {
		x.Errorf("after empty ranges: %q", s)
	}
	x.apply(func(b kv.Batch) { b.DeleteRange(nil, []byte("d")) })
	if s := x.scan(x.st, nil, nil); s != "d" {
		x.Errorf("after open start: %q", s)
	}
	x.set("a")
	x.want(x.st, "a", "a")
	x.deletedRangeStaysDeleted()
}

// A range delete in a file of its own hides the keys of older files from
// every kind of read.
func (x *suite) deletedRangeStaysDeleted() {
	flush := func() {
		if m, ok := x.st.(kv.Maintainer); ok {
			x.must(m.Flush(x.Context()))
		}
	}
	x.set("p/1", "p/2", "p/3")
	flush()
	sn, err := x.st.Snapshot(x.Context())
	x.must(err)
	x.apply(func(b kv.Batch) { b.DeleteRange([]byte("p/1"), []byte("p/3")) })
	flush()
	it := x.iter(x.st, nil, nil)
	for _, k := range []string{"p/", "p/1", "p/2", "p/3"} {
		if !it.SeekPrefix([]byte(k)) || string(it.Key()) != "p/3" {
			x.Errorf("seek prefix %s finds %q", k, it.Key())
		}
	}
	x.must(it.Close())
	x.want(x.st, "p/1", "-")
	x.want(x.st, "p/3", "p/3")
	x.want(sn, "p/1", "p/1")
	x.must(sn.Close())
}

func (x *suite) merge() {
	x.apply(func(b kv.Batch) {
		b.Merge([]byte("lone"), Delta("ab", "x"))
		b.Set([]byte("base"), Elements("abc"))
		b.Merge([]byte("base"), Delta("d", "a"))
		b.Merge([]byte("two"), Delta("ab", ""))
		b.Merge([]byte("two"), Delta("c", "b"))
		b.Merge([]byte("reset"), Delta("abc", ""))
		b.Set([]byte("reset"), Elements("z"))
		b.Set([]byte("deleted"), Elements("abc"))
		b.Delete([]byte("deleted"))
		b.Merge([]byte("deleted"), Delta("q", "a"))
		b.Set([]byte("r/1"), Elements("abc"))
		b.Merge([]byte("r/2"), Delta("abc", ""))
		b.DeleteRange([]byte("r/"), []byte("r0"))
		b.Merge([]byte("r/1"), Delta("z", ""))
		b.Merge([]byte("r/2"), Delta("", "a"))
	})
	check := func(stage string) {
		x.Helper()
		for k, v := range map[string]string{
			"lone": "bab", "base": "bbcd", "two": "bac", "reset": "bz",
			"deleted": "bq", "r/1": "bz", "r/2": "b",
		} {
			x.want(x.st, k, v)
		}
		it := x.iter(x.st, nil, nil)
		defer it.Close()
		if !it.SeekGE([]byte("lone")) || string(it.Value()) != "bab" {
			x.Errorf("%s: iterator reads %q", stage, it.Value())
		}
		if !it.SeekPrefix([]byte("r/1")) || string(it.Value()) != "bz" {
			x.Errorf("%s: prefix seek reads %q", stage, it.Value())
		}
	}
	check("in memory")
	x.settle()
	check("settled")
	x.apply(func(b kv.Batch) { b.Merge([]byte("base"), Delta("e", "b")) })
	x.want(x.st, "base", "bcde")
	x.apply(func(b kv.Batch) { b.DeleteRange([]byte("b"), []byte("c")) })
	x.apply(func(b kv.Batch) { b.Merge([]byte("base"), Delta("f", "d")) })
	x.want(x.st, "base", "bf")
	x.settle()
	x.want(x.st, "base", "bf")
}

// settle flushes and compacts where the store can.
func (x *suite) settle() {
	x.Helper()
	if m, ok := x.st.(kv.Maintainer); ok {
		x.must(m.Flush(x.Context()))
		x.must(m.Compact(x.Context(), nil, nil))
	}
}

func (x *suite) snapshot() {
	x.set("a", "b")
	sn, err := x.st.Snapshot(x.Context())
	x.must(err)
	x.apply(func(b kv.Batch) {
		b.Delete([]byte("a"))
		b.Set([]byte("b"), []byte("new"))
		b.Set([]byte("c"), nil)
	})
	later, err := x.st.Snapshot(x.Context())
	x.must(err)
	x.settle()
	x.want(sn, "a", "a")
	x.want(sn, "b", "b")
	x.want(sn, "c", "-")
	x.want(x.st, "a", "-")
	if s := x.scan(sn, nil, nil); s != "a b" {
		x.Errorf("snapshot has %q", s)
	}
	if s := x.scan(later, nil, nil); s != "b c" {
		x.Errorf("later snapshot has %q", s)
	}
	x.must(sn.MultiGet(x.Context(), [][]byte{[]byte("b")}, func(_ int, v []byte) error {
		if string(v) != "b" {
			x.Errorf("snapshot multiget %q", v)
		}
		return nil
	}))
	it := x.iter(sn, nil, nil)
	x.must(sn.Close())
	if !it.First() || string(it.Key()) != "a" {
		x.Errorf("iterator of a closed snapshot: %q, %v", it.Key(), it.Err())
	}
	x.must(it.Close())
	x.must(sn.Close())
	x.must(later.Close())
	if _, err := sn.Get(x.Context(), []byte("a"), nil); !errors.Is(err, kv.ErrClosed) {
		x.Errorf("get of a closed snapshot: %v", err)
	}
	if _, err := sn.Iter(x.Context(), nil, nil); !errors.Is(err, kv.ErrClosed) {
		x.Errorf("iter of a closed snapshot: %v", err)
	}
	if err := sn.MultiGet(x.Context(), nil, nil); !errors.Is(err, kv.ErrClosed) {
		x.Errorf("multiget of a closed snapshot: %v", err)
	}
}

func (x *suite) largeValue() {
	v := bytes.Repeat([]byte("0123456789abcdef"), 3<<20/16)
	x.apply(func(b kv.Batch) {
		for i := range 3 {
			b.Set(fmt.Appendf(nil, "big/%d", i), v[i:])
		}
	})
	x.settle()
	for i := range 3 {
		got, err := x.st.Get(x.Context(), fmt.Appendf(nil, "big/%d", i), nil)
		if err != nil || !bytes.Equal(got, v[i:]) {
			x.Errorf("value %d: %d bytes, %v", i, len(got), err)
		}
	}
}

func (x *suite) cancelled() {
	x.set("a", "b")
	ctx, cancel := context.WithCancel(x.Context())
	it, err := x.st.Iter(ctx, nil, nil)
	x.must(err)
	if !it.First() {
		x.Error("no first key")
	}
	cancel()
	if it.Next() || it.Valid() || !errors.Is(it.Err(), context.Canceled) {
		x.Errorf("next: %v", it.Err())
	}
	if it.First() || it.SeekGE([]byte("a")) || it.SeekPrefix([]byte("a")) || it.Last() {
		x.Error("a cancelled iterator moves")
	}
	x.must(it.Close())
	b := x.st.NewBatch()
	b.Set([]byte("c"), nil)
	_, getErr := x.st.Get(ctx, []byte("a"), nil)
	_, iterErr := x.st.Iter(ctx, nil, nil)
	_, snapErr := x.st.Snapshot(ctx)
	for op, err := range map[string]error{
		"get":      getErr,
		"iter":     iterErr,
		"snapshot": snapErr,
		"multiget": x.st.MultiGet(ctx, [][]byte{[]byte("a")}, func(int, []byte) error { return nil }),
		"apply":    x.st.Apply(ctx, b, kv.Sync),
	} {
		if !errors.Is(err, context.Canceled) {
			x.Errorf("%s: %v", op, err)
		}
	}
	x.want(x.st, "c", "-")
}

func (x *suite) closed() {
	x.set("a")
	b := x.st.NewBatch()
	b.Set([]byte("b"), nil)
	x.must(x.st.Close())
	x.st.NewBatch().Set([]byte("c"), nil)
	_, getErr := x.st.Get(x.Context(), []byte("a"), nil)
	_, iterErr := x.st.Iter(x.Context(), nil, nil)
	_, snapErr := x.st.Snapshot(x.Context())
	errs := map[string]error{
		"get":      getErr,
		"iter":     iterErr,
		"snapshot": snapErr,
		"multiget": x.st.MultiGet(x.Context(), nil, nil),
		"apply":    x.st.Apply(x.Context(), b, kv.Sync),
		"close":    x.st.Close(),
	}
	if m, ok := x.st.(kv.Maintainer); ok {
		errs["flush"] = m.Flush(x.Context())
		errs["compact"] = m.Compact(x.Context(), nil, nil)
		errs["check"] = m.Check(x.Context())
		m.Metrics()
	}
	if in, ok := x.st.(kv.Ingester); ok {
		errs["ingest"] = in.Ingest(x.Context(), func(kv.SortedWriter) error { return nil })
	}
	if c, ok := x.st.(kv.Checkpointer); ok {
		errs["checkpoint"] = c.Checkpoint(x.Context(), x.TempDir()+"/copy")
	}
	for op, err := range errs {
		if !errors.Is(err, kv.ErrClosed) {
			x.Errorf("%s after close: %v", op, err)
		}
	}
}

func (x *suite) closeRefused() {
	x.set("a")
	sn, err := x.st.Snapshot(x.Context())
	x.must(err)
	it := x.iter(sn, nil, nil)
	err = x.st.Close()
	if err == nil || !strings.Contains(err.Error(), "1 snapshots and 1 iterators") {
		x.Errorf("close with open handles: %v", err)
	}
	x.want(x.st, "a", "a")
	x.set("b")
	if !it.First() {
		x.Errorf("iterator after a refused close: %v", it.Err())
	}
	x.must(it.Close())
	x.must(sn.Close())
	x.must(x.st.Close())
}

func (x *suite) ingest() {
	in, ok := x.st.(kv.Ingester)
	if !ok {
		x.Skip("no Ingester")
	}
	for _, settled := range []bool{false, true} {
		x.apply(func(b kv.Batch) {
			b.DeleteRange([]byte("a"), []byte("z"))
			b.Set([]byte("m/1"), Elements("abc"))
			b.Set([]byte("m/2"), Elements("abc"))
			b.Set([]byte("m/3"), Elements("abc"))
		})
		if settled {
			x.settle()
		}
		before, err := x.st.Snapshot(x.Context())
		x.must(err)
		x.must(in.Ingest(x.Context(), func(w kv.SortedWriter) error {
			x.want(x.st, "m/1", "babc")
			return errors.Join(
				w.Set([]byte("a"), []byte("new")),
				w.Merge([]byte("m/1"), Delta("d", "a")),
				w.Set([]byte("m/2"), Elements("z")),
				w.Merge([]byte("n"), Delta("q", "")),
			)
		}))
		x.want(x.st, "a", "new")
		x.want(x.st, "m/1", "bbcd")
		x.want(x.st, "m/2", "bz")
		x.want(x.st, "m/3", "babc")
		x.want(x.st, "n", "bq")
		if s := x.scan(before, nil, nil); s != "m/1 m/2 m/3" {
			x.Errorf("snapshot before the ingest has %q", s)
		}
		x.must(before.Close())
		x.apply(func(b kv.Batch) { b.Merge([]byte("m/1"), Delta("", "b")) })
		x.want(x.st, "m/1", "bcd")
	}
	x.must(in.Ingest(x.Context(), func(kv.SortedWriter) error { return nil }))
	x.want(x.st, "a", "new")
}

func (x *suite) ingestFails() {
	in, ok := x.st.(kv.Ingester)
	if !ok {
		x.Skip("no Ingester")
	}
	x.set("k")
	for _, second := range []string{"a", "b"} {
		err := in.Ingest(x.Context(), func(w kv.SortedWriter) error {
			return errors.Join(w.Set([]byte("b"), nil), w.Set([]byte(second), nil))
		})
		if !errors.Is(err, kv.ErrOrder) {
			x.Errorf("%s after b: %v", second, err)
		}
	}
	// A refused key fails the ingest even where fill drops the error.
	err := in.Ingest(x.Context(), func(w kv.SortedWriter) error {
		_ = w.Set([]byte("c"), nil)
		_ = w.Merge([]byte("b"), Delta("a", ""))
		return nil
	})
	if !errors.Is(err, kv.ErrOrder) {
		x.Errorf("dropped error: %v", err)
	}
	stop := errors.New("stop")
	err = in.Ingest(x.Context(), func(w kv.SortedWriter) error {
		return errors.Join(w.Set([]byte("d"), nil), stop)
	})
	if !errors.Is(err, stop) {
		x.Errorf("error of fill: %v", err)
	}
	ctx, cancel := context.WithCancel(x.Context())
	err = in.Ingest(ctx, func(w kv.SortedWriter) error {
		cancel()
		return w.Set([]byte("e"), nil)
	})
	if !errors.Is(err, context.Canceled) {
		x.Errorf("cancelled: %v", err)
	}
	err = in.Ingest(x.Context(), func(w kv.SortedWriter) error { return w.Set(nil, nil) })
	if err == nil {
		x.Error("an invalid key is ingested")
	}
	if s := x.scan(x.st, nil, nil); s != "k" {
		x.Errorf("after failed ingests: %q", s)
	}
}

func (x *suite) maintain() {
	m, ok := x.st.(kv.Maintainer)
	if !ok {
		x.Skip("no Maintainer")
	}
	x.must(m.Check(x.Context()))
	x.must(m.Compact(x.Context(), nil, nil))
	model := NewModel(x.s)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		x.apply(func(b kv.Batch) { Mutate(rnd, 100, b, model) })
		x.must(m.Flush(x.Context()))
	}
	x.must(m.Compact(x.Context(), []byte("a"), []byte("b")))
	x.must(m.Compact(x.Context(), []byte("b"), []byte("b")))
	x.must(m.Compact(x.Context(), []byte("b"), nil))
	x.must(m.Check(x.Context()))
	x.must(model.Equal(x.Context(), x.st))
	sn, err := x.st.Snapshot(x.Context())
	x.must(err)
	if n := m.Metrics().OpenSnapshots; n != 1 {
		x.Errorf("open snapshots %d", n)
	}
	x.must(sn.Close())
	if err := m.Metrics().BackgroundError; err != nil {
		x.Errorf("background error: %v", err)
	}
}

// concurrent writes pairs of keys while readers look for a torn pair.
func (x *suite) concurrent() {
	const rounds, readers = 100, 3
	done := make(chan error, readers+1)
	go func() {
		for i := range rounds {
			b := x.st.NewBatch()
			v := fmt.Appendf(nil, "%d", i)
			b.Set([]byte("a/1"), v)
			b.Merge([]byte("m"), Delta(string(rune('a'+i%26)), ""))
			b.Set([]byte("z/1"), v)
			if err := x.st.Apply(x.Context(), b, kv.NoSync); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	pair := func() error {
		sn, err := x.st.Snapshot(x.Context())
		if err != nil {
			return err
		}
		defer sn.Close()
		a, errA := sn.Get(x.Context(), []byte("a/1"), nil)
		z, errZ := sn.Get(x.Context(), []byte("z/1"), nil)
		if !bytes.Equal(a, z) || (errA == nil) != (errZ == nil) {
			return fmt.Errorf("torn batch: %q, %v and %q, %v", a, errA, z, errZ)
		}
		var got [2]string
		return errors.Join(
			x.st.MultiGet(x.Context(), [][]byte{[]byte("z/1"), []byte("a/1")}, func(i int, v []byte) error {
				got[i] = string(v)
				return nil
			}),
			func() error {
				if got[0] != got[1] {
					return fmt.Errorf("multiget reads two states: %q", got)
				}
				return nil
			}())
	}
	for range readers {
		go func() {
			for range rounds {
				if err := pair(); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range readers + 1 {
		if err := <-done; err != nil {
			x.Error(err)
		}
	}
}

// random runs a stream of every operation against the model.
func (x *suite) random() {
	for seed := range uint64(3) {
		x.randomStream(seed)
		x.apply(func(b kv.Batch) { b.DeleteRange(nil, []byte{0xFF}) })
	}
}

func (x *suite) randomStream(seed uint64) {
	x.Helper()
	x.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 7))
	m := NewModel(x.s)
	type frozen struct {
		sn kv.Snapshot
		m  *Model
	}
	var snaps []frozen
	for range 60 {
		switch op := rnd.IntN(10); {
		case op < 5:
			b := x.st.NewBatch()
			Mutate(rnd, 1+rnd.IntN(30), b, m)
			x.must(x.st.Apply(x.Context(), b, kv.Durability(rnd.IntN(2))))
		case op == 5:
			x.randomIngest(rnd, m)
		case op == 6:
			sn, err := x.st.Snapshot(x.Context())
			x.must(err)
			snaps = append(snaps, frozen{sn, m.Clone()})
		case op == 7 && len(snaps) > 0:
			i := rnd.IntN(len(snaps))
			CheckReader(x.T, rnd, snaps[i].sn, snaps[i].m)
			x.must(snaps[i].sn.Close())
			snaps = slices.Delete(snaps, i, i+1)
		case op == 8:
			if mt, ok := x.st.(kv.Maintainer); ok && rnd.IntN(2) == 0 {
				x.must(mt.Flush(x.Context()))
			} else if ok {
				x.must(mt.Compact(x.Context(), randomBound(rnd, m.Keys()), nil))
			}
		default:
			CheckReader(x.T, rnd, x.st, m)
		}
	}
	for _, f := range snaps {
		CheckReader(x.T, rnd, f.sn, f.m)
		x.must(f.sn.Close())
	}
	CheckReader(x.T, rnd, x.st, m)
}

func (x *suite) randomIngest(rnd *rand.Rand, m *Model) {
	in, ok := x.st.(kv.Ingester)
	if !ok {
		return
	}
	ops := map[string][]byte{}
	for range rnd.IntN(20) {
		ops[string(Key(rnd))] = Operand(rnd)
	}
	keys := make([]string, 0, len(ops))
	for k := range ops {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	x.must(in.Ingest(x.Context(), func(w kv.SortedWriter) error {
		for _, k := range keys {
			if ops[k][len(ops[k])-1]%2 == 0 {
				v := Elements("xyz")
				m.Set([]byte(k), v)
				if err := w.Set([]byte(k), v); err != nil {
					return err
				}
				continue
			}
			m.Merge([]byte(k), ops[k])
			if err := w.Merge([]byte(k), ops[k]); err != nil {
				return err
			}
		}
		return nil
	}))
}
