package main

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	writeModel(ts, args[0], map[string]any{"model_type": "model2vec", "normalize": true}, vocab, nil,
		map[string]floats{"embeddings": {[]int{len(vocab), dim}, rows}})
}

// floats is a tensor.
type floats struct {
	shape []int
	v     []float32
}

// writeModel writes a model's folder, with a tokenizer that reads the words of a
// vocabulary in small letters. around is the special token at both ends of a text.
func writeModel(ts *testscript.TestScript, dir string, config map[string]any, vocab map[string]int, around map[string]any, tensors map[string]floats) {
	put := func(name string, v any) {
		b, ok := v.([]byte)
		if !ok {
			var err error
			b, err = json.Marshal(v)
			ts.Check(err)
		}
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(dir), name), b, 0o666))
	}
	ts.Check(os.MkdirAll(ts.MkAbs(dir), 0o777))
	put("config.json", config)
	put("tokenizer.json", map[string]any{
		"version": "1.0", "added_tokens": []any{}, "post_processor": around,
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model":         map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	})
	header := map[string]any{}
	var data []byte
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		from := len(data)
		for _, x := range tensors[name].v {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		header[name] = map[string]any{"dtype": "F32", "shape": tensors[name].shape, "data_offsets": []int{from, len(data)}}
	}
	h, err := json.Marshal(header)
	ts.Check(err)
	put("model.safetensors", append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(h))), h...), data...))
}

// taggerModel writes a model for token classification that gives each word its label,
// and every other word O: a BERT whose attention adds nothing.
func taggerModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: taggermodel DIR WORD=LABEL...")
	}
	vocab := map[string]int{"[UNK]": 0, "[CLS]": 1, "[SEP]": 2}
	labels := []string{"O"}
	of := []int{0, 0, 0} // the label of each word
	for _, arg := range args[1:] {
		word, label, ok := strings.Cut(arg, "=")
		if !ok {
			ts.Fatalf("%s is not WORD=LABEL", arg)
		}
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
		vocab[word] = len(vocab)
		of = append(of, slices.Index(labels, label))
	}
	const dim = 16
	if len(labels) > dim {
		ts.Fatalf("more than %d labels", dim)
	}
	tensors := map[string]floats{}
	add := func(name string, shape ...int) []float32 {
		n := 1
		for _, s := range shape {
			n *= s
		}
		tensors[name] = floats{shape, make([]float32, n)}
		return tensors[name].v
	}
	dense := func(name string, out, in int) []float32 {
		add(name+".bias", out)
		return add(name+".weight", out, in)
	}
	norm := func(name string) {
		add(name+".bias", dim)
		for i, v := 0, add(name+".weight", dim); i < dim; i++ {
			v[i] = 1
		}
	}
	words := add("bert.embeddings.word_embeddings.weight", len(vocab), dim)
	for i, l := range of {
		words[i*dim+l] = 1
	}
	add("bert.embeddings.position_embeddings.weight", 64, dim)
	add("bert.embeddings.token_type_embeddings.weight", 2, dim)
	norm("bert.embeddings.LayerNorm")
	const layer = "bert.encoder.layer.0."
	for _, name := range []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense"} {
		dense(layer+name, dim, dim)
	}
	norm(layer + "attention.output.LayerNorm")
	norm(layer + "output.LayerNorm")
	head := dense("classifier", len(labels), dim)
	id2label := map[string]string{}
	for i, l := range labels {
		head[i*dim+i] = 10
		id2label[strconv.Itoa(i)] = l
	}
	writeModel(ts, args[0], map[string]any{
		"model_type": "bert", "architectures": []string{"BertForTokenClassification"}, "hidden_size": dim, "num_attention_heads": 1,
		"num_hidden_layers": 1, "intermediate_size": dim, "max_position_embeddings": 64, "vocab_size": len(vocab), "type_vocab_size": 2,
		"hidden_act": "gelu", "id2label": id2label,
	}, vocab, map[string]any{"type": "BertProcessing", "sep": []any{"[SEP]", 2}, "cls": []any{"[CLS]", 1}}, tensors)
}
