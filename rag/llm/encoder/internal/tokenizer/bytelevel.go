package tokenizer

import (
	"encoding/json"
	"unicode/utf8"
)

// byteLevel writes each byte of a text as one visible character, so that a
// vocabulary of such characters covers every text.
type byteLevel struct {
	prefix bool
	words  pattern // nil leaves the spans whole
}

// gpt2Words is the expression that GPT-2 cuts words by.
const gpt2Words = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+` + blanksTail

func newByteLevel(raw json.RawMessage) (preTokenizer, error) {
	var def struct {
		Prefix bool  `json:"add_prefix_space"`
		Regex  *bool `json:"use_regex"`
	}
	if err := json.Unmarshal(raw, &def); err != nil {
		return nil, err
	}
	b := byteLevel{prefix: def.Prefix}
	if def.Regex == nil || *def.Regex {
		var err error
		if b.words, err = newExpression(gpt2Words); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b byteLevel) split(w *words) {
	if b.prefix {
		text := w.room[w.turn][:0]
		for _, s := range w.begin() {
			start := len(text)
			if w.text[s.start] != ' ' {
				text = append(text, ' ')
			}
			text = append(text, w.text[s.start:s.end]...)
			w.add(span{start, len(text), s.first}, start, len(text))
		}
		w.change(text)
	}
	if b.words != nil {
		w.divide(isolated, b.words.find)
	}
	text := w.room[w.turn][:0]
	for _, s := range w.begin() {
		start := len(text)
		text = appendVisible(text, w.text[s.start:s.end])
		w.add(span{start, len(text), s.first}, start, len(text))
	}
	w.change(text)
}

// appendVisible appends the visible form of bytes: printable characters of
// Latin-1 stand for themselves, others for U+0100 and up in their order.
func appendVisible(dst, src []byte) []byte {
	for _, c := range src {
		dst = utf8.AppendRune(dst, visible(c))
	}
	return dst
}

func visible(c byte) rune {
	switch {
	case c <= ' ':
		return 0x100 + rune(c)
	case c < 0x7F:
		return rune(c)
	case c <= 0xA0:
		return 0x100 + ' ' + 1 + rune(c-0x7F)
	case c == 0xAD:
		return 0x100 + ' ' + 1 + 0xA1 - 0x7F
	}
	return rune(c)
}

// byteLevelNormalizer does the same before words are cut.
type byteLevelNormalizer struct{}

func (byteLevelNormalizer) normalize(dst, src []byte, _ *scratch) ([]byte, bool) {
	return appendVisible(dst, src), false
}
