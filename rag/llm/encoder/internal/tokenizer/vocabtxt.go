package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode"
)

// vocabConfig is what the files beside a vocab.txt say.
type vocabConfig struct {
	Class   string          `json:"tokenizer_class"`
	Lower   *bool           `json:"do_lower_case"`
	Accents *bool           `json:"strip_accents"`
	Han     *bool           `json:"tokenize_chinese_chars"`
	Unknown json.RawMessage `json:"unk_token"`
	CLS     json.RawMessage `json:"cls_token"`
	Sep     json.RawMessage `json:"sep_token"`
	Pad     json.RawMessage `json:"pad_token"`
	Mask    json.RawMessage `json:"mask_token"`
}

// parseVocab makes a BERT tokenizer of a vocab.txt, one piece a line.
func parseVocab(fsys fs.FS, data []byte) (*Tokenizer, error) {
	var def vocabConfig
	for _, name := range []string{specialFile, configFile} {
		raw, err := readFile(fsys, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &def); err != nil {
			return nil, invalid(name, errors.New("it is not an object with a tokenizer's settings"))
		}
	}
	p := &pieces{}
	for n := int32(0); len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		line = bytes.TrimRightFunc(line, unicode.IsSpace)
		p.add(line, n)
	}
	mpnet := strings.HasPrefix(def.Class, "MPNet")
	cls, sep, pad := "[CLS]", "[SEP]", "[PAD]"
	mask := "[MASK]"
	if mpnet {
		cls, sep, pad, mask = "<s>", "</s>", "<pad>", "<mask>"
	}
	unknown := tokenName(def.Unknown, "[UNK]")
	l, err := newWordPiece(p, modelDef{Unknown: &unknown})
	if err != nil {
		return nil, err
	}
	lower := or(def.Lower, true)
	t := &Tokenizer{
		model: l.model, unknown: l.unknown,
		normal: bertNormalizer{clean: true, han: or(def.Han, true), accents: or(def.Accents, lower), lower: lower},
		pre:    []preTokenizer{bertPreTokenizer{}},
	}
	cls, sep = tokenName(def.CLS, cls), tokenName(def.Sep, sep)
	first, last := l.pieces.find([]byte(cls)), l.pieces.find([]byte(sep))
	if first < 0 || last < 0 {
		return nil, fmt.Errorf("the vocabulary lacks the special token %q or %q", shorten(cls), shorten(sep))
	}
	t.single, t.pair = bertTemplates(first, last)
	if mpnet {
		t.single, t.pair = robertaTemplates(first, last)
	}
	var added []addedToken
	for _, name := range []string{unknown, sep, tokenName(def.Pad, pad), cls, tokenName(def.Mask, mask)} {
		if l.pieces.find([]byte(name)) >= 0 {
			added = append(added, addedToken{Content: name, Special: true, LStrip: mpnet && name == mask})
		}
	}
	return t, t.finish(l, added)
}

// tokenName returns the text of a special token, which is written as a string
// or as an object with its content.
func tokenName(raw json.RawMessage, otherwise string) string {
	var name string
	if json.Unmarshal(raw, &name) == nil && name != "" {
		return name
	}
	var object struct{ Content string }
	if json.Unmarshal(raw, &object) == nil && object.Content != "" {
		return object.Content
	}
	return otherwise
}
