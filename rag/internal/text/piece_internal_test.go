package text

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// piecePattern is the pattern of cl100k_base for one piece, in RE2 syntax and
// with \s spelled out. RE2 has no look-ahead, so the last two rules are one
// here and checkPieces finishes them.
var piecePattern = regexp.MustCompile(`\A(?:(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|` +
	`[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\v\x{85}\p{Z}\p{L}\p{N}]+[\r\n]*|` +
	`[\s\v\x{85}\p{Z}]*[\r\n]+|([\s\v\x{85}\p{Z}]+))`)

// The encoding has every token, and a token for each byte: no text is without
// tokens.
func TestRanksAreWhole(t *testing.T) {
	ranks := cl100kRanks()
	ids := make([]bool, cl100kSize)
	for _, id := range ranks {
		ids[id] = true
	}
	if i := slices.Index(ids, false); i >= 0 || len(ranks) != cl100kSize {
		t.Errorf("%d tokens, and none with id %d", len(ranks), i)
	}
	for b := range 256 {
		if _, ok := ranks[string([]byte{byte(b)})]; !ok {
			t.Errorf("no token for byte %#x", b)
		}
	}
}

func checkPieces(t *testing.T, s string) {
	t.Helper()
	for i := 0; i < len(s); {
		m := piecePattern.FindStringSubmatchIndex(s[i:])
		if m == nil {
			t.Fatalf("%q: the pattern matches nothing at %d", s, i)
		}
		want := i + m[1]
		if blanks := m[2] >= 0; blanks && want < len(s) && utf8.RuneCountInString(s[i:want]) > 1 {
			_, n := utf8.DecodeLastRuneInString(s[i:want])
			want -= n
		}
		if got := nextPiece(s, i); got != want {
			t.Fatalf("%q: piece %q at %d, want %q", s, s[i:got], i, s[i:want])
		}
		i = want
	}
}

func TestPieces(t *testing.T) {
	const seed = 11
	rnd := rand.New(rand.NewPCG(seed, seed))
	units := []string{"a", "Be", "s", "'s", "'LL", "'re", "'V", "'", "1", "23", "½", " ", "\t", "\v", "\n", "\r",
		"\u3000", "\u0085", "\u2028", ".", "_", "数", "e\u0301", "ſ", "🙂", "Ж", "\u200b", "٣", "\x7f"}
	for range 20000 {
		var b strings.Builder
		for range 1 + rnd.IntN(10) {
			b.WriteString(units[rnd.IntN(len(units))])
		}
		checkPieces(t, b.String())
	}
}

func FuzzPieces(f *testing.F) {
	for _, s := range []string{"", "I'm 12345\r\n \r\n  x", "  \u3000é", "'ſ 'S", "\n\t\n!\n "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) {
			checkPieces(t, s)
		}
	})
}
