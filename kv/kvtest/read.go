package kvtest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/kv"
)

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
