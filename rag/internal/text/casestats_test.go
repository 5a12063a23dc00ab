package text_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
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

func marshal(t *testing.T, c *text.CaseStats) []byte {
	t.Helper()
	b, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Adding, removing and merging in any order is the same as adding what is
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
		parts.Merge(&other)
		b := marshal(t, &want)
		if !bytes.Equal(marshal(t, &all), b) || !bytes.Equal(marshal(t, &parts), b) {
			t.Fatalf("seed %d: other statistics", seed)
		}
		var back text.CaseStats
		if err := back.UnmarshalBinary(b); err != nil || !bytes.Equal(marshal(t, &back), b) {
			t.Fatalf("seed %d: read back: %v", seed, err)
		}
	}
}

func TestCaseStatsNil(t *testing.T) {
	var c *text.CaseStats
	if c.Len() != 0 || c.Lower("a") != 0 || len(text.Names("He met Anna.", c)) != 1 {
		t.Error("nil statistics are not empty")
	}
	var empty text.CaseStats
	if err := empty.UnmarshalBinary(marshal(t, c)); err != nil || empty.Len() != 0 {
		t.Errorf("read back: %v", err)
	}
}

func TestCaseStatsMalformed(t *testing.T) {
	good := string(marshal(t, corpusStats()))
	for name, s := range map[string]string{
		"empty":             "",
		"version":           "\x02\x00",
		"cut":               good[:len(good)-1],
		"too long":          good + "\x00",
		"too many words":    "\x01\xff\xff\xff\xff\x0f",
		"no counts":         "\x01\x01\x01a\x00\x00",
		"empty word":        "\x01\x01\x00\x02\x02\x02",
		"not in order":      "\x01\x02\x01b\x02\x00\x01a\x02\x00",
		"long form":         "\x01\x81\x00\x01a\x02\x00",
		"long form of zero": "\x01\x01\x01a\x02\x80\x00",
		"not utf-8":         "\x01\x01\x01\xff\x02\x00",
	} {
		t.Run(name, func(t *testing.T) {
			c := corpusStats()
			if err := c.UnmarshalBinary([]byte(s)); !errors.Is(err, text.ErrCaseStats) {
				t.Errorf("error %v", err)
			}
			if string(marshal(t, c)) != good {
				t.Error("the statistics have changed")
			}
		})
	}
}

func FuzzCaseStats(f *testing.F) {
	good, err := corpusStats().MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("\x01\x01\x01a\x02\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c text.CaseStats
		if c.UnmarshalBinary(b) == nil && !bytes.Equal(marshal(t, &c), b) {
			t.Fatalf("%q is written as %q", b, marshal(t, &c))
		}
	})
}

func BenchmarkCaseStats(b *testing.B) {
	s := musique(b)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		var c text.CaseStats
		c.Add(s)
	}
}
