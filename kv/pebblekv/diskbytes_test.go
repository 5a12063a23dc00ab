package pebblekv_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// TestDiskBytes asks for parts of a store of values that do not compress.
func TestDiskBytes(t *testing.T) {
	t.Parallel()
	st := open(t, t.TempDir()+"/db", nil)
	defer st.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	const n, size = 2000, 1000
	b := st.NewBatch()
	for i := range n {
		v := make([]byte, size)
		for j := range v {
			v[j] = byte(rng.Uint32())
		}
		b.Set(fmt.Appendf(nil, "%c%06d", 'a'+i%2, i), v)
	}
	if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
		t.Fatal(err)
	}
	if err := st.Compact(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lo, hi string
		want   float64
	}{{"a", "b", n / 2 * size}, {"a", "c", n * size}, {"b", "b000501", n / 8 * size}, {"c", "d", 0}, {"b", "a", 0}} {
		got, err := st.DiskBytes(t.Context(), []byte(c.lo), []byte(c.hi))
		// Keys and the blocks at both ends come on top.
		if err != nil || float64(got) < 0.9*c.want || float64(got) > 1.1*c.want+70_000 {
			t.Errorf("%s to %s: %d bytes, want about %.0f, %v", c.lo, c.hi, got, c.want, err)
		}
	}
}
