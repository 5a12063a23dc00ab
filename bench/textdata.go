package main

import (
	"math/rand/v2"
	"strings"
)

// textGenerator draws short documents whose words follow Zipf's law.
type textGenerator struct {
	r     *rand.Rand
	zipf  *rand.Zipf
	words int
	b     strings.Builder
}

// textVocabulary is how many distinct words there can be.
const textVocabulary = 1 << 20

func newTextGenerator(seed uint64, words int) *textGenerator {
	r := rand.New(rand.NewPCG(seed, 0))
	return &textGenerator{r: r, zipf: rand.NewZipf(r, 1.07, 3, textVocabulary-1), words: words}
}

// word appends a word of three or more syllables of a consonant and a vowel, so
// that it is no stop word. The words of low numbers are frequent.
func (g *textGenerator) word(n uint64) {
	const consonants, vowels = "bcdfghjklmnpqrtvwxz", "aiou"
	n = n*2654435761%(textVocabulary-3) + 1 // neighbours share no letters
	for i := 0; i < 3 || n > 0; i++ {
		g.b.WriteByte(consonants[n%19])
		g.b.WriteByte(vowels[n/19%4])
		n /= 76
	}
}

// document returns a text of half to one and a half times the mean number of
// words.
func (g *textGenerator) document() string {
	g.b.Reset()
	for i := range g.words/2 + g.r.IntN(g.words+1) {
		if i > 0 {
			g.b.WriteByte(' ')
		}
		g.word(g.zipf.Uint64())
	}
	return g.b.String()
}

// query returns n distinct words, each drawn as those of documents are: most
// queries have some of the most frequent ones.
func (g *textGenerator) query(n int) []string {
	var out []string
	seen := map[string]bool{}
	for len(out) < n {
		g.b.Reset()
		g.word(g.zipf.Uint64())
		if w := g.b.String(); !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}
