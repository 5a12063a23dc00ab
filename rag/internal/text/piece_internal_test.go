package text

import (
	"flag"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/tiktoken-go/tokenizer"
)

var rewrite = flag.Bool("rewrite", false, "write the encoding from the reference implementation")

// piecePattern is the pattern of cl100k_base for one piece, in RE2 syntax and
// with \s spelled out. RE2 has no look-ahead, so the last two rules are one
// here and checkPieces finishes them.
var piecePattern = regexp.MustCompile(`\A(?:(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|` +
	`[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\v\x{85}\p{Z}\p{L}\p{N}]+[\r\n]*|` +
	`[\s\v\x{85}\p{Z}]*[\r\n]+|([\s\v\x{85}\p{Z}]+))`)

// The encoding has every token, and a token for each byte: no text is without
// tokens.
func TestRanks(t *testing.T) {
	ref, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	var lengths, bytes []byte
	want := make([]string, cl100kSize)
	for id := range want {
		if want[id], err = ref.Decode([]uint{uint(id)}); err != nil {
			t.Fatal(err)
		}
		lengths, bytes = append(lengths, byte(len(want[id]))), append(bytes, want[id]...)
	}
	if *rewrite {
		z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("cl100k.zst", z.EncodeAll(append(lengths, bytes...), nil), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	ranks := cl100kRanks()
	for id, token := range want {
		if got, ok := ranks[token]; !ok || got != uint32(id) {
			t.Fatalf("token %q has id %d, want %d", token, got, id)
		}
	}
	if len(ranks) != cl100kSize {
		t.Errorf("%d tokens", len(ranks))
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
