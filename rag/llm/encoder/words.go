package encoder

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// A text is tagged word by word. Words are told apart in the text, not among the
// tokens: runs of letters and digits, single Chinese characters, single signs. So
// each has its place in the text whatever the tokenizer makes of it.

// taggedWord is a word of a text, with its tokens. Its label is that of its first token.
type taggedWord struct {
	start, end int // bytes of the text
	from, to   int // tokens
}

const (
	// maxRun is the length in bytes at which what white space surrounds is cut.
	maxRun = 256
	// maxWordTokens is how many tokens of a word are read.
	maxWordTokens = 64
)

// words returns the tokens of a text, at most most for a word, and its words.
func (m *Model) words(text string, most int) (ids []int32, words []taggedWord) {
	most = min(most, maxWordTokens)
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			at += size
			continue
		}
		ends := wordEnds(text[at:])
		run := text[at : at+ends[len(ends)-1]]
		before := ""
		if at > 0 && len(words) > 0 && words[len(words)-1].end < at {
			before = " "
		}
		tokens := m.tokens.EncodePlain(before+run, 0)
		start, from := 0, 0
		for i, end := range ends {
			to := len(tokens)
			if i < len(ends)-1 {
				head := m.tokens.EncodePlain(before+run[:end], 0)
				if len(head) >= len(tokens) || len(head) <= from || !slices.Equal(head, tokens[:len(head)]) {
					continue // a token reaches over the end of the word
				}
				to = len(head)
			}
			if to > from {
				w := taggedWord{start: at + start, end: at + end, from: len(ids)}
				ids = append(ids, tokens[from:min(to, from+most)]...)
				w.to = len(ids)
				words = append(words, w)
			}
			start, from = end, to
		}
		at += len(run)
	}
	return ids, words
}

// wordEnds returns where the words end that a text begins with, up to white space.
func wordEnds(text string) (ends []int) {
	before := false // the character before is of a word that can go on
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) || i+size > maxRun && i > 0 {
			break
		}
		goesOn := (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
		joins := before && goesOn || i > 0 && unicode.IsMark(r)
		i += size
		if joins {
			ends[len(ends)-1] = i
		} else {
			ends = append(ends, i)
		}
		before = goesOn || joins && before
	}
	return ends
}

// window is a part of a text that is tagged at once: words from to to, of which those
// from keepFrom to keepTo are farther from its ends than in the windows beside it.
type window struct {
	from, to, keepFrom, keepTo int // words
}

// windows divides words so that no part has more than room tokens. Parts share a
// quarter of it with the one before.
func windows(words []taggedWord, room int) (out []window) {
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && words[to].to-words[from].from <= room {
			to++
		}
		out = append(out, window{from, to, from, to})
		if to == len(words) {
			break
		}
		next := to
		for next > from+1 && words[to-1].to-words[next-1].from <= room/4 {
			next--
		}
		from = next
	}
	for i := 1; i < len(out); i++ {
		middle := (out[i].from + out[i-1].to) / 2
		out[i-1].keepTo, out[i].keepFrom = middle, middle
	}
	return out
}
