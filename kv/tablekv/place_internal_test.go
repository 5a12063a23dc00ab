package tablekv

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// TestRanges compares what is asked of ascending ranges with a look at every key.
func TestRanges(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	draw := func() (out []kv.Range, in [26]bool) {
		for k := rnd.IntN(6); k < 25; {
			end := min(25, k+1+rnd.IntN(5))
			out = append(out, kv.Range{Lo: []byte{byte(k)}, Hi: []byte{byte(end)}})
			for ; k < end; k++ {
				in[k] = true
			}
			k += rnd.IntN(6)
		}
		return out, in
	}
	for range 2000 {
		a, inA := draw()
		b, inB := draw()
		r := record{removed: a}
		rest := without(a, b)
		if _, err := decodeRecord((&record{removed: rest}).encode()); err != nil {
			t.Fatalf("%v without %v is %v: %v", a, b, rest, err)
		}
		lo := rnd.IntN(25)
		hi := lo + 1 + rnd.IntN(25-lo)
		from, _ := r.shown([]byte{byte(lo)}, []byte{byte(hi)}, false)
		_, to := r.shown([]byte{byte(lo)}, []byte{byte(hi)}, true)
		touched := false
		for k := range byte(25) {
			key := []byte{k}
			if got := r.hidden(key); got != inA[k] {
				t.Fatalf("%v has %d: %v", a, k, got)
			}
			if got, want := contain(rest, key), inA[k] && !inB[k]; got != want {
				t.Fatalf("%v without %v is %v", a, b, rest)
			}
			if int(k) < lo || int(k) >= hi {
				continue
			}
			touched = touched || inA[k]
			if !inA[k] && (k < from[0] || k >= to[0]) {
				t.Fatalf("beside %v, [%d, %d) shows from %d, or to %d", a, lo, hi, from, to)
			}
		}
		if inA[from[0]] && int(from[0]) < hi || int(to[0]) > lo && inA[to[0]-1] {
			t.Fatalf("beside %v, [%d, %d) begins at %d, or ends at %d", a, lo, hi, from, to)
		}
		if got := r.touches([]kv.Range{{Lo: []byte{byte(lo)}, Hi: []byte{byte(hi)}}}); got != touched {
			t.Fatalf("%v touch [%d, %d): %v", a, lo, hi, got)
		}
	}
}

// TestDamagedRanges decodes state records whose ranges do not ascend.
func TestDamagedRanges(t *testing.T) {
	for _, x := range [][]kv.Range{
		{{Lo: []byte("b"), Hi: []byte("a")}},
		{{Lo: []byte("a"), Hi: []byte("a")}},
		{{Lo: []byte("b"), Hi: []byte("c")}, {Lo: []byte("a"), Hi: []byte("b")}},
		{{Lo: []byte("a"), Hi: []byte("c")}, {Lo: []byte("b"), Hi: []byte("d")}},
	} {
		if _, err := decodeRecord((&record{removed: x}).encode()); err != errRecord {
			t.Errorf("%s: %v", fmt.Sprint(x), err)
		}
	}
}
