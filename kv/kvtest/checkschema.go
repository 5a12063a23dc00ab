package kvtest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// CheckSchema tests a schema by random keys and operands.
//
// keys returns a random valid key. ops returns a random operand for that key,
// or nil if the key takes no merges.
//
// Split: 0 < Split(k) <= len(k), it is idempotent on prefixes, and with the
// order bytes.Compare it keeps Pebble's three rules, for every pair of keys,
// bare prefixes and truncated keys: a prefix sorts before the keys that
// extend it; a <= b implies prefix(a) <= prefix(b), and prefix(a) < prefix(b)
// implies a < b; within a prefix suffixes decide.
//
// Fold: for up to five operands, with and without a base below, every
// bracketing and every order of Newer and Older gives the same bytes; neither
// the operands' memory nor that of the result is shared.
func CheckSchema(t *testing.T, s *kv.Schema, keys func(*rand.Rand) []byte, ops func(*rand.Rand, []byte) []byte) {
	t.Run("Split", func(t *testing.T) { checkSplit(t, s, keys) })
	t.Run("Fold", func(t *testing.T) { checkFold(t, s, keys, ops) })
}

func checkSplit(t *testing.T, s *kv.Schema, keys func(*rand.Rand) []byte) {
	const seed = 1
	rnd := rand.New(rand.NewPCG(seed, 0))
	var sample [][]byte
	for range 150 {
		k := bytes.Clone(keys(rnd))
		if s.Validate != nil {
			if err := s.Validate(k); err != nil {
				t.Fatalf("seed %d: key %x of the generator: %v", seed, k, err)
			}
		}
		if len(k) == 0 {
			t.Fatalf("seed %d: empty key", seed)
		}
		sample = append(sample, k, k[:1+rnd.IntN(len(k))])
	}
	for _, k := range slices.Clone(sample) {
		n := s.Split(k)
		if n <= 0 || n > len(k) {
			t.Fatalf("seed %d: Split(%x) = %d", seed, k, n)
		}
		if again := s.Split(k[:n:n]); again != n {
			t.Fatalf("seed %d: Split(%x) = %d but Split of the prefix = %d", seed, k, n, again)
		}
		sample = append(sample, k[:n:n])
	}
	for _, a := range sample {
		for _, b := range sample {
			pa, pb := a[:s.Split(a)], b[:s.Split(b)]
			if c := bytes.Compare(a, b); c <= 0 && bytes.Compare(pa, pb) > 0 {
				t.Fatalf("seed %d: %x <= %x but prefix %x > %x", seed, a, b, pa, pb)
			}
			if bytes.Compare(pa, pb) < 0 && bytes.Compare(a, b) >= 0 {
				t.Fatalf("seed %d: prefix %x < %x but %x >= %x", seed, pa, pb, a, b)
			}
			if bytes.Equal(pa, pb) && bytes.Compare(a, b) != bytes.Compare(a[len(pa):], b[len(pb):]) {
				t.Fatalf("seed %d: suffixes of %x and %x decide otherwise", seed, a, b)
			}
		}
	}
}

func checkFold(t *testing.T, s *kv.Schema, keys func(*rand.Rand) []byte, ops func(*rand.Rand, []byte) []byte) {
	const rounds = 400
	folded := 0
	for seed := range uint64(rounds) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		key := keys(rnd)
		operands := make([][]byte, 0, 5) // oldest first
		for range 1 + rnd.IntN(5) {
			if op := ops(rnd, key); op != nil {
				operands = append(operands, op)
			}
		}
		if len(operands) == 0 {
			continue
		}
		folded++
		c := &folder{t: t, s: s, key: key, rnd: rnd, seed: seed}
		c.check(operands)
	}
	if folded < rounds/100 {
		t.Fatalf("only %d of %d random keys take merges", folded, rounds)
	}
}

// folder folds the operands of one key in every way.
type folder struct {
	t    *testing.T
	s    *kv.Schema
	key  []byte
	rnd  *rand.Rand
	seed uint64
}

func (c *folder) check(operands [][]byte) {
	c.t.Helper()
	// The value under the operands, if any, is itself folded to the bottom.
	base := c.fold(operands[:1], 0, true)
	for name, under := range map[string][][]byte{"nothing": nil, "a base": {base}} {
		results := map[string]bool{}
		for _, part := range c.bracketings(operands) {
			all := append(slices.Clone(under), part)
			for start := range all {
				results[string(c.fold(all, start, true))] = true
			}
		}
		all := append(slices.Clone(under), operands...)
		for start := range all {
			results[string(c.fold(all, start, true))] = true
		}
		if len(results) != 1 {
			var shown [][]byte
			for r := range results {
				shown = append(shown, []byte(r))
			}
			c.t.Fatalf("seed %d: key %x: operands %x over %s fold to %x",
				c.seed, c.key, operands, name, shown)
		}
	}
}

// bracketings returns the distinct operands that the ways to fold ops pair by
// pair give.
func (c *folder) bracketings(ops [][]byte) [][]byte {
	if len(ops) == 1 {
		return [][]byte{ops[0], c.fold(ops, 0, false)}
	}
	distinct := map[string]bool{}
	for cut := 1; cut < len(ops); cut++ {
		for _, older := range c.bracketings(ops[:cut]) {
			for _, newer := range c.bracketings(ops[cut:]) {
				pair := [][]byte{older, newer}
				distinct[string(c.fold(pair, 0, false))] = true
				distinct[string(c.fold(pair, 1, false))] = true
			}
		}
	}
	var out [][]byte
	for r := range distinct {
		out = append(out, []byte(r))
	}
	slices.SortFunc(out, bytes.Compare)
	return out
}

// fold starts with ops[start] and takes the others outward in random order.
func (c *folder) fold(ops [][]byte, start int, hasBase bool) []byte {
	scratch := bytes.Clone(ops[start])
	f := c.s.NewFold(c.key, scratch)
	scribble(scratch)
	older, newer := start-1, start+1
	for older >= 0 || newer < len(ops) {
		if newer >= len(ops) || older >= 0 && c.rnd.IntN(2) == 0 {
			scratch = bytes.Clone(ops[older])
			f.Older(scratch)
			older--
		} else {
			scratch = bytes.Clone(ops[newer])
			f.Newer(scratch)
			newer++
		}
		scribble(scratch)
	}
	return bytes.Clone(f.Finish(hasBase))
}

// scribble overwrites an operand, which a fold must not look at again.
func scribble(b []byte) {
	for i := range b {
		b[i] ^= 0xA5
	}
}
