package encoder_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// TestWeightsLast opens folders without weights: one that is a model but for them is told
// from one that is none, so that weights need not be fetched for nothing.
func TestWeightsLast(t *testing.T) {
	for arch, whole := range map[string]bool{"bert": true, "t5": false} {
		m := newMade(nil)
		dir := m.write(t)
		c := m.config()
		c["model_type"] = arch
		b, err := json.Marshal(c)
		if err == nil {
			err = errors.Join(os.WriteFile(filepath.Join(dir, "config.json"), b, 0o666), os.Remove(filepath.Join(dir, "model.safetensors")))
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = encoder.Open(dir, nil)
		if !errors.Is(err, encoder.ErrModel) || errors.Is(err, fs.ErrNotExist) != whole {
			t.Errorf("%s: %v", arch, err)
		}
	}
}

// TestWrongFolders opens folders that are no model, or a model with one thing
// wrong. Each gives one sentence that names the thing.
func TestWrongFolders(t *testing.T) {
	config := func(key string, value any) func(m *made, dir string) {
		return func(m *made, dir string) {
			c := m.config()
			c[key] = value
			b, _ := json.Marshal(c)
			_ = os.WriteFile(filepath.Join(dir, "config.json"), b, 0o666)
		}
	}
	weights := func(change func(map[string]tensor)) func(m *made, dir string) {
		return func(m *made, dir string) {
			change(m.tensors)
			_ = os.WriteFile(filepath.Join(dir, "model.safetensors"), m.safetensors(), 0o666)
		}
	}
	put := func(name, content string) func(m *made, dir string) {
		return func(m *made, dir string) {
			_ = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777)
			_ = os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666)
		}
	}
	remove := func(name string) func(m *made, dir string) {
		return func(m *made, dir string) { _ = os.Remove(filepath.Join(dir, name)) }
	}
	set := func(name string, x float64) func(m *made, dir string) {
		return weights(func(all map[string]tensor) { all[name].v[3] = x })
	}
	const up = "encoder.layer.0.intermediate.dense.weight"
	for name, c := range map[string]struct {
		change func(m *made, dir string)
		want   string
	}{
		"no config":         {remove("config.json"), "it has no config.json"},
		"no weights":        {remove("model.safetensors"), "it has no model.safetensors"},
		"no tokenizer":      {remove("tokenizer.json"), "tokenizer"},
		"config not JSON":   {put("config.json", "{"), "config.json: "},
		"config of strings": {put("config.json", `{"hidden_size":"12"}`), "config.json: "},
		"config too long":   {put("config.json", strings.Repeat(" ", 2<<20)), "more than 1048576 bytes"},
		"config a folder": {func(m *made, dir string) {
			_ = os.Remove(filepath.Join(dir, "config.json"))
			_ = os.Mkdir(filepath.Join(dir, "config.json"), 0o777)
		}, "config.json is not a regular file"},
		"other architecture": {config("model_type", "t5"), `its architecture is "t5"`},
		"no architecture":    {config("model_type", ""), "names no model_type"},
		"decoder":            {config("is_decoder", true), "it is a decoder"},
		"rotary":             {config("position_embedding_type", "rotary"), `its positions are "rotary"`},
		"activation":         {config("hidden_act", "swish"), `its activation is "swish"`},
		"no hidden":          {config("hidden_size", 0), "hidden_size = 0"},
		"huge hidden":        {config("hidden_size", 1<<40), "hidden_size = 1099511627776"},
		"other hidden":       {config("hidden_size", 128), "has the shape [45 64], and [45 128]"},
		"no heads":           {config("num_attention_heads", 0), "num_attention_heads = 0"},
		"odd heads":          {config("num_attention_heads", 3), "do not divide"},
		"many layers":        {config("num_hidden_layers", 1<<30), "num_hidden_layers"},
		"one layer more":     {config("num_hidden_layers", 3), "has no tensor encoder.layer.2."},
		"negative inner":     {config("intermediate_size", -1), "intermediate_size = -1"},
		"vocabulary":         {config("vocab_size", 1<<23), "and [8388608 64] belongs to the config"},
		"positions":          {config("max_position_embeddings", 2), "max_position_embeddings = 2"},
		"epsilon":            {config("layer_norm_eps", -1), "layer_norm_eps = -1"},
		"padding":            {config("pad_token_id", -5), "pad_token_id = -5"},
		"classifier":         {config("architectures", []string{"BertForSequenceClassification"}), "has no tensor classifier.weight"},
		"not a number":       {set(up, math.NaN()), "infinite or none at all"},
		"infinite word":      {set("embeddings.word_embeddings.weight", math.Inf(-1)), "infinite or none at all"},
		"infinite norm":      {set("embeddings.LayerNorm.bias", math.Inf(1)), "infinite or none at all"},
		"huge weights":       {set("encoder.layer.0.output.LayerNorm.weight", 3e38), "lead to infinite numbers"},
		"no tensor":          {weights(func(all map[string]tensor) { delete(all, up) }), "has no tensor " + up},
		"other shape":        {weights(func(all map[string]tensor) { all[up] = tensor{[]int{64, 96}, all[up].v} }), "tensor " + up + " has the shape [64 96]"},
		"flat":               {weights(func(all map[string]tensor) { all[up] = tensor{[]int{64 * 96}, all[up].v} }), "tensor " + up + " has the shape [6144]"},
		"cut weights": {func(m *made, dir string) {
			b := m.safetensors()
			_ = os.WriteFile(filepath.Join(dir, "model.safetensors"), b[:len(b)-1], 0o666)
		}, "the file is cut"},
		"three labels": {func(m *made, dir string) {
			m.labels = 3
			m.draw()
			_ = os.WriteFile(filepath.Join(dir, "model.safetensors"), m.safetensors(), 0o666)
		}, "one label is scored, or two"},
		"small table": {func(m *made, dir string) {
			m.words = 20
			m.draw()
			config("vocab_size", 25)(m, dir)
			weights(func(map[string]tensor) {})(m, dir)
		}, "its tokenizer has 45 tokens and its table 25 rows"},
		"modules":      {put("modules.json", `{"a":1}`), "modules.json: "},
		"module type":  {put("modules.json", `[{"path":"2","type":"sentence_transformers.models.Dense"}]`), `part of type "Dense"`},
		"module path":  {put("modules.json", `[{"path":"../../x","type":"sentence_transformers.models.Pooling"}]`), "names the folder"},
		"pooling":      {func(m *made, dir string) { m.pooling = "max"; pool(m, dir) }, "other than one of mean and cls"},
		"long prompt":  {put("config_sentence_transformers.json", `{"prompts":{"query":"`+strings.Repeat("x", 5000)+`"}}`), "a prompt of more than 4096 bytes"},
		"few tokens":   {put("sentence_bert_config.json", `{"max_seq_length":2}`), "it takes 2 tokens at most"},
		"minus tokens": {put("sentence_bert_config.json", `{"max_seq_length":-9}`), "it takes -9 tokens at most"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMade(nil)
			dir := m.write(t)
			c.change(m, dir)
			x, err := encoder.Open(dir, nil)
			if err == nil {
				defer x.Close()
				_, err = x.Embed(context.Background(), []string{word(3)}, encoder.Passage)
			}
			if !errors.Is(err, encoder.ErrModel) || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	if _, err := encoder.Open(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, encoder.ErrModel) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := encoder.Open(t.TempDir(), &encoder.Options{Pooling: "max"}); err == nil || errors.Is(err, encoder.ErrModel) {
		t.Errorf("an unknown option: %v", err)
	}
}

func pool(m *made, dir string) {
	_ = os.MkdirAll(filepath.Join(dir, "1_Pooling"), 0o777)
	_ = os.WriteFile(filepath.Join(dir, "modules.json"), []byte(`[{"path":"1_Pooling","type":"a.Pooling"}]`), 0o666)
	_ = os.WriteFile(filepath.Join(dir, "1_Pooling/config.json"), fmt.Appendf(nil, `{"pooling_mode_%s_tokens":true}`, m.pooling), 0o666)
}

// FuzzOpen opens a folder whose configuration and weights the fuzzer changes,
// and embeds a text with what opens. Nothing may panic, and Open may not
// allocate more than a small multiple of the files.
func FuzzOpen(f *testing.F) {
	small := func(m *made) { m.hidden, m.heads, m.inner, m.words, m.positions, m.layers = 4, 2, 3, 3, 8, 1 }
	for _, change := range []func(*made){
		small,
		func(m *made) { small(m); m.arch = "mpnet" },
		func(m *made) { small(m); m.labels, m.dtype = 1, "F16" },
		func(m *made) { small(m); m.tags = []string{"O", "B-A"} },
	} {
		m := newMade(change)
		c, err := json.Marshal(m.config())
		if err != nil {
			f.Fatal(err)
		}
		for _, i8 := range []bool{false, true} {
			f.Add(c, m.safetensors(), i8)
		}
	}
	static := newMade(small)
	static.tensors = map[string]tensor{"embeddings": static.tensors["embeddings.word_embeddings.weight"]}
	f.Add([]byte(`{"model_type":"model2vec"}`), static.safetensors(), false)
	m := newMade(func(m *made) { m.words = 3 })
	dir := m.write(f)
	tokens, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, config, tensors []byte, i8 bool) {
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "config.json"), config, 0o666),
			os.WriteFile(filepath.Join(dir, "model.safetensors"), tensors, 0o666)); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := encoder.Open(dir, &encoder.Options{Int8: i8, Threads: 1})
		runtime.ReadMemStats(&after)
		// A matrix of one column is packed to 32.
		size := len(tokens) + len(config) + len(tensors)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20+64*uint64(size) {
			t.Errorf("files of %d bytes make Open allocate %d", size, n)
		}
		if err != nil {
			if !errors.Is(err, encoder.ErrModel) {
				t.Errorf("error %v", err)
			}
			return
		}
		defer m.Close()
		if bytes.Contains(config, []byte("max_position_embeddings")) && m.MaxTokens() > 4096 {
			return
		}
		texts := []string{"wa wb", strings.Repeat("wa ", 50)}
		switch {
		case m.Scores():
			_, err = m.Score(context.Background(), texts[0], texts)
		case m.Types() != nil:
			_, err = m.Tag(context.Background(), texts[1])
		default:
			_, err = m.Embed(context.Background(), texts, encoder.Query)
		}
		if err != nil && !errors.Is(err, encoder.ErrModel) {
			t.Errorf("error %v", err)
		}
	})
}
