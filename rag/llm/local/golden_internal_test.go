package local

import (
	"math"
	"testing"
)

// TestSignature pins the hash: stored tables depend on it. The values are those
// of an implementation in Python.
func TestSignature(t *testing.T) {
	for _, c := range []struct {
		term string
		want [slots]int // dimension plus 1, times the sign
	}{
		{"", [slots]int{-305, -279, -284, 115}},
		{"graph", [slots]int{-371, -119, 502, -321}},
		{"2024", [slots]int{443, -136, -135, 385}},
		{"漢字", [slots]int{241, 256, -454, 418}},
	} {
		var got [slots]int
		for i, s := range signatureOf(c.term) {
			got[i] = int(s.sign) * (int(s.dim) + 1)
		}
		if got != c.want {
			t.Errorf("signature of %q is %#v, want %#v", c.term, got, c.want)
		}
	}
}

// TestSignatureSpread checks that slots are distinct, and that dimensions and
// signs are evenly used.
func TestSignatureSpread(t *testing.T) {
	var used [Dim]int
	var plus int
	const words = 20_000
	for i := range words {
		s := signatureOf("w" + string(rune('a'+i%26)) + string(rune(0x4E00+i)))
		for k, slot := range s {
			if s.has(slot.dim, k) {
				t.Fatalf("word %d uses dimension %d twice", i, slot.dim)
			}
			used[slot.dim]++
			if slot.sign > 0 {
				plus++
			}
		}
	}
	const mean = words * slots / Dim // 156, standard deviation 12.5
	for dim, n := range used {
		if n < mean-75 || n > mean+75 {
			t.Errorf("dimension %d is used %d times, want about %d", dim, n, mean)
		}
	}
	if share := float64(plus) / (words * slots); share < .49 || share > .51 {
		t.Errorf("%.3f of the signs are +, want .5", share)
	}
}

func TestLn(t *testing.T) {
	for x := 1e-6; x < 1e12; x *= 1.0137 {
		got, want := ln(x), math.Log(x)
		if math.Abs(got-want) > 4e-15*max(1, math.Abs(want)) {
			t.Fatalf("ln(%v) = %v, want %v", x, got, want)
		}
	}
	if ln(1) != 0 {
		t.Errorf("ln(1) = %v", ln(1))
	}
}

func TestRarity(t *testing.T) {
	for _, n := range []int64{0, 1, 2, 10, 1e6, 1e12} {
		last := math.Inf(1)
		for df := int64(1); df <= n && df > 0; df *= 3 {
			r := float64(rarity(n, df))
			if !(r > 0) || r >= last {
				t.Errorf("rarity(%d, %d) = %v after %v: it must fall and stay above 0", n, df, r, last)
			}
			last = r
		}
		if r := rarity(n, n+5); !(r > 0) {
			t.Errorf("rarity(%d, %d) = %v", n, n+5, r)
		}
	}
	idf := math.Log(1 + 90.5/10.5)
	if got, want := float64(rarity(100, 10)), math.Pow(idf, .75); math.Abs(got-want) > 1e-6 {
		t.Errorf("rarity(100, 10) = %v, want %v", got, want)
	}
}

// TestWide holds rows of 64 bits to rows of 32.
func TestWide(t *testing.T) {
	l := newLexicon(100, []string{"a"}, []int64{3})
	c := l.contribution("graph vectors and text; the graph, a store")
	narrow, wide := make([]int32, Dim), make([]int64, Dim)
	for i := range c.bag {
		for range 100 {
			addTo(narrow, &c, i)
			addTo(wide, &c, i)
		}
	}
	some := false
	for i, v := range wide {
		if int64(narrow[i]) != v {
			t.Fatalf("dimension %d: %d and %d", i, narrow[i], v)
		}
		some = some || v != 0
	}
	if !some {
		t.Error("nothing was added")
	}
}

// TestContributionBound checks the bound that lets narrow rows hold the sums
// of wideFrom texts.
func TestContributionBound(t *testing.T) {
	l := newLexicon(10, nil, nil)
	for _, text := range []string{"graph", "graph graph graph", "graph vector", "a"} {
		c := l.contribution(text)
		for i := range c.bag {
			row := make([]int64, Dim)
			addTo(row, &c, i)
			for _, v := range row {
				if v > 1<<sumBits || v < -1<<sumBits {
					t.Errorf("%q adds %d", text, v)
				}
			}
		}
	}
	if (wideFrom-1)<<sumBits > math.MaxInt32 {
		t.Error("narrow rows can overflow")
	}
}
