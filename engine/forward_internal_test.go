package engine

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomForward returns terms in order, many sharing beginnings.
func randomForward(r *rand.Rand) []TermFreq {
	seen := map[string]bool{}
	for range r.IntN(30) {
		b := make([]byte, 1+r.IntN(5))
		for i := range b {
			b[i] = "ab\x00\xff"[r.IntN(4)]
		}
		seen[string(b)] = true
	}
	var out []TermFreq
	for term := range seen {
		out = append(out, TermFreq{term, 1 + uint32(r.IntN(300))})
	}
	slices.SortFunc(out, func(a, b TermFreq) int { return bytes.Compare([]byte(a.Term), []byte(b.Term)) })
	return out
}

func TestForwardList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 500 {
		terms := randomForward(r)
		sum := uint32(0)
		for _, x := range terms {
			sum += x.Freq
		}
		b := appendForward(nil, terms)
		got, words, err := decodeForward(b)
		if err != nil || words != sum || !slices.Equal(got, terms) {
			t.Fatalf("%v reads as %v, %d, %v", terms, got, words, err)
		}
		for n := range len(b) {
			if _, _, err := decodeForward(b[:n]); err == nil {
				t.Fatalf("%d of %d bytes were accepted", n, len(b))
			}
		}
		if _, _, err := decodeForward(append(b, 0)); err == nil {
			t.Fatal("a byte too many was accepted")
		}
	}
}

// TestForwardListRefuses keeps a small value from growing into much memory: a
// term shares its beginning with the one before, which may be long.
func TestForwardListRefuses(t *testing.T) {
	long := string(bytes.Repeat([]byte{'x'}, maxTermBytes))
	for name, c := range map[string]struct {
		terms []TermFreq
		ok    bool
	}{
		"longest":    {[]TermFreq{{long, 1}}, true},
		"too long":   {[]TermFreq{{long + "y", 1}}, false},
		"grows":      {[]TermFreq{{long, 1}, {long + "y", 1}}, false},
		"descending": {[]TermFreq{{"b", 1}, {"a", 1}}, false},
		"twice":      {[]TermFreq{{"a", 1}, {"a", 1}}, false},
		"empty":      {[]TermFreq{{"", 1}}, false},
		"never":      {[]TermFreq{{"a", 0}}, false},
	} {
		if _, _, err := decodeForward(appendForward(nil, c.terms)); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzForwardList(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 8 {
		f.Add(appendForward(nil, randomForward(r)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		terms, _, err := decodeForward(b)
		if err != nil {
			return
		}
		for i, x := range terms {
			if x.Freq == 0 || x.Term == "" || i > 0 && terms[i-1].Term >= x.Term {
				t.Fatalf("accepted %v", terms)
			}
		}
		again, _, err := decodeForward(appendForward(nil, terms))
		if err != nil || !slices.Equal(again, terms) {
			t.Fatalf("%v writes as what reads as %v, %v", terms, again, err)
		}
	})
}

func FuzzFieldOptions(f *testing.F) {
	f.Add(FieldOptions{Analyzer: "exact.v1", Positions: true}.encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := decodeFieldOptions(b)
		if err == nil && !bytes.Equal(o.encode(), b) {
			t.Fatalf("%x reads as %+v", b, o)
		}
	})
}

func TestRanking(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	for range 300 {
		var all []Scored
		for id := range r.IntN(40) {
			all = append(all, Scored{NodeID(id), float64(r.IntN(6))})
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		best := ranking{k: r.IntN(12)}
		for _, x := range all {
			if best.wants(x) {
				best.add(x)
			}
		}
		slices.SortFunc(all, compareScored)
		if best.k > 0 {
			all = all[:min(best.k, len(all))]
		}
		if got := best.sorted(); !slices.Equal(got, all) {
			t.Fatalf("the best %d are %v, want %v", best.k, got, all)
		}
	}
}
