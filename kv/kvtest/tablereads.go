package kvtest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// tableScans reads ranges with all bounds, limits and directions.
func tableScans(t *testing.T, tab kv.Table) {
	keys := []string{"\x00", "a", "a\x00", "aa", "b", "c\xff", "c\xff\xff", "d", "\xff", "\xff\xff"}
	c := &kv.Changes{}
	for _, k := range keys {
		c.Set = append(c.Set, kv.Pair{Key: []byte(k), Value: []byte("v" + k)})
	}
	g := guarded{tab: tab, key: "guard"}
	g.must(t, c)
	all := append(slices.Clone(keys), "guard")
	slices.Sort(all)

	v, _ := viewOf(t, tab)
	defer endView(t, v)
	bounds := [][]byte{nil, {}, {0}, []byte("a"), []byte("a\x00"), []byte("ab"), []byte("c\xff"), []byte("e"), {0xff}, {0xff, 0xff}, {0xff, 0xff, 0xff}}
	for _, lo := range bounds {
		for _, hi := range bounds {
			var in []string
			for _, k := range all {
				if bytes.Compare([]byte(k), lo) >= 0 && (hi == nil || k < string(hi)) {
					in = append(in, k)
				}
			}
			for _, reverse := range []bool{false, true} {
				want := slices.Clone(in)
				if reverse {
					slices.Reverse(want)
				}
				for _, limit := range []int{1, 2, len(in), len(in) + 1, 1000} {
					got := []string{}
					for _, p := range scanOf(t, v, lo, hi, reverse, limit) {
						got = append(got, string(p.Key))
						if k := string(p.Key); k != "guard" && string(p.Value) != "v"+k {
							t.Errorf("%q has %q", k, p.Value)
						}
					}
					if !slices.Equal(got, want[:min(limit, len(want))]) {
						t.Errorf("%q to %q, %d, reverse %v: %q, not %q", lo, hi, limit, reverse, got, want)
					}
					if !reverse {
						gathered(t, v, lo, hi, limit, want[:min(limit, len(want))])
					}
				}
			}
		}
	}
}

// gathered compares what one call reads of a range, twice, and of two keys.
func gathered(t *testing.T, v kv.TableView, lo, hi []byte, limit int, want []string) {
	t.Helper()
	r := kv.Range{Lo: lo, Hi: hi}
	vals, rows, err := v.Gather(t.Context(), [][]byte{[]byte("none"), []byte("aa")}, []kv.Range{r, r}, limit)
	if err != nil || len(vals) != 2 || vals[0] != nil || string(vals[1]) != "vaa" || len(rows) != 2 {
		t.Fatalf("gather %q to %q: %q, %q, %v", lo, hi, vals, rows, err)
	}
	for _, some := range rows {
		got := []string{}
		for _, p := range some {
			got = append(got, string(p.Key))
		}
		if !slices.Equal(got, want) {
			t.Errorf("gather %q to %q, %d: %q, not %q", lo, hi, limit, got, want)
		}
	}
}

// tableLarge writes the largest value and many values.
func tableLarge(t *testing.T, tab kv.Table) {
	b := tab.Bounds()
	size := 300 << 10
	if b.ValueBytes > 0 {
		size = b.ValueBytes
	}
	large := make([]byte, size)
	for i := range large {
		large[i] = byte(i * i >> 7)
	}
	g := guarded{tab: tab, key: "guard"}
	g.must(t, &kv.Changes{Set: []kv.Pair{{Key: []byte("large"), Value: large}}})

	c := &kv.Changes{}
	for i := range 3000 {
		c.Set = append(c.Set, kv.Pair{Key: fmt.Appendf(nil, "many%05d", i), Value: large[i : i+min(100, size-i)]})
	}
	for b.ChangeBytes > 0 && c.Bytes() > b.ChangeBytes {
		c.Set = c.Set[:len(c.Set)/2]
	}
	g.must(t, c)
	keys := [][]byte{[]byte("large")}
	for _, p := range c.Set {
		keys = append(keys, p.Key)
	}
	v, vals := viewOf(t, tab, keys...)
	defer endView(t, v)
	if !bytes.Equal(vals[0], large) {
		t.Errorf("a value of %d bytes came back as %d", len(large), len(vals[0]))
	}
	for i, p := range c.Set {
		if !bytes.Equal(vals[i+1], p.Value) {
			t.Fatalf("%s has %d bytes, not %d", p.Key, len(vals[i+1]), len(p.Value))
		}
	}
	del := &kv.Changes{}
	for _, p := range c.Set {
		del.Delete = append(del.Delete, p.Key)
	}
	g.must(t, del)
	if n := len(allOf(t, tab)); n != 2 {
		t.Errorf("%d keys are left", n)
	}
}

// tableBounds writes what a table does not take.
func tableBounds(t *testing.T, tab kv.Table) {
	b := tab.Bounds()
	g := guarded{tab: tab, key: "guard"}
	refused := func(what string, c *kv.Changes) {
		if err := g.write(t.Context(), c); !errors.Is(err, kv.ErrTooLarge) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if b.KeyBytes > 0 {
		refused("a key", &kv.Changes{Set: []kv.Pair{{Key: make([]byte, b.KeyBytes+1)}}})
	}
	if b.ValueBytes > 0 {
		refused("a value", &kv.Changes{Set: []kv.Pair{{Key: []byte("a"), Value: make([]byte, b.ValueBytes+1)}}})
	}
	if b.ChangeBytes > 0 {
		c := &kv.Changes{}
		for c.Bytes() <= b.ChangeBytes {
			size := 64 << 10
			if b.ValueBytes > 0 {
				size = min(size, b.ValueBytes)
			}
			c.Set = append(c.Set, kv.Pair{Key: fmt.Appendf(nil, "%08d", len(c.Set)), Value: make([]byte, size)})
		}
		refused("changes", c)
	}
	if n := len(allOf(t, tab)); n != 0 {
		t.Errorf("%d keys were written", n)
	}
}

// tableStates reads a view while others write.
func tableStates(t *testing.T, tab kv.Table) {
	g := guarded{tab: tab, key: "n"}
	pair := func(n int) *kv.Changes {
		return &kv.Changes{Set: []kv.Pair{
			{Key: []byte("a"), Value: fmt.Append(nil, n)}, {Key: []byte("b"), Value: fmt.Append(nil, n)}, {Key: fmt.Appendf(nil, "c%03d", n)},
		}}
	}
	g.must(t, pair(1))
	v, vals := viewOf(t, tab, []byte("a"))
	defer endView(t, v)
	empty, _ := viewOf(t, tab) // it sees the state of its opening, though it read nothing then
	defer endView(t, empty)
	for n := 2; n <= 20; n++ {
		g.must(t, pair(n))
		later, now := viewOf(t, tab, []byte("a"), []byte("n"), []byte("b"))
		if string(now[0]) != fmt.Sprint(n) || string(now[1]) != fmt.Sprint(n) || string(now[2]) != fmt.Sprint(n) {
			t.Fatalf("after commit %d a new view has %q", n, now)
		}
		endView(t, later)
		for _, old := range []kv.TableView{v, empty} {
			got, err := old.MultiGet(t.Context(), [][]byte{[]byte("a"), []byte("b"), []byte("n")})
			if err != nil || string(got[0]) != "1" || string(got[1]) != "1" || string(got[2]) != "1" {
				t.Fatalf("after commit %d a view of the first has %q, %v", n, got, err)
			}
			if k := scanOf(t, old, []byte("c"), []byte("d"), n%2 == 0, 5); len(k) != 1 {
				t.Fatalf("after commit %d a view of the first has %d keys", n, len(k))
			}
		}
	}
	if string(vals[0]) != "1" {
		t.Errorf("the values of a view became %q", vals[0])
	}
}

// tableTogether has many calls read one view while another process writes.
func tableTogether(t *testing.T, tab kv.Table) {
	c := &kv.Changes{}
	for i := range 200 {
		c.Set = append(c.Set, kv.Pair{Key: fmt.Appendf(nil, "k%03d", i), Value: []byte("first")})
	}
	g := guarded{tab: tab, key: "guard"}
	g.must(t, c)
	v, _ := viewOf(t, tab)
	defer endView(t, v)
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 40 {
				at := (w*40 + i) % 190
				keys := [][]byte{c.Set[at+3].Key, []byte("guard"), c.Set[at].Key}
				vals, err := v.MultiGet(t.Context(), keys)
				if err != nil || string(vals[0]) != "first" || string(vals[1]) != "1" || string(vals[2]) != "first" {
					t.Errorf("%q, %v", vals, err)
					return
				}
				got, err := v.Scan(t.Context(), keys[2], nil, false, 5)
				if err != nil || len(got) != 5 || !bytes.Equal(got[0].Key, keys[2]) || string(got[4].Value) != "first" {
					t.Errorf("%d pairs, %v", len(got), err)
					return
				}
			}
		})
	}
	for i := range 20 {
		for j := range c.Set {
			c.Set[j].Value = fmt.Append(nil, i)
		}
		g.must(t, &kv.Changes{Set: slices.Clone(c.Set)})
	}
	all.Wait()
}
