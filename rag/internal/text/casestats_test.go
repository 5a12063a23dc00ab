package text_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/text"
)

func TestCaseStats(t *testing.T) {
	var c text.CaseStats
	c.Add("A Title Of Paris\nThe king of France met the King. The bald king left Paris for 3 Ångström.")
	for _, w := range []struct {
		word         string
		lower, upper int64
	}{
		{"king", 2, 1}, {"france", 0, 1}, {"paris", 0, 1}, {"angstrom", 0, 1},
		{"the", 1, 0}, {"title", 0, 0}, {"3", 0, 0}, {"absent", 0, 0},
	} {
		if l, u := c.Lower(w.word), c.Upper(w.word); l != w.lower || u != w.upper {
			t.Errorf("%s: %d small, %d capital; want %d, %d", w.word, l, u, w.lower, w.upper)
		}
	}
}

// listing returns all that statistics say.
func listing(c *text.CaseStats) string {
	var b strings.Builder
	for w := range c.Words() {
		fmt.Fprintf(&b, "%q %d %d\n", w, c.Lower(w), c.Upper(w))
	}
	return b.String()
}

// Adding, removing and adding up parts in any order is the same as adding what is
// left.
func TestCaseStatsRandom(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		var all, parts, other, want text.CaseStats
		for range 8 {
			s := randomText(rnd)
			all.Add(s)
			switch rnd.IntN(3) {
			case 0:
				other.Remove(s)
				all.Remove(s)
				parts.Add(s)
			case 1:
				other.Add(s)
				want.Add(s)
			default:
				parts.Add(s)
				want.Add(s)
			}
		}
		for w := range other.Words() {
			parts.Set(w, parts.Lower(w)+other.Lower(w), parts.Upper(w)+other.Upper(w))
		}
		if listing(&all) != listing(&want) || listing(&parts) != listing(&want) {
			t.Fatalf("seed %d: other statistics", seed)
		}
		var back text.CaseStats
		for w := range want.Words() {
			back.Set(w, 9, 9)
			back.Set(w, want.Lower(w), want.Upper(w))
		}
		back.Set("gone", 1, 1)
		back.Set("gone", 0, 0)
		if listing(&back) != listing(&want) || back.Len() != want.Len() {
			t.Fatalf("seed %d: set to other statistics", seed)
		}
	}
}

func TestCaseStatsNil(t *testing.T) {
	var c *text.CaseStats
	if listing(c) != "" || c.Len() != 0 || c.Lower("a") != 0 || len(text.Names("He met Anna.", c)) != 1 {
		t.Error("nil statistics are not empty")
	}
}

// TestCaseStatsLong says that what is too long for a key is not counted.
func TestCaseStatsLong(t *testing.T) {
	var c text.CaseStats
	c.Add("The king saw " + strings.Repeat("x", 257) + " and " + strings.Repeat("y", 256) + " there.")
	if c.Lower(strings.Repeat("x", 257)) != 0 || c.Lower(strings.Repeat("y", 256)) != 1 || c.Lower("there") != 1 {
		t.Errorf("counted %s", listing(&c))
	}
}

func BenchmarkCaseStats(b *testing.B) {
	s := musique(b)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		var c text.CaseStats
		c.Add(s)
	}
}
