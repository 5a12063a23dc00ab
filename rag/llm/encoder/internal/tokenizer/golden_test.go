package tokenizer_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/tokenizer"
)

// definition is a tokenizer.json of a test.
type definition struct {
	Added         []map[string]any `json:"added_tokens"`
	Normalizer    any              `json:"normalizer"`
	PreTokenizer  any              `json:"pre_tokenizer"`
	PostProcessor any              `json:"post_processor"`
	Model         map[string]any   `json:"model"`
}

type object = map[string]any

func (d definition) bytes() []byte {
	raw, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return raw
}

func (d definition) load(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.Load(fstest.MapFS{"tokenizer.json": {Data: d.bytes()}})
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// ids gives each piece its place in the list as its number.
func ids(pieces ...string) object {
	m := object{}
	for i, p := range pieces {
		m[p] = i
	}
	return m
}

// names writes the numbers as pieces.
func names(pieces []string, ids []int32) string {
	var out []string
	for _, id := range ids {
		out = append(out, pieces[id])
	}
	return strings.Join(out, " ")
}

var bertPieces = []string{
	"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "harbour", "light", "##house", "##s", "ferry", "!", "über", "uber",
	"Ferry", "港", "##灯", "灯", "-", "i", "##\u0307", "naive", "##r",
	"ö", "##ö",
}

func bert(lower bool) definition {
	return definition{
		Added: []map[string]any{
			{"content": "[CLS]", "special": true}, {"content": "[SEP]", "special": true},
			{"content": "[MASK]", "special": true, "lstrip": true},
		},
		Normalizer:    object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": lower},
		PreTokenizer:  object{"type": "BertPreTokenizer"},
		PostProcessor: object{"type": "BertProcessing", "sep": []any{"[SEP]", 3}, "cls": []any{"[CLS]", 2}},
		Model: object{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 12, "vocab": ids(bertPieces...),
		},
	}
}

func TestWordPiece(t *testing.T) {
	t.Parallel()
	lower, cased := bert(true).load(t), bert(false).load(t)
	for _, c := range []struct{ text, lower, cased string }{
		{"", "[CLS] [SEP]", "[CLS] [SEP]"},
		{"Ferry light", "[CLS] ferry light [SEP]", "[CLS] Ferry light [SEP]"},
		{"lighthouses!", "[CLS] light ##house ##s ! [SEP]", "[CLS] light ##house ##s ! [SEP]"},
		{"Über u\u0308ber", "[CLS] uber uber [SEP]", "[CLS] [UNK] [UNK] [SEP]"},
		{"港灯", "[CLS] 港 灯 [SEP]", "[CLS] 港 灯 [SEP]"},
		{"fer\x00ry\u200b\tlight\u3000ferry", "[CLS] ferry light ferry [SEP]", "[CLS] ferry light ferry [SEP]"},
		{"İ", "[CLS] i [SEP]", "[CLS] [UNK] [SEP]"},
		{"lightx", "[CLS] [UNK] [SEP]", "[CLS] [UNK] [SEP]"},
		{"lightsssssss", "[CLS] light ##s ##s ##s ##s ##s ##s ##s [SEP]", "[CLS] light ##s ##s ##s ##s ##s ##s ##s [SEP]"},
		{"lightssssssss", "[CLS] [UNK] [SEP]", "[CLS] [UNK] [SEP]"}, // 13 characters
		{strings.Repeat("ö", 12), "[CLS] [UNK] [SEP]", "[CLS] ö" + strings.Repeat(" ##ö", 11) + " [SEP]"},
		{strings.Repeat("ö", 13), "[CLS] [UNK] [SEP]", "[CLS] [UNK] [SEP]"},
		{"a  [MASK] ferry", "[CLS] [UNK] [MASK] ferry [SEP]", "[CLS] [UNK] [MASK] ferry [SEP]"},
		{"light\xffhouse", "[CLS] light ##house [SEP]", "[CLS] light ##house [SEP]"}, // U+FFFD is dropped
		{"ferry-light", "[CLS] ferry - light [SEP]", "[CLS] ferry - light [SEP]"},
		{"ferr\u00adry", "[CLS] [UNK] [SEP]", "[CLS] [UNK] [SEP]"},
		{"na\u00efve", "[CLS] naive [SEP]", "[CLS] [UNK] [SEP]"},
	} {
		if got := names(bertPieces, lower.Encode(c.text, 0)); got != c.lower {
			t.Errorf("lower %q: got %s, want %s", c.text, got, c.lower)
		}
		if got := names(bertPieces, cased.Encode(c.text, 0)); got != c.cased {
			t.Errorf("cased %q: got %s, want %s", c.text, got, c.cased)
		}
	}
	if n := lower.VocabSize(); n != len(bertPieces) {
		t.Errorf("VocabSize is %d", n)
	}
	if lower.UnknownID() != 1 {
		t.Errorf("UnknownID is %d", lower.UnknownID())
	}
}

// A directory with vocab.txt alone gives the same tokens.
func TestVocabTxt(t *testing.T) {
	t.Parallel()
	vocab := &fstest.MapFile{Data: []byte(strings.Join(bertPieces, "\n") + "\n")}
	for _, lower := range []bool{true, false} {
		fsys := fstest.MapFS{"vocab.txt": vocab}
		if !lower {
			fsys["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"do_lower_case": false, "cls_token": {"content": "[CLS]"}}`)}
		}
		tok, err := tokenizer.Load(fsys)
		if err != nil {
			t.Fatal(err)
		}
		want := bert(lower).load(t)
		for _, text := range []string{"Ferry Über 港灯 lighthouses", "x [MASK] [SEP]", "naïve"} {
			if got, want := tok.Encode(text, 0), want.Encode(text, 0); !slices.Equal(got, want) {
				t.Errorf("lower %v, %q: got %v, want %v", lower, text, got, want)
			}
		}
	}
}

func TestTruncation(t *testing.T) {
	t.Parallel()
	tok := bert(true).load(t)
	long, short := strings.Repeat("ferry ", 20), "light light"
	for _, c := range []struct {
		a, b string
		max  int
		want string
	}{
		{long, "", 5, "ferry ferry ferry |"},
		{short, long, 9, "light light | ferry ferry ferry ferry"},
		{long, short, 9, "ferry ferry ferry ferry | light light"},
		{long, long, 8, "ferry ferry | ferry ferry ferry"},
		{long, long + long, 8, "ferry ferry | ferry ferry ferry"},
		{long + long, long, 8, "ferry ferry ferry | ferry ferry"},
		{long, long, 3, " | "},
		{long, long, 2, ""},
	} {
		if c.b == "" {
			if got := names(bertPieces, tok.Encode(c.a, c.max)); got != "[CLS] ferry ferry ferry [SEP]" {
				t.Errorf("got %s", got)
			}
			continue
		}
		got, types := tok.EncodePair(c.a, c.b, c.max)
		if len(got) > c.max || len(types) != len(got) {
			t.Errorf("at most %d: %d tokens, %d types", c.max, len(got), len(types))
		}
		if c.want == "" {
			continue
		}
		a, b, _ := strings.Cut(c.want, " | ")
		want := strings.Join(strings.Fields("[CLS] "+a+" [SEP] "+b+" [SEP]"), " ")
		if s := names(bertPieces, got); s != want {
			t.Errorf("at most %d: got %s, want %s", c.max, s, want)
		}
		for i, id := range types {
			if want := i > slices.Index(got, 3); (id == 1) != want {
				t.Errorf("types %v of %v", types, got)
			}
		}
	}
}

var unigramPieces = []string{"<s>", "<unk>", "</s>", "▁", "▁tide", "▁ti", "de", "s", "d", "e", "▁x", "ti"}

func unigramDefinition() definition {
	scores := []float64{0, 0, 0, -2, -3, -2, -1, -2, -4, -4, -5, -1.5}
	var vocab [][]any
	for i, p := range unigramPieces {
		vocab = append(vocab, []any{p, scores[i]})
	}
	return definition{
		Added:        []map[string]any{{"content": "<s>", "special": true}, {"content": "</s>", "special": true}},
		PreTokenizer: object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
		PostProcessor: object{
			"type":   "TemplateProcessing",
			"single": []any{object{"SpecialToken": object{"id": "<s>"}}, object{"Sequence": object{"id": "A"}}, object{"SpecialToken": object{"id": "</s>"}}},
			"pair": []any{object{"Sequence": object{"id": "A", "type_id": 0}}, object{"SpecialToken": object{"id": "</s>"}},
				object{"Sequence": object{"id": "B", "type_id": 1}}},
			"special_tokens": object{"<s>": object{"ids": []int{0}}, "</s>": object{"ids": []int{2}}},
		},
		Model: object{"type": "Unigram", "unk_id": 1, "vocab": vocab},
	}
}

func TestUnigram(t *testing.T) {
	t.Parallel()
	tok := unigramDefinition().load(t)
	for text, want := range map[string]string{
		"tides":     "<s> ▁tide s </s>", // -5 is as much as "▁ti de s": the longer piece begins earlier
		"tide tide": "<s> ▁tide ▁tide </s>",
		"xyz":       "<s> ▁x <unk> </s>",
		"qqq tide":  "<s> ▁ <unk> ▁tide </s>",
		"":          "<s> </s>",
		"a</s>b":    "<s> ▁ <unk> </s> ▁ <unk> </s>",
		"▁tide":     "<s> ▁tide </s>",
		"  s":       "<s> ▁ ▁ s </s>",
		"<unk>q":    "<s> ▁ <unk> </s>",
	} {
		if got := names(unigramPieces, tok.Encode(text, 0)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	got, types := tok.EncodePair("tide", "s", 0)
	if s := names(unigramPieces, got); s != "▁tide </s> ▁ s" || !slices.Equal(types, []int32{0, 0, 1, 1}) {
		t.Errorf("pair: %s, types %v", s, types)
	}
	if got := names(unigramPieces, tok.EncodePlain("tide tide tide", 2)); got != "▁tide ▁tide" {
		t.Errorf("plain: %s", got)
	}
}

// With the scheme "first" only the beginning of the whole text gets a mark.
func TestMetaspaceFirst(t *testing.T) {
	t.Parallel()
	d := unigramDefinition()
	d.PreTokenizer = object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}
	d.Normalizer = object{"type": "Strip", "strip_left": true}
	tok := d.load(t)
	for text, want := range map[string]string{
		"tide</s>ti": "▁tide </s> ti",
		"</s>ti de":  "</s> ti ▁ de",
		" ti":        "ti", // the beginning was left out
		"\n":         "",
	} {
		if got := names(unigramPieces, tok.EncodePlain(text, 0)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// Added tokens that the vocabulary lacks are numbered behind it.
func TestNewTokens(t *testing.T) {
	t.Parallel()
	d := bert(true)
	d.Added = append(d.Added, []map[string]any{{"content": "<one>"}, {"content": ""}, {"content": "Two", "normalized": true}, {"content": "<one>"}}...)
	tok := d.load(t)
	n := int32(len(bertPieces))
	if got, want := tok.EncodePlain("ferry TWO<one>", 0), []int32{9, n + 1, n}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if tok.VocabSize() != int(n)+2 {
		t.Errorf("VocabSize is %d", tok.VocabSize())
	}
}

// Unknown text becomes its bytes if the vocabulary has all of them.
func TestByteFallback(t *testing.T) {
	t.Parallel()
	d := unigramDefinition()
	pieces := slices.Clone(unigramPieces)
	vocab := d.Model["vocab"].([][]any)
	for _, p := range []string{"<0xC3>", "<0xB8>", "<0x71>"} {
		pieces, vocab = append(pieces, p), append(vocab, []any{p, 0.0})
	}
	d.Model["vocab"], d.Model["byte_fallback"] = vocab, true
	tok := d.load(t)
	for text, want := range map[string]string{
		"øq": "▁ <0xC3> <0xB8> <0x71>",
		"øz": "▁ <unk>",
	} {
		if got := names(pieces, tok.EncodePlain(text, 0)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestBPE(t *testing.T) {
	t.Parallel()
	pieces := []string{"c", "o", "v", "e", "Ġ", "Ã", "¸", "co", "ve", "cove", "Ġcove", "s", "ss"}
	tok := definition{
		PreTokenizer: object{"type": "ByteLevel", "add_prefix_space": false},
		Model: object{
			"type": "BPE", "vocab": ids(pieces...),
			"merges": []any{"c o", []string{"v", "e"}, "co ve", "Ġ cove", "s s"},
		},
	}.load(t)
	for text, want := range map[string]string{
		"cove cove": "cove Ġcove",
		"co  ve":    "co Ġ Ġ ve",
		"ø":         "Ã ¸",
		"coves's":   "cove s s",
		"sssss":     "ss ss s",
	} {
		if got := names(pieces, tok.Encode(text, 0)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if tok.UnknownID() != -1 {
		t.Error("the model has no unknown token")
	}
}

// What cannot be used is refused with one sentence that names it.
func TestRefused(t *testing.T) {
	t.Parallel()
	with := func(change func(d *definition)) []byte {
		d := bert(true)
		change(&d)
		return d.bytes()
	}
	for want, data := range map[string][]byte{
		"is not JSON":                    []byte(`{"model":`),
		"has no model":                   []byte(`{}`),
		"not UTF-8":                      []byte("{\"a\": \"\xff\"}"),
		`normalizer "Foo" is not`:        with(func(d *definition) { d.Normalizer = object{"type": "Foo"} }),
		`pre-tokenizer "UnicodeScripts"`: with(func(d *definition) { d.PreTokenizer = object{"type": "UnicodeScripts"} }),
		`post-processor "Bar"`:           with(func(d *definition) { d.PostProcessor = object{"type": "Bar"} }),
		`model "WordLevel"`:              with(func(d *definition) { d.Model["type"] = "WordLevel" }),
		`unknown token "<none>"`:         with(func(d *definition) { d.Model["unk_token"] = "<none>" }),
		"not the number of a token":      with(func(d *definition) { d.Model["vocab"] = object{"[UNK]": -1} }),
		"more than 1024 bytes": with(func(d *definition) {
			d.Model["vocab"], d.Model["max_input_chars_per_word"] = object{strings.Repeat("a", 2000): 1}, 1<<30
		}),
		"regular expression": with(func(d *definition) { d.Normalizer = object{"type": "Replace", "pattern": object{"Regex": "(?<=a)b"}} }),
		`{500}){500}" is not`: with(func(d *definition) {
			d.Normalizer = object{"type": "Replace", "pattern": object{"Regex": "(a{500}){500}"}}
		}),
		"precompiled_charsmap": with(func(d *definition) { d.Normalizer = object{"type": "Precompiled", "precompiled_charsmap": "AAAA"} }),
		"special token": with(func(d *definition) {
			d.PostProcessor = object{"type": "TemplateProcessing", "single": []any{object{"SpecialToken": object{"id": "x"}}}}
		}),
		"more than 8 sequences deep": []byte(`{"model":` + string(mustJSON(bert(true).Model)) + `,"normalizer":` + strings.Repeat(`{"type":"Sequence","normalizers":[`, 50) + strings.Repeat(`]}`, 50) + `}`),
		"is not a score":             []byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[["a",1e999]]}}`),
		"unk_id is not":              []byte(`{"model":{"type":"Unigram","vocab":[["a",1]]}}`),
		"lacks a part of the merge":  []byte(`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]}}`),
		"not a text with a score":    []byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[["a"]]}}`),
		"wrong type":                 with(func(d *definition) { d.Model["max_input_chars_per_word"] = "x" }),
	} {
		_, err := tokenizer.Load(fstest.MapFS{"tokenizer.json": {Data: data}})
		if !errors.Is(err, tokenizer.ErrInvalid) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "tokenizer.json: ") {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if _, err := tokenizer.Load(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "vocab.txt") {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := tokenizer.Load(fstest.MapFS{"vocab.txt": {Data: []byte("a\nb\n")}}); !errors.Is(err, tokenizer.ErrInvalid) {
		t.Errorf("a vocabulary without [UNK]: %v", err)
	}
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
