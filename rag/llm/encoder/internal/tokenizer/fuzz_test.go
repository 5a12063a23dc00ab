package tokenizer_test

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/tokenizer"
)

// Any file gives a tokenizer that works or one clear error, without a panic and
// without memory much beyond the file's size.
func FuzzLoad(f *testing.F) {
	for _, d := range []definition{bert(true), bert(false), unigramDefinition()} {
		f.Add(d.bytes(), true)
	}
	for _, s := range []string{
		`{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"],"byte_fallback":true},"pre_tokenizer":{"type":"ByteLevel"}}`,
		`{"model":{"vocab":{"[UNK]":4294967295}}}`,
		`{"model":{"type":"WordPiece","vocab":{"":0,"[UNK]":1},"continuing_subword_prefix":""},"added_tokens":[{"content":"\u0000"},{"content":""}]}`,
		`{"model":{"type":"Unigram","unk_id":0,"vocab":[["a",-0.1e-400],["b",1e308]]},"normalizer":{"type":"Sequence","normalizers":[{"type":"Replace","pattern":{"Regex":"a*"},"content":"aaaaaaaa"},{"type":"Prepend","prepend":"x"}]}}`,
		`{"model":{"vocab":{"[UNK]":0}},"normalizer":{"type":"Precompiled","precompiled_charsmap":"CAAAAAAEAAAAAAAAYQBi"},"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(?i:'s)|\\s+(?!\\S)|\\s+"},"behavior":"MergedWithNext","invert":true}}`,
	} {
		f.Add([]byte(s), true)
	}
	f.Add([]byte(strings.Join(bertPieces, "\n")), false)
	f.Fuzz(func(t *testing.T, data []byte, isJSON bool) {
		name := "vocab.txt"
		if isJSON {
			name = "tokenizer.json"
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tok, err := tokenizer.Load(fstest.MapFS{name: {Data: data}})
		runtime.ReadMemStats(&after)
		if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(2<<20+100*len(data)); got > limit {
			t.Errorf("%d bytes were allocated for a file of %d", got, len(data))
		}
		if err != nil {
			if !errors.Is(err, tokenizer.ErrInvalid) && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the error is of no known sort: %v", err)
			}
			if s := err.Error(); strings.Contains(s, "\n") || len(s) > 400 {
				t.Errorf("the error is not one sentence: %q", s)
			}
			return
		}
		for _, text := range []string{"", "a", "Ferry lighthouse tide \u0301\xff", strings.Repeat("ab ", 50)} {
			for _, id := range tok.Encode(text, 16) {
				if id < 0 || int(id) >= tok.VocabSize() {
					t.Errorf("token %d of %d", id, tok.VocabSize())
				}
			}
			tok.EncodePair(text, "a b", 9)
		}
	})
}
