package encoder_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// made is a small model that a test makes: its configuration, and weights drawn
// from a seed.
type made struct {
	arch                                    string // model_type
	hidden, heads, layers, inner, positions int
	words                                   int // of the vocabulary, behind five special tokens
	types                                   int
	act                                     string
	labels                                  int      // of the classification head, 0 for none
	tags                                    []string // labels of the head that tags words, nil for none
	suffixes                                int      // words of the vocabulary that go on with another one
	dtype                                   string   // of the tensors
	prefix                                  string
	pooling                                 string // written to 1_Pooling, "" for no modules.json
	prompts                                 map[string]string

	tensors map[string]tensor
}

// tensor has the values that the file holds, after rounding to its type.
type tensor struct {
	shape []int
	v     []float64
}

func newMade(change func(*made)) *made {
	m := &made{
		arch: "bert", hidden: 64, heads: 2, layers: 2, inner: 96, positions: 70, words: 40, types: 2,
		act: "gelu", dtype: "F32",
	}
	if change != nil {
		change(m)
	}
	m.draw()
	return m
}

// first is the number of the position of the first token.
func (m *made) first() int {
	if m.arch == "bert" {
		return 0
	}
	return 2
}

func (m *made) draw() {
	m.tensors = map[string]tensor{}
	rng := rand.New(rand.NewPCG(uint64(m.hidden), uint64(m.layers)))
	add := func(name string, mean, spread float64, shape ...int) {
		n := 1
		for _, s := range shape {
			n *= s
		}
		v := make([]float64, n)
		for i := range v {
			v[i] = m.round(mean + spread*rng.NormFloat64())
		}
		m.tensors[name] = tensor{shape, v}
	}
	dense := func(name string, out, in int) {
		add(name+".weight", 0, 1.5/math.Sqrt(float64(in)), out, in)
		add(name+".bias", 0, .3, out)
	}
	norm := func(name string) {
		add(name+".weight", 1, .2, m.hidden)
		add(name+".bias", 0, .2, m.hidden)
	}
	p := m.prefix
	add(p+"embeddings.word_embeddings.weight", 0, 1, m.words+5, m.hidden)
	add(p+"embeddings.position_embeddings.weight", 0, .5, m.positions, m.hidden)
	if m.arch != "mpnet" {
		add(p+"embeddings.token_type_embeddings.weight", 0, .5, m.types, m.hidden)
	} else {
		add(p+"encoder.relative_attention_bias.weight", 0, 1, 32, m.heads)
	}
	norm(p + "embeddings.LayerNorm")
	for l := range m.layers {
		n := layerNames(m.arch, p, l)
		for _, name := range n[:4] {
			dense(name, m.hidden, m.hidden)
		}
		norm(n[4])
		dense(n[5], m.inner, m.hidden)
		dense(n[6], m.hidden, m.inner)
		norm(n[7])
	}
	switch {
	case m.tags != nil:
		dense("classifier", len(m.tags), m.hidden)
	case m.labels > 0 && m.arch == "bert":
		dense(p+"pooler.dense", m.hidden, m.hidden)
		dense("classifier", m.labels, m.hidden)
	case m.labels > 0:
		dense("classifier.dense", m.hidden, m.hidden)
		dense("classifier.out_proj", m.labels, m.hidden)
	}
}

// layerNames are query, key, value, output, its norm, the two dense layers and
// their norm, as the libraries of the models name them.
func layerNames(arch, prefix string, l int) [8]string {
	p := fmt.Sprintf("%sencoder.layer.%d.", prefix, l)
	if arch == "mpnet" {
		return [8]string{
			p + "attention.attn.q", p + "attention.attn.k", p + "attention.attn.v", p + "attention.attn.o",
			p + "attention.LayerNorm", p + "intermediate.dense", p + "output.dense", p + "output.LayerNorm",
		}
	}
	return [8]string{
		p + "attention.self.query", p + "attention.self.key", p + "attention.self.value", p + "attention.output.dense",
		p + "attention.output.LayerNorm", p + "intermediate.dense", p + "output.dense", p + "output.LayerNorm",
	}
}

// round is the nearest value of the type, by the bits alone.
func (m *made) round(x float64) float64 {
	f := math.Float32bits(float32(x))
	switch m.dtype {
	case "BF16":
		return float64(math.Float32frombits(f & 0xffff0000))
	case "F16":
		if math.Abs(x) < 0x1p-14 { // below the normal numbers
			return 0
		}
		return float64(math.Float32frombits(f & 0xffffe000))
	}
	return float64(math.Float32frombits(f))
}

func (m *made) bytes(v []float64) []byte {
	var b []byte
	for _, x := range v {
		f := math.Float32bits(float32(x))
		switch m.dtype {
		case "F32":
			b = binary.LittleEndian.AppendUint32(b, f)
		case "BF16":
			b = binary.LittleEndian.AppendUint16(b, uint16(f>>16))
		case "F16":
			h := uint16(f>>16)&0x8000 | uint16((f&0x7fffffff)>>13-(127-15)<<10)
			if f&0x7fffffff < (127-14)<<23 {
				h = 0
			}
			b = binary.LittleEndian.AppendUint16(b, h)
		}
	}
	return b
}

// safetensors is the file of the tensors.
func (m *made) safetensors() []byte {
	type entry struct {
		Type    string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header := map[string]entry{}
	var data []byte
	for _, name := range slices.Sorted(maps.Keys(m.tensors)) {
		t := m.tensors[name]
		from := len(data)
		data = append(data, m.bytes(t.v)...)
		header[name] = entry{m.dtype, t.shape, [2]int{from, len(data)}}
	}
	h, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	for len(h)%8 != 0 {
		h = append(h, ' ')
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(h))), h...), data...)
}

func (m *made) config() map[string]any {
	c := map[string]any{
		"model_type": m.arch, "hidden_size": m.hidden, "num_attention_heads": m.heads,
		"num_hidden_layers": m.layers, "intermediate_size": m.inner, "max_position_embeddings": m.positions,
		"vocab_size": m.words + 5, "type_vocab_size": m.types, "layer_norm_eps": 1e-12, "hidden_act": m.act,
		"pad_token_id": 0,
	}
	if m.arch != "bert" {
		c["pad_token_id"] = 1
	}
	if m.tags != nil {
		names := map[string]string{}
		for i, tag := range m.tags {
			names[strconv.Itoa(i)] = tag
		}
		c["id2label"], c["architectures"] = names, []string{"XForTokenClassification"}
	}
	return c
}

// special are the numbers of the tokens at the start, the end and for unknown
// words. They have the places that the real models give them.
func (m *made) special() (start, end, unknown int) {
	if m.arch == "bert" {
		return 2, 3, 1
	}
	return 0, 2, 3
}

func (m *made) tokenizer() map[string]any {
	names := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	if m.arch != "bert" {
		names = []string{"<s>", "<pad>", "</s>", "<unk>", "<mask>"}
	}
	start, end, unknown := m.special()
	vocab := map[string]int{}
	var added []any
	for i, n := range names {
		vocab[n] = i
		added = append(added, map[string]any{"id": i, "content": n, "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false})
	}
	for i := range m.words {
		name := word(i)
		if i >= m.words-m.suffixes {
			name = "##" + name
		}
		vocab[name] = i + 5
	}
	token := func(id, kind int) any {
		return map[string]any{"SpecialToken": map[string]any{"id": names[id], "type_id": kind}}
	}
	text := func(id string, kind int) any {
		return map[string]any{"Sequence": map[string]any{"id": id, "type_id": kind}}
	}
	pair := []any{token(start, 0), text("A", 0), token(end, 0), text("B", 1), token(end, 1)}
	if m.arch != "bert" {
		pair = []any{token(start, 0), text("A", 0), token(end, 0), token(end, 0), text("B", 0), token(end, 0)}
	}
	specials := map[string]any{}
	for _, id := range []int{start, end} {
		specials[names[id]] = map[string]any{"id": names[id], "ids": []int{id}, "tokens": []string{names[id]}}
	}
	return map[string]any{
		"version": "1.0", "added_tokens": added,
		"normalizer":     map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer":  map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "TemplateProcessing", "single": []any{token(start, 0), text("A", 0), token(end, 0)}, "pair": pair, "special_tokens": specials},
		"model":          map[string]any{"type": "WordPiece", "unk_token": names[unknown], "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	}
}

func word(i int) string { return "w" + string(rune('a'+i%26)) + string(rune('a'+i/26)) }

// write writes the model to a folder of its own.
func (m *made) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, v any) {
		b, ok := v.([]byte)
		if !ok {
			var err error
			if b, err = json.Marshal(v); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("config.json", m.config())
	put("tokenizer.json", m.tokenizer())
	put("model.safetensors", m.safetensors())
	if m.pooling != "" {
		put("modules.json", []any{
			map[string]any{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
			map[string]any{"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
			map[string]any{"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
		})
		put("1_Pooling/config.json", map[string]any{"pooling_mode_cls_token": m.pooling == "cls", "pooling_mode_mean_tokens": m.pooling == "mean"})
	}
	if m.prompts != nil {
		put("config_sentence_transformers.json", map[string]any{"prompts": m.prompts})
	}
	return dir
}

// text writes words of the vocabulary, and ids are their numbers without special
// ones.
func randomText(rng *rand.Rand, m *made, n int) (text string, ids []int) {
	var s []string
	for range n {
		w := rng.IntN(m.words)
		s, ids = append(s, word(w)), append(ids, w+5)
	}
	return strings.Join(s, " "), ids
}
