package kvtest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv/kvtest"
)

func TestSchema(t *testing.T) {
	kvtest.CheckSchema(t, kvtest.Schema(), kvtest.Key,
		func(rnd *rand.Rand, _ []byte) []byte { return kvtest.Operand(rnd) })
}

// Folding any bytes must not fail, and a delta must survive a fold.
func FuzzFold(f *testing.F) {
	f.Add(kvtest.Delta("ab", "c"), kvtest.Elements("xyz"))
	f.Add([]byte("d\xff\xff"), []byte{})
	s := kvtest.Schema()
	f.Fuzz(func(t *testing.T, a, b []byte) {
		fold := s.NewFold([]byte("k"), a)
		fold.Older(b)
		fold.Newer(kvtest.Delta("q", "z"))
		base := s.NewFold([]byte("k"), fold.Finish(false)).Finish(true)
		if len(base) == 0 || base[0] != 'b' {
			t.Errorf("folded to %q", base)
		}
	})
}
