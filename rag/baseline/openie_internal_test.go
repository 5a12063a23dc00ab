package baseline

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/ragtest"
)

// TestFirstTexts compares with counting every text: words, letters that are a
// token each, and bytes that are not UTF-8.
func TestFirstTexts(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, nil)
	s := &openIE{c: c.Docs()}
	pieces := []string{"the house ", "x1ß", "\xff", "\xf0\x9f", "鼠", "\n", "0"}
	cut := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		texts := make([]string, r.IntN(6))
		for i := range texts {
			texts[i] = strings.Repeat(pieces[r.IntN(len(pieces))], r.IntN(300))
		}
		want, sum := texts, 0
		for i, one := range texts {
			if sum += c.Tokens().Count(one); sum > maxDescription && i > 0 {
				want = texts[:i]
				cut++
				break
			}
		}
		if got := s.firstTexts(texts); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d texts of %d, want %d", seed, len(got), len(texts), len(want))
		}
	}
	if cut < 20 || cut > 280 {
		t.Errorf("%d of 300 are cut", cut)
	}
}
