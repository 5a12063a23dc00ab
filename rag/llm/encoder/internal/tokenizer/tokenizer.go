package tokenizer

import "sync"

// Tokenizer turns text into the token numbers of one model. Its methods are
// safe for concurrent use. [Load] makes one.
type Tokenizer struct {
	raw       *addedTokens // tokens that are searched in the text as it is
	normal    normalizer   // nil leaves the text as it is
	cooked    *addedTokens // tokens that are searched in the normalised text
	pre       []preTokenizer
	model     model
	single    template
	pair      template
	unknown   int32
	vocabSize int
	pool      sync.Pool
}

// model is the last step: it cuts one word into pieces.
type model interface {
	// tokenize appends the numbers of the word's pieces to dst.
	tokenize(dst []int32, word []byte, s *scratch) []int32
}

// scratch is the memory of one call. A pool keeps it for the next one.
type scratch struct {
	text    []byte // the input as valid UTF-8
	found   []match
	norm    []byte
	spare   []byte // the other buffer of a sequence of normalizers
	cooked  []match
	words   words
	best    []bestPath
	symbols []symbol
	queue   mergeQueue
	a, b    []int32
}

// keep is the size above which a scratch is not kept for the next call, in
// bytes of text.
const keep = 1 << 20

// Encode returns the token numbers of a text, with the special tokens of the
// model around them. At most maxTokens numbers are returned, special tokens
// included: what does not fit is cut from the end of the text. A maxTokens of
// 0 or below means no limit. Bytes that are not UTF-8 count as U+FFFD each.
func (t *Tokenizer) Encode(text string, maxTokens int) []int32 {
	s := t.scratch()
	s.a = t.tokens(s.a[:0], text, maxTokens, s)
	a := s.a
	if room := maxTokens - t.single.special; maxTokens > 0 && len(a) > room {
		a = a[:max(room, 0)]
	}
	ids := t.single.ids(a, nil)
	t.release(s)
	return clip(ids, maxTokens)
}

// EncodePlain returns the token numbers of a text without special tokens. It
// cuts as [Tokenizer.Encode] does.
func (t *Tokenizer) EncodePlain(text string, maxTokens int) []int32 {
	s := t.scratch()
	s.a = t.tokens(s.a[:0], text, maxTokens, s)
	ids := append(make([]int32, 0, len(s.a)), s.a...)
	t.release(s)
	return clip(ids, maxTokens)
}

// EncodePair returns the token numbers of two texts that a model reads
// together, and for each number its type: which of the two texts it belongs
// to, as the model counts. Special tokens stand around and between the texts.
// If both together have more than maxTokens numbers, the longer text is cut
// first, from its end. A maxTokens of 0 or below means no limit.
func (t *Tokenizer) EncodePair(a, b string, maxTokens int) (ids, types []int32) {
	s := t.scratch()
	// Which text is cut more depends on the whole lengths of both.
	s.a = t.tokens(s.a[:0], a, 0, s)
	s.b = t.tokens(s.b[:0], b, 0, s)
	n, m := len(s.a), len(s.b)
	if maxTokens > 0 {
		n, m = longestFirst(n, m, max(maxTokens-t.pair.special, 0))
	}
	ids = t.pair.ids(s.a[:n], s.b[:m])
	types = t.pair.types(n, m)
	t.release(s)
	return clip(ids, maxTokens), clip(types, maxTokens)
}

// Around returns the special tokens that stand before and behind a text that is read
// alone.
func (t *Tokenizer) Around() (before, after []int32) {
	seen := false
	for _, p := range t.single.parts {
		switch {
		case p.text != 0:
			seen = true
		case seen:
			after = append(after, p.ids...)
		default:
			before = append(before, p.ids...)
		}
	}
	return before, after
}

// VocabSize returns the number above the highest token number that the
// tokenizer can return. A model's table of embeddings has at least so many
// rows.
func (t *Tokenizer) VocabSize() int { return t.vocabSize }

// UnknownID returns the number that stands for text outside the vocabulary, or
// -1 if the model has none.
func (t *Tokenizer) UnknownID() int32 { return t.unknown }

func clip(ids []int32, maxTokens int) []int32 {
	if maxTokens > 0 && len(ids) > maxTokens {
		return ids[:maxTokens]
	}
	return ids
}

// longestFirst returns how many tokens of two texts are kept so that both
// together have at most room. The shorter text is cut only if the longer one
// alone cannot make up for it.
func longestFirst(n, m, room int) (int, int) {
	if n+m <= room {
		return n, m
	}
	short, long := min(n, m), max(n, m)
	if short > room {
		long = short
	} else {
		long = max(short, room-short)
	}
	if short+long > room {
		short = room / 2
		long = short + room%2
	}
	if n > m {
		return long, short
	}
	return short, long
}

// tokens appends the numbers of a text to dst. It stops after the first word
// with which dst has limit numbers or more; a limit of 0 means none.
func (t *Tokenizer) tokens(dst []int32, text string, limit int, s *scratch) []int32 {
	s.text = appendValid(s.text[:0], text)
	s.found = t.raw.find(s.found[:0], s.text)
	for _, part := range s.found {
		if part.id >= 0 {
			dst = append(dst, part.id)
			continue
		}
		norm, first := s.text[part.start:part.end], part.start == 0
		if t.normal != nil {
			var cut bool
			s.norm, cut = t.normal.normalize(s.norm[:0], norm, s)
			s.norm = bounded(s.norm, len(norm))
			norm, first = s.norm, first && !cut
		}
		s.cooked = t.cooked.find(s.cooked[:0], norm)
		for _, sub := range s.cooked {
			if sub.id >= 0 {
				dst = append(dst, sub.id)
				continue
			}
			w := &s.words
			w.set(norm[sub.start:sub.end], first && sub.start == 0)
			for _, p := range t.pre {
				p.split(w)
			}
			for _, span := range w.spans {
				dst = t.model.tokenize(dst, w.text[span.start:span.end], s)
				if limit > 0 && len(dst) >= limit {
					return dst
				}
			}
		}
	}
	return dst
}

func (t *Tokenizer) scratch() *scratch {
	if s, ok := t.pool.Get().(*scratch); ok {
		return s
	}
	return new(scratch)
}

func (t *Tokenizer) release(s *scratch) {
	if cap(s.text) <= keep && cap(s.norm) <= 2*keep {
		t.pool.Put(s)
	}
}
