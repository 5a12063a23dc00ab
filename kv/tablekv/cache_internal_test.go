package tablekv

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// size adds up what a generation has.
func (g *generation) size() int {
	n := 0
	for k, e := range g.values {
		n += len(k) + len(e.value) + entryBytes
	}
	for lo, e := range g.ranges {
		n += len(lo) + e.size() + entryBytes
	}
	return n
}

// TestCacheBound fills a cache at random. It counts its bytes truly, and has no more
// than it may. While it is held, what it has stays.
func TestCacheBound(t *testing.T) {
	t.Parallel()
	const most = 20_000
	c := newCache(most)
	c.begin(7, 3)
	m := c.moment(7, 3)
	rnd := rand.New(rand.NewPCG(1, 1))
	step := func() {
		k := fmt.Appendf(nil, "%03d", rnd.IntN(300))
		v := make([]byte, rnd.IntN(200))
		switch rnd.IntN(4) {
		case 0:
			c.putValue(m, k, v)
		case 1:
			c.value(m, k)
		case 2:
			c.putRange(m, k, after(k), []kv.Pair{{Key: k, Value: v}})
		case 3:
			c.rows(m, k, after(k))
		}
		for _, g := range []*generation{&c.young, &c.old} {
			if g.size() != g.bytes {
				t.Fatalf("%d bytes, counted as %d", g.size(), g.bytes)
			}
		}
		if n := c.young.bytes + c.old.bytes; n > most {
			t.Fatalf("%d bytes, of %d", n, most)
		}
	}
	for range 20_000 {
		step()
	}
	held := func() int { return len(c.young.values) + len(c.young.ranges) + len(c.old.values) + len(c.old.ranges) }
	release, had := c.hold(), held()
	for range 2000 {
		step()
	}
	if release(); held() > had {
		t.Errorf("%d entries while it was held, %d before", held(), had)
	}
}

// TestCacheForgets puts what a view read into a cache that has forgotten that view's
// commits meanwhile.
func TestCacheForgets(t *testing.T) {
	t.Parallel()
	c, k := newCache(1<<20), []byte("k")
	c.begin(7, 3)
	old := c.moment(7, 3)
	c.putValue(old, k, []byte("old"))
	if v, ok := c.value(old, k); !ok || string(v) != "old" {
		t.Errorf("%q, %v", v, ok)
	}
	c.begin(5, 4) // the table was made anew, by writer 4
	c.putValue(old, k, []byte("old"))
	c.putRange(old, k, after(k), []kv.Pair{{Key: k, Value: []byte("old")}})
	for n := range uint64(4) {
		c.follow(5+n, changed{by: 4})
	}
	for commit := range uint64(12) {
		for _, by := range []uint64{0, 3, 4} {
			m := c.moment(commit, by)
			if known := by == 4 && commit > 5 && commit <= 9; known != (m != moment{}) {
				t.Errorf("commit %d of writer %d: %v", commit, by, m)
			}
			if v, ok := c.value(m, k); ok {
				t.Errorf("commit %d: %q", commit, v)
			}
			if rows, _, ok := c.rows(m, k, after(k)); ok {
				t.Errorf("commit %d: %q", commit, rows)
			}
		}
	}
}
