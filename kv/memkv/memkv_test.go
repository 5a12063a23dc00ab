package memkv_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	kvtest.Run(t, func(*testing.T) kv.Store { return memkv.New(s) }, s)
}

// The tree keeps its order, its heap order and its counts.
func TestCheckAfterRandomEdits(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		st, m := memkv.New(s), kvtest.NewModel(s)
		for range 30 {
			b := st.NewBatch()
			kvtest.Mutate(rnd, rnd.IntN(50), b, m)
			if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
				t.Fatal(err)
			}
			if err := st.Check(t.Context()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if err := m.Equal(t.Context(), st); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// counted counts the folds that end.
type counted struct {
	kv.Fold
	ended *int
}

func (c counted) Finish(hasBase bool) []byte {
	*c.ended++
	return c.Fold.Finish(hasBase)
}

// A batch folds the operands of a key once, though other keys' operations stand
// between them: with one fold for each, a transaction of n nodes of a type took
// n squared.
func TestApplyFoldsOnce(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	plain, ended := s.NewFold, 0
	s.NewFold = func(key, first []byte) kv.Fold { return counted{plain(key, first), &ended} }
	st := memkv.New(s)
	apply := func(fill func(b kv.Batch)) {
		t.Helper()
		b := st.NewBatch()
		fill(b)
		if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(key, want string) {
		t.Helper()
		if v, err := st.Get(t.Context(), []byte(key), nil); err != nil || string(v) != string(kvtest.Elements(want)) {
			t.Errorf("%s: %q, %v; want %q", key, v, err, want)
		}
	}
	apply(func(b kv.Batch) { b.Merge([]byte("a"), kvtest.Delta("z", "")) })
	ended = 0
	apply(func(b kv.Batch) {
		for c := byte('a'); c <= 'y'; c++ {
			b.Merge([]byte("a"), kvtest.Delta(string(c), ""))
			b.Set([]byte{'s', c}, nil)
			b.Merge([]byte("b"), kvtest.Delta(string(c), "b"))
		}
	})
	if ended != 2 {
		t.Errorf("%d folds of two keys", ended)
	}
	holds("a", "abcdefghijklmnopqrstuvwxyz")
	holds("b", "acdefghijklmnopqrstuvwxy")
	apply(func(b kv.Batch) { // what is newer than an operand makes it void
		b.Merge([]byte("a"), kvtest.Delta("1", ""))
		b.Set([]byte("a"), kvtest.Elements("2"))
		b.Merge([]byte("a"), kvtest.Delta("3", ""))
		b.Merge([]byte("b"), kvtest.Delta("1", ""))
		b.Delete([]byte("b"))
		b.Merge([]byte("c"), kvtest.Delta("1", ""))
		b.DeleteRange([]byte("c"), []byte("d"))
		b.Merge([]byte("c"), kvtest.Delta("2", ""))
	})
	holds("a", "23")
	holds("c", "2")
	if _, err := st.Get(t.Context(), []byte("b"), nil); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("b: %v", err)
	}
}

func Benchmark(b *testing.B) {
	s := kvtest.Schema()
	for _, n := range []int{10_000, 200_000} {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			kvtest.Bench(b, n, func(*testing.B) kv.Store { return memkv.New(s) })
		})
	}
}
