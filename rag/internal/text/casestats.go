package text

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/varint"
)

// ErrCaseStats is returned for bytes that [CaseStats.MarshalBinary] did not
// write.
var ErrCaseStats = errors.New("malformed case statistics")

// CaseStats counts how often each word of a corpus stands inside a sentence
// with a small and with a capital first letter. Names need it: a capital at
// the start of a sentence says nothing by itself.
//
// Counts are sums over texts, so that statistics of parts can be merged in any
// order, and a removed text leaves no trace. The zero value is empty and ready
// for use. Reading is safe for concurrent use, changing is not.
type CaseStats struct {
	words map[string]caseCount // by folded word; never both counts 0
}

// caseCount is signed so that adding and removing commute.
type caseCount struct {
	lower, upper int64
}

// Add counts the words of a text.
func (c *CaseStats) Add(text string) { c.count(text, 1) }

// Remove takes back an Add of the same text. Afterwards the statistics are as
// if it had never been added.
func (c *CaseStats) Remove(text string) { c.count(text, -1) }

// Merge adds the counts of o.
func (c *CaseStats) Merge(o *CaseStats) {
	for w, n := range o.words {
		c.add(w, n)
	}
}

// Lower and Upper return how often the folded word has stood inside a
// sentence with a small, and with a capital, first letter.
func (c *CaseStats) Lower(word string) int64 { return c.casesOf(word).lower }

// Upper is described at [CaseStats.Lower].
func (c *CaseStats) Upper(word string) int64 { return c.casesOf(word).upper }

// Len returns the number of words counted.
func (c *CaseStats) Len() int {
	if c == nil {
		return 0
	}
	return len(c.words)
}

func (c *CaseStats) casesOf(word string) caseCount {
	if c == nil {
		return caseCount{}
	}
	return c.words[word]
}

func (c *CaseStats) count(text string, by int64) {
	var sentences []Span
	var toks []token
	for _, p := range paragraphs(text) {
		if p.heading {
			continue // the capitals of titles are a matter of style
		}
		sentences = appendSentences(sentences[:0], text, p)
		for _, sent := range sentences {
			toks = appendTokens(toks[:0], text, sent)
			for i, t := range toks {
				if i == 0 || t.number || t.opens && t.capital {
					continue // the capital of a first word says nothing
				}
				n := caseCount{lower: by}
				if t.capital {
					n = caseCount{upper: by}
				}
				c.add(lex.Fold(text[t.start:t.end]), n)
			}
		}
	}
}

// add counts a folded word. An empty one is not a word: its bytes could not be
// read again.
func (c *CaseStats) add(word string, n caseCount) {
	if word == "" {
		return
	}
	if c.words == nil {
		c.words = make(map[string]caseCount)
	}
	m := c.words[word]
	m.lower += n.lower
	m.upper += n.upper
	if m == (caseCount{}) {
		delete(c.words, word)
		return
	}
	c.words[word] = m
}

// caseStatsVersion is the first byte of the binary form.
const caseStatsVersion = 1

// MarshalBinary returns the statistics as bytes: equal statistics give equal
// bytes, in every build.
//
//	byte     version, 1
//	uvarint  number of words
//	then for each word, ascending:
//	uvarint  length of the word, and its bytes
//	varint   count with a small letter
//	varint   count with a capital
func (c *CaseStats) MarshalBinary() ([]byte, error) {
	b := []byte{caseStatsVersion}
	b = binary.AppendUvarint(b, uint64(c.Len()))
	if c == nil {
		return b, nil
	}
	for _, w := range slices.Sorted(maps.Keys(c.words)) {
		n := c.words[w]
		b = binary.AppendUvarint(b, uint64(len(w)))
		b = append(b, w...)
		b = binary.AppendVarint(b, n.lower)
		b = binary.AppendVarint(b, n.upper)
	}
	return b, nil
}

// UnmarshalBinary replaces the statistics with those that MarshalBinary wrote.
// The error for other bytes is [ErrCaseStats]; then nothing is changed.
func (c *CaseStats) UnmarshalBinary(b []byte) error {
	fail := func(what string) error { return phase.Errorf("%w: %s", ErrCaseStats, what) }
	if len(b) == 0 || b[0] != caseStatsVersion {
		return fail("unknown version")
	}
	b = b[1:]
	n, b, ok := varint.Uvarint(b)
	if !ok || n > uint64(len(b))/4 { // a word takes four bytes or more
		return fail("number of words")
	}
	words := make(map[string]caseCount, n)
	last := ""
	for range n {
		size, rest, ok := varint.Uvarint(b)
		if !ok || size == 0 || size > uint64(len(rest)) {
			return fail("length of a word")
		}
		w := string(rest[:size])
		b = rest[size:]
		if w <= last || !utf8.ValidString(w) {
			return fail("words are not in order")
		}
		last = w
		var m caseCount
		if m.lower, b, ok = varint.Varint(b); !ok {
			return fail("count")
		}
		if m.upper, b, ok = varint.Varint(b); !ok || m == (caseCount{}) {
			return fail("count")
		}
		words[w] = m
	}
	if len(b) > 0 {
		return fail("bytes after the end")
	}
	c.words = words
	return nil
}
