package main

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// staticModel writes a static table of vectors to a folder: a random vector for
// each word, and for word=word the same for both.
func staticModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: staticmodel DIR WORD[=WORD]...")
	}
	const dim = 32
	vocab := map[string]int{"[UNK]": 0}
	rows := make([]float32, dim)
	for _, arg := range args[1:] {
		h := fnv.New64a()
		_, err := h.Write([]byte(arg))
		ts.Check(err)
		for _, w := range strings.Split(arg, "=") {
			r := rand.New(rand.NewPCG(h.Sum64(), 1))
			vocab[w] = len(vocab)
			for range dim {
				rows = append(rows, float32(r.NormFloat64()))
			}
		}
	}
	put := func(name string, v any) {
		b, ok := v.([]byte)
		if !ok {
			var err error
			b, err = json.Marshal(v)
			ts.Check(err)
		}
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), name), b, 0o666))
	}
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o777))
	put("config.json", map[string]any{"model_type": "model2vec", "normalize": true})
	put("tokenizer.json", map[string]any{
		"version": "1.0", "added_tokens": []any{},
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model":         map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	})
	header, err := json.Marshal(map[string]any{"embeddings": map[string]any{"dtype": "F32", "shape": []int{len(vocab), dim}, "data_offsets": []int{0, 4 * len(rows)}}})
	ts.Check(err)
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	out = append(out, header...)
	for _, x := range rows {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	put("model.safetensors", out)
}
