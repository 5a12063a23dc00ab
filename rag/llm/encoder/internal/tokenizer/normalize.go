package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// normalizer changes a text before it is cut.
type normalizer interface {
	// normalize appends the normalised src to dst, which is empty. It also
	// reports whether characters at the beginning of src were left out.
	normalize(dst, src []byte, s *scratch) (out []byte, cut bool)
}

// parseNormalizer makes a normalizer from its definition; null makes none.
func parseNormalizer(raw json.RawMessage, depth int) (normalizer, error) {
	kind, err := kindOf(raw, "normalizer", depth)
	if err != nil || kind == "" {
		return nil, err
	}
	switch kind {
	case "BertNormalizer":
		return newBertNormalizer(raw)
	case "NFC":
		return unicodeForm{compose: true}, nil
	case "NFD":
		return unicodeForm{}, nil
	case "NFKC":
		return unicodeForm{compat: true, compose: true}, nil
	case "NFKD":
		return unicodeForm{compat: true}, nil
	case "Lowercase":
		return eachRune(appendLower), nil
	case "StripAccents":
		return filter{func(r rune) (rune, bool) { return r, classOf(r)&isMark == 0 }}, nil
	case "Nmt":
		return filter{nmt}, nil
	case "Precompiled":
		return newPrecompiled(raw)
	case "Strip":
		var s strip
		err := json.Unmarshal(raw, &s)
		return s, err
	case "Prepend":
		var p struct{ Prepend string }
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, err
		}
		if len(p.Prepend) > maxReplacement {
			return nil, fmt.Errorf("a replacement has more than %d bytes", maxReplacement)
		}
		return prepend(p.Prepend), nil
	case "Replace":
		return newReplace(raw)
	case "ByteLevel":
		return byteLevelNormalizer{}, nil
	case "Sequence":
		var def struct{ Normalizers []json.RawMessage }
		if err := json.Unmarshal(raw, &def); err != nil {
			return nil, err
		}
		var all sequence
		for _, r := range def.Normalizers {
			n, err := parseNormalizer(r, depth+1)
			if err != nil {
				return nil, err
			}
			if n != nil {
				all = append(all, n)
			}
		}
		return all, nil
	}
	return nil, unknownKind("normalizer", kind)
}

func newBertNormalizer(raw json.RawMessage) (normalizer, error) {
	var def struct {
		CleanText          *bool `json:"clean_text"`
		HandleChineseChars *bool `json:"handle_chinese_chars"`
		StripAccents       *bool `json:"strip_accents"`
		Lowercase          *bool `json:"lowercase"`
	}
	if err := json.Unmarshal(raw, &def); err != nil {
		return nil, err
	}
	lower := or(def.Lowercase, true)
	return bertNormalizer{
		clean: or(def.CleanText, true), han: or(def.HandleChineseChars, true),
		accents: or(def.StripAccents, lower), lower: lower,
	}, nil
}

// sequence applies normalizers one after the other.
type sequence []normalizer

func (n sequence) normalize(dst, src []byte, s *scratch) ([]byte, bool) {
	cut := false
	cur, other := append(dst, src...), s.spare
	for _, one := range n {
		// A nested sequence needs a buffer of its own.
		s.spare = nil
		out, c := one.normalize(other[:0], cur, s)
		cut = cut || c
		cur, other = bounded(out, len(src)), cur
	}
	s.spare = other
	return cur, cut
}

// A normalizer may make a text longer, but a hostile one must not fill the
// memory. Published ones stay far below these limits.
const (
	maxReplacement = 256 // bytes that one replacement writes
	maxGrowth      = 32  // how many times longer a text gets
)

// bounded cuts a text that was made of size bytes to the allowed length.
func bounded(text []byte, size int) []byte {
	limit := maxGrowth*size + maxReplacement
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// eachRune replaces each character by itself.
type eachRune func(dst []byte, r rune) []byte

func (f eachRune) normalize(dst, src []byte, _ *scratch) ([]byte, bool) {
	for i := 0; i < len(src); {
		r, size := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(src[i:])
		}
		dst = f(dst, r)
		i += size
	}
	return dst, false
}

// filter replaces characters and leaves some out.
type filter struct {
	keep func(r rune) (rune, bool)
}

func (f filter) normalize(dst, src []byte, _ *scratch) ([]byte, bool) {
	cut := false
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		i += size
		if r, ok := f.keep(r); ok {
			dst = utf8.AppendRune(dst, r)
		} else if len(dst) == 0 {
			cut = true
		}
	}
	return dst, cut
}

// nmt drops control characters and makes other separators a blank.
func nmt(r rune) (rune, bool) {
	switch {
	case r >= 0x1 && r <= 0x8, r == 0xB, r >= 0xE && r <= 0x1F, r == 0x7F, r == 0x8F, r == 0x9F:
		return 0, false
	case r == 0x9, r == 0xA, r == 0xC, r == 0xD, r == 0x1680, r >= 0x200B && r <= 0x200F,
		r == 0x2028, r == 0x2029, r == 0x2581, r == 0xFEFF, r == 0xFFFD:
		return ' ', true
	}
	return r, true
}

// strip removes white space from the ends of a text.
type strip struct {
	Left  bool `json:"strip_left"`
	Right bool `json:"strip_right"`
}

func (n strip) normalize(dst, src []byte, _ *scratch) ([]byte, bool) {
	start, end := 0, len(src)
	if n.Left {
		start = trimLeft(src, 0)
	}
	if n.Right {
		end = trimRight(src, start, end)
	}
	return append(dst, src[start:end]...), start > 0
}

// prepend puts a text before another one that is not empty.
type prepend string

func (n prepend) normalize(dst, src []byte, _ *scratch) ([]byte, bool) {
	if len(src) > 0 {
		dst = append(dst, n...)
	}
	return append(dst, src...), false
}

// replace puts a text in the place of all that a pattern matches.
type replace struct {
	pattern pattern
	content []byte
}

func newReplace(raw json.RawMessage) (normalizer, error) {
	var def struct {
		Pattern json.RawMessage
		Content string
	}
	if err := json.Unmarshal(raw, &def); err != nil {
		return nil, err
	}
	if len(def.Content) > maxReplacement {
		return nil, fmt.Errorf("a replacement has more than %d bytes", maxReplacement)
	}
	p, err := parsePattern(def.Pattern)
	return replace{p, []byte(def.Content)}, err
}

// drops reports whether a match at the beginning of a text counts as left out.
func (n replace) drops(match []byte) bool {
	return len(n.content) == 0 || utf8.RuneCount(match) > 1
}

func (n replace) normalize(dst, src []byte, s *scratch) ([]byte, bool) {
	if p, ok := n.pattern.(literal); ok {
		// The most common sort needs no list of parts.
		cut := bytes.HasPrefix(src, p) && n.drops(p)
		for {
			i := bytes.Index(src, p)
			if i < 0 {
				return append(dst, src...), cut
			}
			dst = append(append(dst, src[:i]...), n.content...)
			src = src[i+len(p):]
		}
	}
	s.words.cuts = n.pattern.find(s.words.cuts[:0], src)
	cut := false
	for i, c := range s.words.cuts {
		if !c.match {
			dst = append(dst, src[c.start:c.end]...)
			continue
		}
		cut = cut || i == 0 && n.drops(src[:c.end])
		dst = append(dst, n.content...)
	}
	return dst, cut
}
