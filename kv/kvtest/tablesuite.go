package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// RunTable tests what [kv.Table] promises. open returns an empty table, which it closes
// with the test.
func RunTable(t *testing.T, open func(t *testing.T) kv.Table) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, tab kv.Table)
	}{
		{"bytes", tableBytes},
		{"guards", tableGuards},
		{"changes", tableChanges},
		{"scans", tableScans},
		{"large", tableLarge},
		{"bounds", tableBounds},
		{"states", tableStates},
		{"counter", tableCounter},
		{"together", tableTogether},
		{"contexts", tableContexts},
		{"model", tableModel},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}

// guarded writes changes and counts them in the key that guards them.
type guarded struct {
	tab kv.Table
	key string
	old []byte
	n   int
}

func (g *guarded) write(ctx context.Context, c *kv.Changes) error {
	next := fmt.Appendf(nil, "%d", g.n+1)
	err := g.tab.Write(ctx, kv.Guard{Key: []byte(g.key), Old: g.old, New: next}, c)
	if err == nil {
		g.old, g.n = next, g.n+1
	}
	return err
}

func (g *guarded) must(t *testing.T, c *kv.Changes) {
	t.Helper()
	if err := g.write(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func viewOf(t *testing.T, tab kv.Table, keys ...[]byte) (kv.TableView, [][]byte) {
	t.Helper()
	v, vals, err := tab.View(t.Context(), keys...)
	if err != nil {
		t.Fatal(err)
	}
	if len(vals) != len(keys) {
		t.Fatalf("%d values of %d keys", len(vals), len(keys))
	}
	return v, vals
}

func endView(t *testing.T, v kv.TableView) {
	t.Helper()
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

func scanOf(t *testing.T, v kv.TableView, lo, hi []byte, reverse bool, limit int) []kv.Pair {
	t.Helper()
	got, err := v.Scan(t.Context(), lo, hi, reverse, limit)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// allOf returns what a table has.
func allOf(t *testing.T, tab kv.Table) map[string]string {
	t.Helper()
	v, _ := viewOf(t, tab)
	defer endView(t, v)
	out := map[string]string{}
	for _, p := range scanOf(t, v, nil, nil, false, 1<<20) {
		out[string(p.Key)] = string(p.Value)
	}
	return out
}

func sortedPairs(pairs []kv.Pair) []kv.Pair {
	slices.SortFunc(pairs, func(a, b kv.Pair) int { return bytes.Compare(a.Key, b.Key) })
	return pairs
}

// tableBytes writes keys and values of all bytes.
func tableBytes(t *testing.T, tab kv.Table) {
	c := &kv.Changes{}
	for b := range 256 {
		for _, k := range [][]byte{{byte(b)}, {byte(b), 0}, {byte(b), 0xff}, {'k', byte(b), 'k'}} {
			c.Set = append(c.Set, kv.Pair{Key: k, Value: []byte{byte(b), 0, 0xff, '\\', '\''}})
		}
	}
	c.Set = append(c.Set, kv.Pair{Key: []byte("empty"), Value: []byte{}}, kv.Pair{Key: []byte("nil")})
	sortedPairs(c.Set)
	g := guarded{tab: tab, key: "guard"}
	g.must(t, c)

	keys := [][]byte{[]byte("none"), []byte("nil"), {0}, []byte("empty"), {0}, {0xff, 0xff}, []byte("guard")}
	v, first := viewOf(t, tab, keys...)
	defer endView(t, v)
	vals, err := v.MultiGet(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]byte{nil, {}, {0, 0, 0xff, '\\', '\''}, {}, {0, 0, 0xff, '\\', '\''}, {0xff, 0, 0xff, '\\', '\''}, []byte("1")} {
		for _, got := range [][]byte{first[i], vals[i]} {
			if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
				t.Errorf("%q has %#v, not %#v", keys[i], got, want)
			}
		}
	}
	got := scanOf(t, v, nil, nil, false, 1<<20)
	want := sortedPairs(append(slices.Clone(c.Set), kv.Pair{Key: []byte("guard"), Value: []byte("1")}))
	if !slices.EqualFunc(got, want, func(a, b kv.Pair) bool {
		return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value) && a.Value != nil
	}) {
		t.Errorf("a scan returned %d pairs, not the %d that were written in order", len(got), len(want))
	}
	if none, err := v.MultiGet(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("no keys: %v, %v", none, err)
	}
}

// tableGuards has guards that hold, and such that do not.
func tableGuards(t *testing.T, tab kv.Table) {
	set := &kv.Changes{Set: []kv.Pair{{Key: []byte("a"), Value: []byte("1")}}}
	for _, c := range []struct {
		old, new []byte
		err      error
	}{
		{[]byte("x"), []byte("y"), kv.ErrGuard}, // there is none
		{[]byte{}, []byte("y"), kv.ErrGuard},
		{nil, []byte{}, nil},
		{nil, []byte("y"), kv.ErrGuard}, // it is empty
		{[]byte("x"), []byte("y"), kv.ErrGuard},
		{[]byte{}, []byte("1"), nil},
		{[]byte{}, []byte("2"), kv.ErrGuard},
		{[]byte("1"), []byte("1"), nil}, // it stays
		{[]byte("1"), []byte("2"), nil},
		{[]byte("1"), []byte("2"), kv.ErrGuard}, // it has the new value already
		{nil, []byte("2"), kv.ErrGuard},
	} {
		before := allOf(t, tab)
		err := tab.Write(t.Context(), kv.Guard{Key: []byte("g"), Old: c.old, New: c.new}, set)
		if !errors.Is(err, c.err) {
			t.Fatalf("%#v to %#v: %v, not %v", c.old, c.new, err, c.err)
		}
		after := allOf(t, tab)
		switch {
		case c.err != nil && fmt.Sprint(before) != fmt.Sprint(after):
			t.Errorf("%#v to %#v changed %v to %v", c.old, c.new, before, after)
		case c.err == nil && (after["g"] != string(c.new) || after["a"] != "1"):
			t.Errorf("%#v to %#v: %v", c.old, c.new, after)
		}
	}
}

// tableChanges removes ranges before it does other changes.
func tableChanges(t *testing.T, tab kv.Table) {
	g := guarded{tab: tab, key: "m"}
	pairs := func(keys ...string) (out []kv.Pair) {
		for _, k := range keys {
			out = append(out, kv.Pair{Key: []byte(k), Value: []byte(k)})
		}
		return out
	}
	g.must(t, &kv.Changes{Set: pairs("a", "b", "c", "d", "e", "x", "y")})
	g.must(t, &kv.Changes{
		Remove: []kv.Range{{Lo: []byte("b"), Hi: []byte("d")}, {Lo: []byte("x"), Hi: []byte("xx")}},
		Delete: [][]byte{[]byte("a"), []byte("none")},
		Set:    pairs("c", "z"),
	})
	if got, want := fmt.Sprint(allOf(t, tab)), "map[c:c d:d e:e m:2 y:y z:z]"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	// The guard stays if a range has it.
	g.must(t, &kv.Changes{Remove: []kv.Range{{Hi: []byte{0xff}}}})
	if got, want := fmt.Sprint(allOf(t, tab)), "map[m:3]"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	g.must(t, &kv.Changes{})
	if got, want := fmt.Sprint(allOf(t, tab)), "map[m:4]"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	g.must(t, &kv.Changes{Set: pairs("p", "q"), New: true})
	want := "map[m:5 p:p q:q]"
	if got := fmt.Sprint(allOf(t, tab)); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	// A key that is not new fails, or is set.
	if err := g.write(t.Context(), &kv.Changes{Set: pairs("o", "q"), New: true}); err == nil {
		want = "map[m:6 o:o p:p q:q]"
	} else if errors.Is(err, kv.ErrRefused) || errors.Is(err, kv.ErrUncertain) || errors.Is(err, kv.ErrGuard) {
		t.Errorf("a key that is not new: %v", err)
	}
	if got := fmt.Sprint(allOf(t, tab)); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// tableModel compares random writes and reads with a map.
func tableModel(t *testing.T, tab kv.Table) {
	rnd := rand.New(rand.NewPCG(3, 4))
	key := func() []byte {
		k := make([]byte, 1+rnd.IntN(3))
		for i := range k {
			k[i] = []byte{0, 'a', 'b', 0xff}[rnd.IntN(4)]
		}
		return k
	}
	g := guarded{tab: tab, key: "guard"}
	model := map[string]string{}
	for i := range 60 {
		c := &kv.Changes{}
		for range rnd.IntN(3) {
			r := kv.Range{Lo: key(), Hi: key()}
			if bytes.Compare(r.Lo, r.Hi) >= 0 || len(c.Remove) > 0 && bytes.Compare(c.Remove[len(c.Remove)-1].Hi, r.Lo) > 0 {
				continue
			}
			c.Remove = append(c.Remove, r)
			for k := range model {
				if string(r.Lo) <= k && k < string(r.Hi) {
					delete(model, k)
				}
			}
		}
		seen := map[string]bool{}
		for range rnd.IntN(20) {
			k := key()
			if seen[string(k)] {
				continue
			}
			seen[string(k)] = true
			if rnd.IntN(4) == 0 {
				c.Delete = append(c.Delete, k)
				delete(model, string(k))
				continue
			}
			val := fmt.Sprint(i, rnd.IntN(1000))
			c.Set = append(c.Set, kv.Pair{Key: k, Value: []byte(val)})
			model[string(k)] = val
		}
		slices.SortFunc(c.Delete, bytes.Compare)
		sortedPairs(c.Set)
		g.must(t, c)
		model["guard"] = fmt.Sprint(g.n)
		if got := allOf(t, tab); fmt.Sprint(got) != fmt.Sprint(model) {
			t.Fatalf("after write %d: %q, not %q", i, got, model)
		}
	}
}

// tableContexts calls with contexts that have ended.
func tableContexts(t *testing.T, tab kv.Table) {
	v, _ := viewOf(t, tab)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := tab.View(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("View: %v", err)
	}
	if err := tab.Write(ended, kv.Guard{Key: []byte("a"), New: []byte("b")}, &kv.Changes{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Write: %v", err)
	}
	if _, err := v.MultiGet(ended, [][]byte{[]byte("a")}); !errors.Is(err, context.Canceled) {
		t.Errorf("MultiGet: %v", err)
	}
	if _, err := v.Scan(ended, nil, nil, false, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Scan: %v", err)
	}
	if vals, err := v.MultiGet(t.Context(), [][]byte{[]byte("a")}); err != nil || vals[0] != nil {
		t.Errorf("a view after a call whose context had ended: %q, %v", vals, err)
	}
	endView(t, v)
}

// tableCounter has writers that know nothing of each other count to a number.
func tableCounter(t *testing.T, tab kv.Table) {
	const writers, each = 8, 12
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := 0; i < each; {
				v, vals, err := tab.View(t.Context(), []byte("n"))
				if err != nil {
					t.Error(err)
					return
				}
				if err := v.Close(); err != nil {
					t.Error(err)
				}
				n := 0
				if vals[0] != nil {
					if _, err := fmt.Sscan(string(vals[0]), &n); err != nil {
						t.Error(err)
					}
				}
				mine := []kv.Pair{{Key: fmt.Appendf(nil, "w%d-%d", w, i), Value: fmt.Append(nil, n+1)}}
				err = tab.Write(t.Context(), kv.Guard{Key: []byte("n"), Old: vals[0], New: fmt.Append(nil, n+1)}, &kv.Changes{Set: mine})
				switch {
				case err == nil:
					i++
				case !errors.Is(err, kv.ErrGuard) && !errors.Is(err, kv.ErrRefused):
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	got := allOf(t, tab)
	if got["n"] != fmt.Sprint(writers*each) || len(got) != writers*each+1 {
		t.Errorf("%d writes of %d writers counted to %s and left %d keys", each, writers, got["n"], len(got)-1)
	}
	delete(got, "n")
	seen := map[string]bool{}
	for k, n := range got {
		if seen[n] {
			t.Errorf("%s had the number %s too", k, n)
		}
		seen[n] = true
	}
}
