package tablekv_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
)

// TestLongKeys writes keys of lengths around the bound of a table. Whether one is taken
// depends neither on its value nor on what is written with it; what is refused leaves
// nothing, and the next batch is as any other.
func TestLongKeys(t *testing.T) {
	t.Parallel()
	const most = 60
	bounds := tiny
	bounds.KeyBytes = most
	for n := most - 20; n < most+5; n++ {
		for _, k := range []string{strings.Repeat("k", n), "k" + strings.Repeat("\x00", n/2)} {
			taken := map[bool]int{}
			for _, size := range []int{1, 30, 1000} { // in its row, in pieces, staged
				server := kvtest.NewServer(1)
				s := open(t, server.Table(bounds))
				b := s.NewBatch()
				b.Set([]byte("beside"), []byte("1"))
				b.Set([]byte(k), bytes.Repeat([]byte("v"), size))
				err := s.Apply(t.Context(), b, kv.Sync)
				taken[err == nil]++
				if err != nil {
					if !errors.Is(err, kv.ErrTooLarge) || !strings.Contains(err.Error(), `the key "k`) {
						t.Errorf("a key of %d bytes: %v", len(k), err)
					}
					for _, key := range []string{k, "beside"} {
						if _, err := s.Get(t.Context(), []byte(key), nil); !errors.Is(err, kv.ErrNotFound) {
							t.Errorf("%q after a batch was refused: %v", key, err)
						}
					}
				}
				b = s.NewBatch()
				b.Set([]byte("next"), []byte("2"))
				b.Delete([]byte(k))
				if err := s.Apply(t.Context(), b, kv.Sync); err != nil {
					t.Errorf("a batch that removes a key of %d bytes: %v", len(k), err)
				}
				want(t, s, "next", "2")
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			if len(taken) != 1 {
				t.Errorf("a key of %d bytes is taken %d times of 3", len(k), taken[true])
			}
			if fits := len(k)+strings.Count(k, "\x00")+10 <= most; fits != (taken[true] == 3) {
				t.Errorf("a key of %d bytes is taken: %v", len(k), !fits)
			}
		}
	}
}
