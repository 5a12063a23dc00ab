package tokenizer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ragdb/ragdb/internal/growthtest"
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/tokenizer"
)

// randomText makes words of a few letters, pieces of special tokens and odd
// characters.
func randomText(rnd *rand.Rand, size int) string {
	parts := []string{
		"ferry", "light", "house", "s", "tide", "ti", "de", " ", " ", "  ", "\n", "!", "-", "[MASK]", "[SEP]", "</s>", "港", "灯",
		"ü", "u\u0308", "\u0323\u0301", "İ", "\x00", "\u200b", "\ufffd", "\xff", "\xed\xa0\x80", "😀", "👨\u200d👩", "\U0010ffff", "q", "cove",
	}
	var b strings.Builder
	for range rnd.IntN(size) + 1 {
		b.WriteString(parts[rnd.IntN(len(parts))])
	}
	return b.String()
}

// all returns one tokenizer of each sort.
func all(t testing.TB) map[string]*tokenizer.Tokenizer {
	bytes := unigramDefinition()
	bytes.Normalizer = object{"type": "Sequence", "normalizers": []any{object{"type": "NFKD"}, object{"type": "Lowercase"}}}
	bytes.PreTokenizer = object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false}
	bpe := definition{
		Normalizer:   object{"type": "NFC"},
		PreTokenizer: object{"type": "ByteLevel"},
		Model:        object{"type": "BPE", "vocab": ids("Ġ", "f", "e", "r", "y", "fe", "rr", "ferr"), "merges": []any{"f e", "r r", "fe rr"}},
	}
	return map[string]*tokenizer.Tokenizer{
		"bert": bert(true).load(t), "cased": bert(false).load(t), "unigram": unigramDefinition().load(t),
		"whole": bytes.load(t), "bpe": bpe.load(t),
	}
}

// A limit keeps the beginning of the text's tokens, and never more than it says.
func TestLimitKeepsBeginning(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	for name, tok := range all(t) {
		special := len(tok.Encode("", 0))
		for range 300 {
			text := randomText(rnd, 40)
			whole := tok.EncodePlain(text, 0)
			n := 1 + rnd.IntN(20)
			if got, want := tok.EncodePlain(text, n), whole[:min(n, len(whole))]; !slices.Equal(got, want) {
				t.Fatalf("%s, %q, at most %d: got %v, want %v", name, text, n, got, want)
			}
			got := tok.Encode(text, n)
			if want := min(n, special+min(len(whole), max(n-special, 0))); len(got) != want {
				t.Fatalf("%s, %q, at most %d: %d tokens, want %d", name, text, n, len(got), want)
			}
			ids, types := tok.EncodePair(text, randomText(rnd, 40), n)
			if len(ids) > n || len(types) != len(ids) {
				t.Fatalf("%s, %q, at most %d: %d tokens, %d types", name, text, n, len(ids), len(types))
			}
			for _, id := range append(ids, got...) {
				if id < 0 || int(id) >= tok.VocabSize() {
					t.Fatalf("%s, %q: token %d", name, text, id)
				}
			}
		}
	}
}

// The pieces of a text that has no unknown part make up that text.
func TestPiecesCoverText(t *testing.T) {
	t.Parallel()
	tok := unigramDefinition().load(t)
	rnd := rand.New(rand.NewPCG(2, 2))
	for range 500 {
		var words []string
		for range rnd.IntN(5) + 1 {
			words = append(words, []string{"tide", "tides", "x", "de", "s", "ed", "dee", "xtide"}[rnd.IntN(8)])
		}
		text := strings.Join(words, " ")
		var b strings.Builder
		unknown := false
		for _, id := range tok.EncodePlain(text, 0) {
			b.WriteString(unigramPieces[id])
			unknown = unknown || id == tok.UnknownID()
		}
		if got := strings.ReplaceAll(b.String(), "▁", " "); !unknown && got != " "+text {
			t.Fatalf("%q came back as %q", text, got)
		}
	}
}

// Calls at the same time and in any order return the same tokens.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	for name, tok := range all(t) {
		rnd := rand.New(rand.NewPCG(3, 3))
		var texts []string
		var want [][]int32
		for range 50 {
			text := randomText(rnd, 60)
			texts, want = append(texts, text), append(want, tok.Encode(text, 0))
		}
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for i := range texts {
					i = (i*7 + w*13) % len(texts)
					if got := tok.Encode(texts[i], 0); !slices.Equal(got, want[i]) {
						t.Errorf("%s, %q: got %v, want %v", name, texts[i], got, want[i])
					}
				}
			})
		}
		wg.Wait()
	}
}

// A call allocates its result and nothing else.
func TestAllocations(t *testing.T) {
	text := strings.Repeat("Ferry lighthouses! ÜBER u\u0308ber 港灯 tide tides ", 10)
	for name, tok := range all(t) {
		if name == "bpe" {
			continue // Go's regular expressions allocate
		}
		tok.Encode(text, 0)
		if n := testing.AllocsPerRun(20, func() { tok.Encode(text, 0) }); n > 2 {
			t.Errorf("%s: %.0f allocations a call", name, n)
		}
	}
}

// Time grows with the length of a text, not with its square, also for texts and
// models that were made to be slow.
func TestLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads long texts")
	}
	run := strings.Repeat("a", 1000)
	slow := bert(true)
	slow.Model["max_input_chars_per_word"] = 1 << 30
	slow.Model["vocab"] = object{"[UNK]": 0, run + "b": 1, "a": 2, "##" + run[:500] + "b": 3, "##a": 4}
	slow.Added = []map[string]any{{"content": run + "c", "normalized": true}, {"content": run + "d", "lstrip": true}, {"content": "- -", "lstrip": true, "single_word": true}}
	slow.PostProcessor = nil
	uni := unigramDefinition()
	uni.Model["vocab"] = [][]any{{"<s>", 0}, {"<unk>", 0}, {"</s>", 0}, {run, -1}, {"a", -1}, {run[:999], -1}}
	uni.PreTokenizer = nil
	uni.Normalizer = object{"type": "Sequence", "normalizers": []any{object{"type": "NFC"}, object{"type": "Replace", "pattern": object{"String": "aab"}, "content": "x"}}}
	bpe := definition{
		PreTokenizer: object{"type": "ByteLevel"},
		Model:        object{"type": "BPE", "vocab": ids("Ġ", "a", "aa", "aaaa", "aaaaaaaa"), "merges": []any{"a a", "aa aa", "aaaa aaaa"}},
	}
	for name, tok := range map[string]*tokenizer.Tokenizer{"wordpiece": slow.load(t), "unigram": uni.load(t), "bpe": bpe.load(t)} {
		for _, unit := range []string{"a", " ", "- -", "\u0301\u0323", "aab", "\u1100\u1161", "\xff"} {
			t.Run(fmt.Sprintf("%s, %q", name, unit), func(t *testing.T) {
				growthtest.Check(t, growthtest.Sizes{From: 4_000, To: 64_000}, func(n int) time.Duration {
					text := strings.Repeat(unit, n/len(unit))
					return growthtest.Cost(func() { tok.Encode(text, 0) })
				})
			})
		}
	}
}

// Every text gives valid tokens, and a text that is not UTF-8 those of the text
// with U+FFFD.
func FuzzEncode(f *testing.F) {
	rnd := rand.New(rand.NewPCG(4, 4))
	for range 20 {
		f.Add(randomText(rnd, 30), randomText(rnd, 5), 8)
	}
	toks := all(f)
	f.Fuzz(func(t *testing.T, a, b string, n int) {
		var valid strings.Builder
		for _, r := range a {
			valid.WriteRune(r)
		}
		for name, tok := range toks {
			whole := tok.Encode(a, 0)
			for _, id := range whole {
				if id < 0 || int(id) >= tok.VocabSize() {
					t.Fatalf("%s: token %d", name, id)
				}
			}
			if !utf8.ValidString(a) && !slices.Equal(whole, tok.Encode(valid.String(), 0)) {
				t.Fatalf("%s: the tokens of %q differ from those of %q", name, a, valid.String())
			}
			ids, types := tok.EncodePair(a, b, n)
			if len(ids) != len(types) || n > 0 && len(ids) > n {
				t.Fatalf("%s: at most %d: %d tokens, %d types", name, n, len(ids), len(types))
			}
		}
	})
}
