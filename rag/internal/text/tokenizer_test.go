package text_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag/internal/text"
)

var cl100k = sync.OnceValue(text.NewCL100K)

func newTokenizer(tb testing.TB) *text.Tokenizer {
	tb.Helper()
	return cl100k()
}

// record is a passage of the evaluation data.
type record struct {
	ID, Title, Text string
}

// full returns the text that is indexed: the title, a line break, the text.
func (r record) full() string {
	if r.Title == "" {
		return r.Text
	}
	return r.Title + "\n" + r.Text
}

// musique returns the KET-RAG corpus as the one file the paper indexes.
func musique(tb testing.TB) string {
	tb.Helper()
	var lines []string
	for _, r := range evaldata.Lines[record](tb, "ketrag_musique/corpus.jsonl.gz") {
		lines = append(lines, r.Text)
	}
	return strings.Join(lines, "\n")
}

func TestEncode(t *testing.T) {
	tok := newTokenizer(t)
	for _, c := range []struct {
		name, in string
		want     []uint32
	}{
		{"empty", "", []uint32{}},
		{"words", "hello world", []uint32{15339, 1917}},
		{"end of text is plain text", "<|endoftext|>", []uint32{27, 91, 8862, 728, 428, 91, 29}},
		{"not utf-8", "\xff", []uint32{5809}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tok.Encode(c.in); !slices.Equal(got, c.want) {
				t.Errorf("Encode(%q) = %d, want %d", c.in, got, c.want)
			}
		})
	}
}

// misread matches what the library reads unlike its own pattern: it splits a
// blank line that holds blanks, and it drops U+007F. TestPieces covers these.
var misread = regexp.MustCompile(`[\r\n][\t\v\f\x{85}\p{Z}]+[\r\n]|\x7f`)

// checkTokens compares with the library's own, slower encoder.
func checkTokens(t *testing.T, tok *text.Tokenizer, ref tokenizer.Codec, s string) {
	t.Helper()
	got, ends := tok.Encode(s), tok.Ends(s)
	if len(ends) != len(got) || tok.Count(s) != len(got) {
		t.Fatalf("%q: %d ids, %d ends, count %d", s, len(got), len(ends), tok.Count(s))
	}
	if !slices.IsSorted(ends) || len(s) > 0 && ends[len(ends)-1] != len(s) {
		t.Fatalf("%q: ends %d", s, ends)
	}
	if !utf8.ValidString(s) || misread.MatchString(s) {
		return
	}
	ids, parts, err := ref.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	start := 0
	for i, id := range ids {
		if i >= len(got) || got[i] != uint32(id) || s[start:ends[i]] != parts[i] {
			t.Fatalf("%q: ids %d, ends %d; want %d", s, got, ends, ids)
		}
		start = ends[i]
	}
	if len(got) != len(ids) {
		t.Fatalf("%q: ids %d, want %d", s, got, ids)
	}
}

func TestTokensAgainstLibrary(t *testing.T) {
	tok := newTokenizer(t)
	ref, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	const seed = 7
	rnd := rand.New(rand.NewPCG(seed, seed))
	units := []string{"a", "Be", "'s", "'LL", "'re", "'", "12", "3", "½", " ", "  ", "\t", "\n", "\r\n",
		"\u3000", "\u00a0", "\u2028", ".", "...", "-", "_", "数据", "库", "é", "e\u0301", "ſ", "K", "🙂", "ß", "Ж",
		"<|", "|>", "!\n", "internationalization", "Überraschung", "\u200b", "𝒳", "٣"}
	for range 4000 {
		var b strings.Builder
		for range 1 + rnd.IntN(12) {
			b.WriteString(units[rnd.IntN(len(units))])
		}
		checkTokens(t, tok, ref, b.String())
	}
}

// A megabyte of hostile input must end at once; quadratic work would run into
// the test's time limit.
func TestTokensHostile(t *testing.T) {
	tok := newTokenizer(t)
	for name, s := range map[string]string{
		"one letter":         strings.Repeat("a", 1<<20),
		"blanks":             strings.Repeat(" ", 1<<20) + "x",
		"blanks and returns": strings.Repeat(" \n", 1<<19) + strings.Repeat(" ", 1<<19),
		"punctuation":        strings.Repeat("!?", 1<<19),
		"not utf-8":          strings.Repeat("\xff\xe6", 1<<18),
		"han":                strings.Repeat("数", 1<<18),
		"quotes":             strings.Repeat("'", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			ends := tok.Ends(s)
			if len(ends) == 0 || len(ends) > len(s) || ends[len(ends)-1] != len(s) {
				t.Errorf("%d tokens of %d bytes", len(ends), len(s))
			}
		})
	}
}

// The token count that the KET-RAG paper states for its MuSiQue corpus.
func TestTokensMusique(t *testing.T) {
	if got, want := newTokenizer(t).Count(musique(t)), 751_784; got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "I'm 12345\r\n\r\n  x", "\xff数\xe6\x95", "  \u3000é", "'ſ 'S", "\xf0\x9f"} {
		f.Add(s)
	}
	tok := newTokenizer(f)
	ref, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) { checkTokens(t, tok, ref, s) })
}

func BenchmarkCount(b *testing.B) {
	tok := newTokenizer(b)
	for _, c := range []struct{ name, unit string }{
		{"english", "The Journal of Mathematical Physics is a peer-reviewed journal published monthly by the American Institute of Physics; its editor is Jan Philip Solovej (2018).\n"},
		{"chinese", "游戏开始时矿车为损坏状态，无法搭乘。"},
		{"one letter", "aaaaaaaaaaaaaaaa"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := strings.Repeat(c.unit, 1<<17/len(c.unit))
			n := 0
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				n = tok.Count(s)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

// A tokenizer costs next to nothing until it is used: opening a corpus makes
// one, also for a caller that counts no tokens.
func TestNewCL100KIsCheap(t *testing.T) {
	if n := testing.AllocsPerRun(10, func() {
		text.NewCL100K()
	}); n > 10 {
		t.Errorf("%v allocations", n)
	}
}
