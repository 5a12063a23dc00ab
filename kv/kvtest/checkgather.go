package kvtest

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// checkGather compares what a reader gathers with the model, if it can gather.
func checkGather(t *testing.T, rnd *rand.Rand, r kv.Reader, m *Model, keys []string) {
	t.Helper()
	g, ok := r.(kv.Gatherer)
	if !ok {
		return
	}
	var ask [][]byte
	var ranges []kv.Range
	for range rnd.IntN(8) {
		ask = append(ask, randomKey(rnd, keys))
	}
	for range rnd.IntN(5) {
		ranges = append(ranges, kv.Range{Lo: randomBound(rnd, keys), Hi: randomBound(rnd, keys)})
	}
	limit := 1 + rnd.IntN(6)
	vals, rows, err := g.Gather(t.Context(), ask, ranges, limit)
	if err != nil || len(vals) != len(ask) || len(rows) != len(ranges) {
		t.Fatalf("gather: %d values of %d, %d ranges of %d, %v", len(vals), len(ask), len(rows), len(ranges), err)
	}
	for i, k := range ask {
		if want, has := m.Value(k); has != (vals[i] != nil) || !bytes.Equal(vals[i], want) {
			t.Fatalf("gather: %q is %q, want %q", k, vals[i], want)
		}
	}
	for i, some := range rows {
		it, n := newModelIterator(m, keys, ranges[i].Lo, ranges[i].Hi), 0
		for ok := it.first(); ok && n < limit; ok = it.step(1) {
			want, _ := m.Value([]byte(it.key()))
			if n >= len(some) || string(some[n].Key) != it.key() || !bytes.Equal(some[n].Value, want) {
				t.Fatalf("gather from %q to %q, %d: %q; the model has %q there", ranges[i].Lo, ranges[i].Hi, limit, some, it.key())
			}
			n++
		}
		if n != len(some) {
			t.Fatalf("gather from %q to %q, %d: %d pairs, want %d", ranges[i].Lo, ranges[i].Hi, limit, len(some), n)
		}
	}
}
