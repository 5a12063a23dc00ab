package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// TestEveryCodePoint: whatever character stands alone, doubled, before or in a
// word, no name, term or counted word has an empty key, and counted words are UTF-8.
func TestEveryCodePoint(t *testing.T) {
	t.Parallel()
	const together = 256 // code points in one text
	var b strings.Builder
	n, from := 0, rune(0)
	check := func(last rune) {
		var cases text.CaseStats
		cases.Add(b.String())
		for w := range cases.Words() {
			if w == "" || !utf8.ValidString(w) {
				t.Errorf("%U to %U: the word %q is counted", from, last, w)
			}
		}
		names := text.Names(b.String(), nil)
		for _, n := range append(names, text.Terms(b.String(), names)...) {
			if n.Key == "" || text.Key(n.Surface) != n.Key {
				t.Errorf("%U to %U: the %d %q has the key %q", from, last, n.Kind, n.Surface, n.Key)
			}
		}
		b.Reset()
		n, from = 0, last+1
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		c := string(r)
		switch {
		// Of long rows of one kind a few characters stand for all in sentences, the
		// others in words, and of the private and unassigned ones a few in all.
		case r < 0x3400 || r%64 < 2 || unicode.In(r, unicode.M, unicode.P, unicode.S, unicode.Z, unicode.N, unicode.Lm):
			b.WriteString("In Hilo, " + c + " means " + c + c + " leaf " + c + "Ada and la" + c + "ie " + c + ".\n\n")
		case unicode.In(r, unicode.L, unicode.Cf, unicode.Cc):
			b.WriteString(c + " " + c + c + " La" + c + "ie\n")
		default:
			continue
		}
		if n++; n == together {
			check(r)
		}
	}
	check(unicode.MaxRune)
}
