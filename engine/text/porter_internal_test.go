package text

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blevesearch/snowballstem"
	snowball "github.com/blevesearch/snowballstem/porter"
)

// snowballStem is the stem by Snowball.
func snowballStem(word string) string {
	if len(word) <= 2 {
		return word
	}
	env := snowballstem.NewEnv(word)
	snowball.Stem(env)
	return env.Current()
}

func checkStem(t *testing.T, p *porter, word string) {
	t.Helper()
	if got, want := p.stem(word), snowballStem(word); got != want {
		t.Errorf("the stem of %q is %q, of Snowball %q", word, got, want)
	}
}

// TestStem compares stems with Snowball's, of words that are put together from
// what its rules look at.
func TestStem(t *testing.T) {
	parts := strings.Fields(`s ies sses ss eed ed ing bb dd ff gg bl mm nn pp rr at tt iz y yy e ll l
		anci enci abli eli alli ousli entli aliti biliti iviti tional ational alism ation ization izer
		ator iveness fulness ousness icate ative alize iciti ical ful ness ic ance ence able ible ate ive
		ize iti al ism ion er ous ant ent ment ement ou sion tion w x a i o u b c d f 0 9 h k`)
	r := rand.New(rand.NewPCG(1, 0))
	var p porter
	for range 400_000 {
		word := ""
		for range 1 + r.IntN(5) {
			word += parts[r.IntN(len(parts))]
		}
		checkStem(t, &p, word)
		if t.Failed() {
			return
		}
	}
	checkStem(t, &p, strings.Repeat("a", maxWord-4)+"tbed")
	checkStem(t, &p, strings.Repeat("y", maxWord))
}

func FuzzStem(f *testing.F) {
	f.Add("relational")
	f.Add("sayyying")
	f.Fuzz(func(t *testing.T, word string) {
		word = lowerASCII(word)
		if len(word) > maxWord || strings.ContainsFunc(word, func(r rune) bool { return r >= 0x80 || !isWordByte(byte(r)) }) {
			return
		}
		checkStem(t, &porter{}, word)
	})
}
