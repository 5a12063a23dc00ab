package text

import (
	"errors"
	"iter"
	"maps"
	"slices"

	lex "github.com/ragdb/ragdb/engine/text"
)

// ErrCaseStats says that stored counts cannot be read.
var ErrCaseStats = errors.New("malformed case statistics")

// CaseStats counts how often each word of a corpus stands inside a sentence
// with a small and with a capital first letter. Names need it: a capital at
// the start of a sentence says nothing by itself.
//
// Counts are sums over texts, so that statistics of parts can be added in any
// order, and a removed text leaves no trace. The zero value is empty and ready
// for use. Reading is safe for concurrent use, changing is not.
type CaseStats struct {
	words map[string]caseCount // by folded word; never both counts 0
	read  func(word string) (lower, upper int64)
}

// CaseStatsFrom returns statistics whose counts are read when they are asked for, in
// place of being kept. They have no Words, and do not change.
func CaseStatsFrom(read func(word string) (lower, upper int64)) *CaseStats {
	return &CaseStats{read: read}
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

// Lower and Upper return how often the folded word has stood inside a
// sentence with a small, and with a capital, first letter.
func (c *CaseStats) Lower(word string) int64 { return c.casesOf(word).lower }

// Upper is described at [CaseStats.Lower].
func (c *CaseStats) Upper(word string) int64 { return c.casesOf(word).upper }

// Set makes the counts of a folded word what they are given as.
func (c *CaseStats) Set(word string, lower, upper int64) {
	delete(c.words, word)
	c.add(word, caseCount{lower, upper})
}

// Words yields the words counted, ascending.
func (c *CaseStats) Words() iter.Seq[string] {
	return func(yield func(string) bool) {
		if c == nil {
			return
		}
		for _, w := range slices.Sorted(maps.Keys(c.words)) {
			if !yield(w) {
				return
			}
		}
	}
}

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
	if c.read != nil {
		lower, upper := c.read(word)
		return caseCount{lower, upper}
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

// maxCaseWord is the length of the longest word that is counted, in bytes: words are
// keys.
const maxCaseWord = 256

// add counts a folded word. An empty one is not a word, and one that is very long says
// nothing.
func (c *CaseStats) add(word string, n caseCount) {
	if word == "" || len(word) > maxCaseWord {
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
