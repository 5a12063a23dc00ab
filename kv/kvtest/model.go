package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// Model is the reference store: a map from key to value that applies each
// operation at once. It implements kv.Batch. It is not safe for concurrent
// use.
type Model struct {
	schema *kv.Schema
	m      map[string][]byte
}

// NewModel returns an empty model with the schema s.
func NewModel(s *kv.Schema) *Model { return &Model{s, map[string][]byte{}} }

// Clone returns a copy that later operations on m do not change.
func (m *Model) Clone() *Model { return &Model{m.schema, maps.Clone(m.m)} }

// Set gives k the value v.
func (m *Model) Set(k, v []byte) { m.m[string(k)] = append([]byte{}, v...) }

// Delete removes k.
func (m *Model) Delete(k []byte) { delete(m.m, string(k)) }

// DeleteRange removes lo <= key < hi.
func (m *Model) DeleteRange(lo, hi []byte) {
	for k := range m.m {
		if k >= string(lo) && k < string(hi) {
			delete(m.m, k)
		}
	}
}

// Merge folds op over the value of k.
func (m *Model) Merge(k, op []byte) {
	f := m.schema.NewFold(k, op)
	if v, ok := m.m[string(k)]; ok {
		f.Older(v)
	}
	m.Set(k, f.Finish(true))
}

// Bytes is 0: a model keeps no operations.
func (m *Model) Bytes() int { return 0 }

// Len is the number of keys.
func (m *Model) Len() int { return len(m.m) }

// Value returns the value of k and whether it has one.
func (m *Model) Value(k []byte) ([]byte, bool) {
	v, ok := m.m[string(k)]
	return v, ok
}

// Keys returns the keys in their order.
func (m *Model) Keys() []string { return slices.Sorted(maps.Keys(m.m)) }

// Equal returns an error that names the first difference between m and r.
func (m *Model) Equal(ctx context.Context, r kv.Reader) error {
	it, err := r.Iter(ctx, nil, nil)
	if err != nil {
		return err
	}
	defer it.Close()
	keys := m.Keys()
	for it.First(); it.Valid(); it.Next() {
		if len(keys) == 0 || string(it.Key()) != keys[0] {
			return fmt.Errorf("key %q, want %q", it.Key(), keys[:min(1, len(keys))])
		}
		v, want := it.Value(), m.m[keys[0]]
		if it.Err() != nil {
			break
		}
		if !bytes.Equal(v, want) {
			return fmt.Errorf("value of %q is %q, want %q", it.Key(), v, want)
		}
		keys = keys[1:]
	}
	if len(keys) > 0 && it.Err() == nil {
		return fmt.Errorf("end before %q", keys[0])
	}
	return it.Err()
}

// CheckReader compares r with the model: a scan, point reads of keys and
// non-keys, MultiGet, and random walks of bounded iterators. rnd decides the
// sample; the caller prints its seed.
func CheckReader(t *testing.T, rnd *rand.Rand, r kv.Reader, m *Model) {
	t.Helper()
	if err := m.Equal(t.Context(), r); err != nil {
		t.Fatalf("scan: %v", err)
	}
	keys := m.Keys()
	checkGets(t, rnd, r, m, keys)
	checkGather(t, rnd, r, m, keys)
	for range 4 {
		lo, hi := randomBound(rnd, keys), randomBound(rnd, keys)
		it, err := r.Iter(t.Context(), lo, hi)
		if err != nil {
			t.Fatalf("iter: %v", err)
		}
		checkWalk(t, rnd, it, newModelIterator(m, keys, lo, hi), keys)
		if err := it.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
}

func checkGets(t *testing.T, rnd *rand.Rand, r kv.Reader, m *Model, keys []string) {
	t.Helper()
	var probes [][]byte
	for range 20 {
		k := randomKey(rnd, keys)
		probes = append(probes, k)
		v, err := r.Get(t.Context(), k, []byte("x"))
		want, ok := m.Value(k)
		switch {
		case ok && (err != nil || string(v) != "x"+string(want)):
			t.Fatalf("get %q: %q, %v; want %q", k, v, err, want)
		case !ok && !errors.Is(err, kv.ErrNotFound):
			t.Fatalf("get %q: %q, %v; want not found", k, v, err)
		}
	}
	seen := make([]bool, len(probes))
	err := r.MultiGet(t.Context(), probes, func(i int, v []byte) error {
		if seen[i] {
			t.Fatalf("multiget calls for %d twice", i)
		}
		seen[i] = true
		want, ok := m.Value(probes[i])
		if ok != (v != nil) || !bytes.Equal(v, want) {
			t.Fatalf("multiget %q: %q, want %q", probes[i], v, want)
		}
		return nil
	})
	if err != nil || slices.Contains(seen, false) {
		t.Fatalf("multiget: %v, seen %v", err, seen)
	}
}

// checkWalk moves both iterators at random and compares them at each step.
func checkWalk(t *testing.T, rnd *rand.Rand, it kv.Iterator, want *modelIterator, keys []string) {
	t.Helper()
	var trail []string
	for range 60 {
		var got, exp bool
		var k []byte
		op := rnd.IntN(12)
		switch {
		case op == 0:
			got, exp = it.First(), want.first()
		case op == 1:
			got, exp = it.Last(), want.last()
		case op == 2:
			k = randomKey(rnd, keys)
			got, exp = it.SeekGE(k), want.seekGE(k)
		case op == 3:
			k = randomKey(rnd, keys)
			got, exp = it.SeekPrefix(k), want.seekPrefix(k)
		case op < 8:
			got, exp = it.Next(), want.step(1)
		default:
			got, exp = it.Prev(), want.step(-1)
		}
		trail = append(trail, fmt.Sprintf("%d(%q)", op, k))
		if got != exp || it.Valid() != exp || it.Err() != nil {
			t.Fatalf("bounds [%q, %q) after %v: %v at %q, %v; want %v at %q",
				want.lo, want.hi, trail, got, it.Key(), it.Err(), exp, want.key())
		}
		if !exp {
			continue
		}
		if string(it.Key()) != want.key() || !bytes.Equal(it.Value(), want.m.m[want.key()]) {
			t.Fatalf("bounds [%q, %q) after %v: %q=%q, want %q=%q",
				want.lo, want.hi, trail, it.Key(), it.Value(), want.key(), want.m.m[want.key()])
		}
	}
}

// modelIterator is the reference iterator.
type modelIterator struct {
	m      *Model
	lo, hi []byte
	keys   []string // within the bounds
	at     int      // -1 or len(keys) if not valid
	prefix string
	within bool
}

func newModelIterator(m *Model, keys []string, lo, hi []byte) *modelIterator {
	it := &modelIterator{m: m, lo: lo, hi: hi, at: -1}
	for _, k := range keys {
		if k >= string(lo) && (hi == nil || k < string(hi)) {
			it.keys = append(it.keys, k)
		}
	}
	return it
}

func (it *modelIterator) key() string {
	if it.at < 0 || it.at >= len(it.keys) {
		return ""
	}
	return it.keys[it.at]
}

func (it *modelIterator) settle(at int) bool {
	if at < 0 || at >= len(it.keys) || it.within && it.m.prefix(it.keys[at]) != it.prefix {
		it.at = -1
		return false
	}
	it.at = at
	return true
}

func (it *modelIterator) first() bool {
	it.within = false
	return it.settle(0)
}

func (it *modelIterator) last() bool {
	it.within = false
	return it.settle(len(it.keys) - 1)
}

func (it *modelIterator) seekGE(k []byte) bool {
	it.within = false
	at, _ := slices.BinarySearch(it.keys, string(k))
	return it.settle(at)
}

func (it *modelIterator) seekPrefix(k []byte) bool {
	it.within, it.prefix = true, it.m.prefix(string(k))
	at, _ := slices.BinarySearch(it.keys, string(k))
	return it.settle(at)
}

func (it *modelIterator) step(n int) bool {
	if it.at < 0 {
		return false
	}
	return it.settle(it.at + n)
}

func (m *Model) prefix(k string) string {
	if k == "" {
		return ""
	}
	return k[:m.schema.Split([]byte(k))]
}

// randomKey returns one of keys, a neighbour of one, or something else.
func randomKey(rnd *rand.Rand, keys []string) []byte {
	if len(keys) == 0 || rnd.IntN(4) == 0 {
		return Key(rnd)
	}
	k := []byte(keys[rnd.IntN(len(keys))])
	switch rnd.IntN(4) {
	case 0:
		return append(k, 0)
	case 1:
		if len(k) > 1 {
			return k[:len(k)-1]
		}
	}
	return k
}

func randomBound(rnd *rand.Rand, keys []string) []byte {
	if rnd.IntN(3) == 0 {
		return nil
	}
	return randomKey(rnd, keys)
}

// Key returns a random key of the suite's small key space.
func Key(rnd *rand.Rand) []byte {
	k := []byte{'a' + byte(rnd.IntN(4))}
	if rnd.IntN(8) > 0 {
		k = fmt.Appendf(k, "/%02d", rnd.IntN(40))
	}
	return k
}

// Operand returns a random operand of [Schema]'s fold.
func Operand(rnd *rand.Rand) []byte {
	var add, del []byte
	for range rnd.IntN(3) {
		add = append(add, 'a'+byte(rnd.IntN(8)))
	}
	for range rnd.IntN(3) {
		del = append(del, 'a'+byte(rnd.IntN(8)))
	}
	return Delta(string(add), string(del))
}

// Mutate adds n random operations to each of the batches, the same to all.
func Mutate(rnd *rand.Rand, n int, batches ...kv.Batch) {
	for range n {
		k, op := Key(rnd), rnd.IntN(20)
		v := Elements(string('a' + rune(rnd.IntN(8))))
		lo, hi, operand := k, Key(rnd), Operand(rnd)
		for _, b := range batches {
			switch {
			case op < 8:
				b.Set(k, v)
			case op < 11:
				b.Delete(k)
			case op == 11:
				b.DeleteRange(lo, hi)
			default:
				b.Merge(k, operand)
			}
		}
	}
}
