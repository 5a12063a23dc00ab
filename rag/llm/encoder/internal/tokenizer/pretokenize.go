package tokenizer

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// preTokenizer cuts the spans of a text into smaller ones.
type preTokenizer interface {
	split(w *words)
}

// parsePreTokenizer appends the pre-tokenizers of a definition; null has none.
func parsePreTokenizer(all []preTokenizer, raw json.RawMessage, depth int) ([]preTokenizer, error) {
	kind, err := kindOf(raw, "pre-tokenizer", depth)
	if err != nil || kind == "" {
		return all, err
	}
	var p preTokenizer
	switch kind {
	case "BertPreTokenizer":
		p = bertPreTokenizer{}
	case "Whitespace":
		p = wordPattern{}
	case "WhitespaceSplit":
		p = classSplit{isSpace, removed}
	case "Digits":
		var def struct {
			Individual bool `json:"individual_digits"`
		}
		err = json.Unmarshal(raw, &def)
		p = classSplit{isNumber, contiguous}
		if def.Individual {
			p = classSplit{isNumber, isolated}
		}
	case "Punctuation":
		p, err = newPunctuation(raw)
	case "CharDelimiterSplit", "Delimiter":
		var def struct{ Delimiter string }
		err = json.Unmarshal(raw, &def)
		if err == nil && utf8.RuneCountInString(def.Delimiter) != 1 {
			err = fmt.Errorf("the delimiter %q is not one character", def.Delimiter)
		}
		p = patternSplit{literal(def.Delimiter), removed}
	case "Split":
		p, err = newSplit(raw)
	case "Metaspace":
		p, err = newMetaspace(raw)
	case "ByteLevel":
		p, err = newByteLevel(raw)
	case "Sequence":
		var def struct{ Pretokenizers []json.RawMessage }
		if err := json.Unmarshal(raw, &def); err != nil {
			return nil, err
		}
		for _, r := range def.Pretokenizers {
			if all, err = parsePreTokenizer(all, r, depth+1); err != nil {
				return nil, err
			}
		}
		return all, nil
	default:
		err = unknownKind("pre-tokenizer", kind)
	}
	if err != nil {
		return nil, err
	}
	return append(all, p), nil
}

// bertPreTokenizer cuts at white space and makes each punctuation mark a word.
type bertPreTokenizer struct{}

func (bertPreTokenizer) split(w *words) {
	for _, s := range w.begin() {
		start := s.start
		for i := s.start; i < s.end; {
			r, size := rune(w.text[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRune(w.text[i:s.end])
			}
			if c := classOf(r); c&(isSpace|isPunct) != 0 {
				w.add(s, start, i)
				if c&isSpace == 0 {
					w.add(s, i, i+size)
				}
				start = i + size
			}
			i += size
		}
		w.add(s, start, s.end)
	}
}

// wordPattern makes each run of word characters a word, and each run of others
// that are not white space.
type wordPattern struct{}

func (wordPattern) split(w *words) {
	for _, s := range w.begin() {
		start, last := s.start, isSpace
		for i := s.start; i < s.end; {
			r, size := utf8.DecodeRune(w.text[i:s.end])
			if c := classOf(r) & (isSpace | isWord); c != last {
				if last&isSpace == 0 {
					w.add(s, start, i)
				}
				start, last = i, c
			}
			i += size
		}
		if last&isSpace == 0 {
			w.add(s, start, s.end)
		}
	}
}

// classSplit cuts at the characters of a class.
type classSplit struct {
	class    class
	behavior behavior
}

func (p classSplit) split(w *words) {
	w.divide(p.behavior, func(cuts []cut, text []byte) []cut { return byClass(cuts, text, p.class) })
}

var behaviors = map[string]behavior{
	"Removed": removed, "Isolated": isolated, "MergedWithPrevious": mergedWithPrevious,
	"MergedWithNext": mergedWithNext, "Contiguous": contiguous,
}

func newPunctuation(raw json.RawMessage) (preTokenizer, error) {
	def := struct{ Behavior string }{"Isolated"}
	if err := json.Unmarshal(raw, &def); err != nil {
		return nil, err
	}
	b, ok := behaviors[def.Behavior]
	if !ok {
		return nil, unknownKind("behavior", def.Behavior)
	}
	return classSplit{isPunct, b}, nil
}

// patternSplit cuts at what a pattern matches.
type patternSplit struct {
	pattern  pattern
	behavior behavior
}

func newSplit(raw json.RawMessage) (preTokenizer, error) {
	var def struct {
		Pattern  json.RawMessage
		Behavior string
		Invert   bool
	}
	if err := json.Unmarshal(raw, &def); err != nil {
		return nil, err
	}
	b, ok := behaviors[def.Behavior]
	if !ok {
		return nil, unknownKind("behavior", def.Behavior)
	}
	p, err := parsePattern(def.Pattern)
	if err != nil {
		return nil, err
	}
	if def.Invert {
		p = inverted{p}
	}
	return patternSplit{p, b}, nil
}

func (p patternSplit) split(w *words) { w.divide(p.behavior, p.pattern.find) }
