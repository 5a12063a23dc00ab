package tokenizer

import (
	"encoding/json"
	"strings"
	"testing"
)

// split returns the words that a definition of a pre-tokenizer makes.
func split(t *testing.T, def, text string) string {
	t.Helper()
	all, err := parsePreTokenizer(nil, json.RawMessage(def), 0)
	if err != nil {
		t.Fatal(err)
	}
	w := &words{}
	w.set([]byte(text), true)
	for _, p := range all {
		p.split(w)
	}
	var out []string
	for _, s := range w.spans {
		out = append(out, string(w.text[s.start:s.end]))
	}
	return strings.Join(out, "|")
}

func TestPreTokenizers(t *testing.T) {
	t.Parallel()
	tail := `"behavior":"Isolated"}`
	for _, c := range []struct{ def, text, want string }{
		{`{"type":"BertPreTokenizer"}`, "it's  a\u2014b\u3000c.", "it|'|s|a|\u2014|b|c|."},
		{`{"type":"Whitespace"}`, "it's -- a_b!?", "it|'|s|--|a_b|!?"},
		{`{"type":"WhitespaceSplit"}`, " a\tb\n\nc ", "a|b|c"},
		{`{"type":"Punctuation"}`, "a..b", "a|.|.|b"},
		{`{"type":"Punctuation","behavior":"Contiguous"}`, "a..b.", "a|..|b|."},
		{`{"type":"Punctuation","behavior":"MergedWithPrevious"}`, "a..b.", "a.|.|b."},
		{`{"type":"Punctuation","behavior":"MergedWithNext"}`, ".a..b", ".a|.|.b"},
		{`{"type":"Punctuation","behavior":"Removed"}`, ".a..b", "a|b"},
		{`{"type":"Digits","individual_digits":true}`, "a12\u00bd", "a|1|2|\u00bd"},
		{`{"type":"Digits"}`, "a12b3", "a|12|b|3"},
		{`{"type":"CharDelimiterSplit","delimiter":"-"}`, "a-b--c", "a|b|c"},
		{`{"type":"Metaspace","replacement":"_"}`, "a  b", "_a|_|_b"},
		{`{"type":"Metaspace","replacement":"_","add_prefix_space":false}`, "a b", "a|_b"},
		{`{"type":"Metaspace","replacement":"_","prepend_scheme":"first","split":false}`, "a b", "_a_b"},
		{`{"type":"Split","pattern":{"String":"ab"},` + tail, "abcabab", "ab|c|ab|ab"},
		{`{"type":"Split","pattern":{"Regex":"\\d{1,3}"},"invert":true,"behavior":"Removed"}`, "x1234y5", "123|4|5"},
		{`{"type":"Split","pattern":{"Regex":"\\p{L}+|\\s+(?!\\S)|\\s+"},` + tail, "a   b  ", "a|  | |b|  "},
		{`{"type":"ByteLevel","add_prefix_space":true}`, "we'll  go", "Ġwe|'ll|Ġ|Ġgo"},
		{`{"type":"ByteLevel","add_prefix_space":false}`, "né 12!?", "nÃ©|Ġ12|!?"},
		{`{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","replacement":"▁"}]}`, "a b", "▁a|▁b"},
	} {
		if got := split(t, c.def, c.text); got != c.want {
			t.Errorf("%s, %q: got %q, want %q", c.def, c.text, got, c.want)
		}
	}
}

func TestNormalizers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ def, text, want string }{
		{`{"type":"NFC"}`, "u\u0308\u1100\u1161\u11a8", "ü각"},
		{`{"type":"NFD"}`, "ü각\ufb01", "u\u0308\u1100\u1161\u11a8\ufb01"},
		{`{"type":"NFKC"}`, "\ufb01\u212b\u3392", "fi\u00c5MHz"},
		{`{"type":"NFKD"}`, "\ufb01ü", "fiu\u0308"},
		{`{"type":"Lowercase"}`, "\u0130STANBUL\u03a3", "i\u0307stanbul\u03c3"},
		{`{"type":"StripAccents"}`, "u\u0308\u093e", "u"},
		{`{"type":"Nmt"}`, "a\u200bb\x01c\u00a0", "a bc\u00a0"},
		{`{"type":"Strip","strip_left":true,"strip_right":true}`, "\u3000 a b\n", "a b"},
		{`{"type":"Strip","strip_left":false,"strip_right":true}`, " a ", " a"},
		{`{"type":"Prepend","prepend":"_"}`, "a", "_a"},
		{`{"type":"Prepend","prepend":"_"}`, "", ""},
		{`{"type":"Replace","pattern":{"String":"''"},"content":"\""}`, "''a''", `"a"`},
		{`{"type":"Replace","pattern":{"Regex":" {2,}"},"content":"_"}`, "a  b c   ", "a_b c_"},
		{`{"type":"Replace","pattern":{"Regex":"(?:\\s|x)"},"content":""}`, "a\u3000xb", "ab"},
		{`{"type":"ByteLevel"}`, "a é", "aĠÃ©"},
		{`{"type":"BertNormalizer","lowercase":false,"strip_accents":true}`, "Ü港\u00ad", "U 港 "},
		{`{"type":"BertNormalizer"}`, "A\u302e\u0301", "a\u302e"},
		{`{"type":"BertNormalizer","clean_text":false,"handle_chinese_chars":false,"strip_accents":false}`, "Ü\x01港", "ü\x01港"},
		{`{"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"Sequence","normalizers":[{"type":"StripAccents"},{"type":"Lowercase"}]}]}`, "ÜX", "ux"},
	} {
		n, err := parseNormalizer(json.RawMessage(c.def), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := n.normalize(nil, []byte(c.text), &scratch{}); string(got) != c.want {
			t.Errorf("%s, %q: got %q, want %q", c.def, c.text, got, c.want)
		}
	}
}

// A model that makes a text longer and longer is stopped.
func TestGrowthIsBounded(t *testing.T) {
	t.Parallel()
	one := `{"type":"Replace","pattern":{"String":"a"},"content":"` + strings.Repeat("a", maxReplacement) + `"}`
	n, err := parseNormalizer(json.RawMessage(`{"type":"Sequence","normalizers":[`+one+`,`+one+`,`+one+`]}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := n.normalize(nil, []byte(strings.Repeat("a", 1000)), &scratch{}); len(got) > maxGrowth*1000+maxReplacement {
		t.Errorf("1000 bytes became %d", len(got))
	}
}

// Expressions that Go cannot say are refused, others keep their meaning.
func TestTranslate(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		`a(?=b)`, `a(?<!b)`, `a++`, `[a[b]]`, `[a&&b]`, `\b`, `[\S]`, `\1`, `(?m:a)`, `a{2}{900}{900}`, `(`, `[^]a]`, `\`, strings.Repeat("a", maxExpression+1),
	} {
		if p, err := newExpression(s); err == nil {
			t.Errorf("%q was taken: %v", s, p)
		}
	}
	for _, c := range []struct{ expression, text, want string }{
		{`\s`, "a\u3000b\u200b", "\u3000"},
		{`\w+`, "\u24b6\u00b2", "\u24b6\u00b2"},
		{`[^\s\p{L}\p{N}]+`, "ab ?!1", "?!"},
		{`\P{L}+`, "ab12", "12"},
		{`(?i:'LL)`, "we'll", "'ll"},
		{`\p{L}`, "\U00016100", "\U00016100"},
		{`a.`, "a\nab", "ab"},
		{`^b`, "a\nb", "b"},
	} {
		p, err := newExpression(c.expression)
		if err != nil {
			t.Errorf("%q: %v", c.expression, err)
			continue
		}
		got := ""
		for _, cut := range p.find(nil, []byte(c.text)) {
			if cut.match {
				got = c.text[cut.start:cut.end]
				break
			}
		}
		if got != c.want {
			t.Errorf("%q in %q: got %q, want %q", c.expression, c.text, got, c.want)
		}
	}
}

// Added tokens are found as the reference finds them.
func TestAddedTokens(t *testing.T) {
	t.Parallel()
	tokens := []addedToken{
		{Content: "<m>", LStrip: true, id: 0}, {Content: "<r>", RStrip: true, id: 1},
		{Content: "ab", SingleWord: true, id: 2}, {Content: "abc", id: 3}, {Content: " x", id: 4},
	}
	var keys []string
	for _, a := range tokens {
		keys = append(keys, a.Content)
	}
	finder := newAddedTokens(keys, tokens)
	for text, want := range map[string]string{
		"":           "",
		"q":          "q",
		"q  <m>q":    "q[0:  <m>]q",
		"q<r> \tq":   "q[1:<r> \t]q",
		"ab abcd":    "[2:ab] [3:abc]d",
		"xab ab- ab": "xab [2:ab]- [2:ab]",
		"<r>  x<m>":  "[1:<r>  ][4: x][0:<m>]",
		"<m><m>":     "[0:<m>][0:<m>]",
		"<r>  <m>":   "[1:<r>  ][0:<m>]",
	} {
		var got strings.Builder
		for _, m := range finder.find(nil, []byte(text)) {
			if m.id < 0 {
				got.WriteString(text[m.start:m.end])
			} else {
				got.WriteString("[" + string('0'+m.id) + ":" + text[m.start:m.end] + "]")
			}
		}
		if got.String() != want {
			t.Errorf("%q: got %q, want %q", text, got.String(), want)
		}
	}
	if parts := (*addedTokens)(nil).find(nil, []byte("ab")); len(parts) != 1 || parts[0].id != -1 {
		t.Errorf("without tokens: %v", parts)
	}
}
