package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// modelDef holds the small settings of a model.
type modelDef struct {
	Type     string
	Unknown  *string `json:"unk_token"`
	Prefix   *string `json:"continuing_subword_prefix"`
	Suffix   *string `json:"end_of_word_suffix"`
	MaxChars *int    `json:"max_input_chars_per_word"`
	UnkID    *int    `json:"unk_id"`
	Fallback *bool   `json:"byte_fallback"`
	Fuse     *bool   `json:"fuse_unk"`
	Whole    *bool   `json:"ignore_merges"`
	Dropout  *float64
}

func parseModel(raw []byte) (loaded, error) {
	var def modelDef
	var vocab, merges []byte
	small := []byte{'{'}
	err := members(raw, func(key, value []byte) error {
		switch string(key) {
		case `"vocab"`:
			vocab = value
		case `"merges"`:
			merges = value
		default:
			if len(small) > 1 {
				small = append(small, ',')
			}
			small = append(append(append(small, key...), ':'), value...)
		}
		return nil
	})
	if err != nil {
		return loaded{}, errors.New("the model is not an object")
	}
	if err := json.Unmarshal(append(small, '}'), &def); err != nil {
		return loaded{}, errors.New("a setting of the model has the wrong type")
	}
	if def.Type == "" {
		// Old files leave it out.
		switch {
		case merges != nil:
			def.Type = "BPE"
		case len(vocab) > 0 && vocab[0] == '[':
			def.Type = "Unigram"
		default:
			def.Type = "WordPiece"
		}
	}
	if vocab == nil {
		return loaded{}, errors.New("the model has no vocabulary")
	}
	switch def.Type {
	case "WordPiece":
		p, err := vocabulary(vocab)
		if err != nil {
			return loaded{}, err
		}
		return newWordPiece(p, def)
	case "Unigram":
		return parseUnigram(vocab, def)
	case "BPE":
		p, err := vocabulary(vocab)
		if err != nil {
			return loaded{}, err
		}
		return newBPE(p, merges, def)
	}
	return loaded{}, unknownKind("model", def.Type)
}

// vocabulary reads an object of pieces with their numbers.
func vocabulary(raw []byte) (*pieces, error) {
	p := newPieces(len(raw))
	err := members(raw, func(key, value []byte) error {
		k, err := text(key)
		if err != nil {
			return err
		}
		id, err := parseID(value)
		if err != nil {
			return err
		}
		p.add(k, id)
		return nil
	})
	return p, err
}

// index orders the pieces and builds their trie.
func index(p *pieces) loaded {
	p.sortUnique()
	l := loaded{size: len(p.list), top: -1, unknown: -1}
	for _, piece := range p.list {
		l.top = max(l.top, piece.id)
	}
	l.pieces = newTrie(p)
	return l
}

// or returns the value behind a pointer, or another one if it is nil.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// checkLongest refuses pieces so long that they make a model slow: at each
// character of a text it may have to read as far.
func checkLongest(size int) error {
	if size > maxPiece {
		return fmt.Errorf("a piece of the vocabulary has more than %d bytes", maxPiece)
	}
	return nil
}

func newWordPiece(p *pieces, def modelDef) (loaded, error) {
	l := index(p)
	m := &wordPiece{pieces: l.pieces, maxChars: min(max(or(def.MaxChars, 100), 0), maxFile)}
	if err := checkLongest(min(p.longest, m.maxChars*utf8.UTFMax)); err != nil {
		return l, err
	}
	unknown := or(def.Unknown, "[UNK]")
	if m.unknown = l.pieces.find([]byte(unknown)); m.unknown < 0 {
		return l, fmt.Errorf("the vocabulary lacks the unknown token %q", shorten(unknown))
	}
	m.inside, m.hasInner = l.pieces.walk([]byte(or(def.Prefix, "##")))
	l.model, l.unknown = m, m.unknown
	return l, nil
}

func parseUnigram(vocab []byte, def modelDef) (loaded, error) {
	p := newPieces(len(vocab))
	m := &unigram{worst: math.Inf(1)}
	err := elements(vocab, func(entry []byte) error {
		var key []byte
		n := 0
		err := elements(entry, func(value []byte) (err error) {
			n++
			if n == 1 {
				key, err = text(value)
				return err
			}
			s, err := score(value)
			m.scores = append(m.scores, s)
			m.worst = min(m.worst, s)
			return err
		})
		if err == nil && n != 2 {
			err = errors.New("a piece of the vocabulary is not a text with a score")
		}
		p.add(key, int32(len(m.scores)-1))
		return err
	})
	if err != nil {
		return loaded{}, err
	}
	if err := checkLongest(p.longest); err != nil {
		return loaded{}, err
	}
	if def.UnkID == nil || *def.UnkID < 0 || *def.UnkID >= len(m.scores) {
		return loaded{}, errors.New("unk_id is not the number of a piece")
	}
	l := index(p)
	l.size, l.top = len(m.scores), int32(len(m.scores)-1)
	m.pieces, m.unknown = l.pieces, int32(*def.UnkID)
	if or(def.Fallback, false) {
		m.bytes = byteTokens(l.pieces)
	}
	l.model, l.unknown = m, m.unknown
	return l, nil
}

func newBPE(p *pieces, merges []byte, def modelDef) (loaded, error) {
	if or(def.Prefix, "") != "" || or(def.Suffix, "") != "" || or(def.Dropout, 0) != 0 {
		return loaded{}, errors.New("a BPE model with a prefix, a suffix or dropout is not supported")
	}
	l := index(p)
	m := &bpe{
		pieces: l.pieces, merges: map[[2]int32]merge{}, unknown: -1,
		fuse: or(def.Fuse, false), whole: or(def.Whole, false),
	}
	if def.Unknown != nil {
		if m.unknown = l.pieces.find([]byte(*def.Unknown)); m.unknown < 0 {
			return l, fmt.Errorf("the vocabulary lacks the unknown token %q", shorten(*def.Unknown))
		}
	}
	if or(def.Fallback, false) {
		m.bytes = byteTokens(l.pieces)
	}
	var rank int32
	err := elements(merges, func(value []byte) error {
		left, right, err := mergePair(value)
		if err != nil {
			return err
		}
		a, b := l.pieces.find(left), l.pieces.find(right)
		to := l.pieces.find(append(append([]byte(nil), left...), right...))
		if a < 0 || b < 0 || to < 0 {
			return fmt.Errorf("the vocabulary lacks a part of the merge %q", shorten(string(value)))
		}
		m.merges[[2]int32{a, b}] = merge{rank, to}
		rank++
		return nil
	})
	l.model, l.unknown = m, m.unknown
	return l, err
}

// mergePair reads a pair of pieces, written as "a b" or ["a", "b"].
func mergePair(raw []byte) (left, right []byte, err error) {
	bad := errors.New("a merge is not a pair of pieces")
	if len(raw) > 0 && raw[0] == '[' {
		n := 0
		err = elements(raw, func(value []byte) (err error) {
			n++
			left = right
			right, err = text(value)
			return err
		})
		if err == nil && n != 2 {
			err = bad
		}
		return left, right, err
	}
	pair, err := text(raw)
	if err != nil {
		return nil, nil, err
	}
	left, right, ok := bytes.Cut(pair, []byte{' '})
	if !ok || bytes.IndexByte(right, ' ') >= 0 {
		return nil, nil, bad
	}
	return left, right, nil
}
