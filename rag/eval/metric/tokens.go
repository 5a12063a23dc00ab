package metric

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// normal returns the tokens of a text in SQuAD's normal form.
func normal(s string) []string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) || r < unicode.MaxASCII && unicode.IsSymbol(r) {
			return -1
		}
		return r
	}, lower(s))
	var out []string
	for _, w := range strings.Fields(s) {
		if w != "a" && w != "an" && w != "the" {
			out = appendTokens(out, w)
		}
	}
	return out
}

// words returns the words of a text.
func words(s string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(lower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}) {
		out = appendTokens(out, w)
	}
	return out
}

func lower(s string) string {
	return strings.ToLower(norm.NFC.String(strings.ToValidUTF8(s, "\uFFFD")))
}

// appendTokens appends the tokens of a word: its characters of scripts without
// blanks, and the runs between them.
func appendTokens(out []string, w string) []string {
	start, alone := 0, false
	for i, r := range w {
		if i > start && unicode.IsMark(r) {
			continue // belongs to the character before it
		}
		if next := unspaced(r); next || alone {
			if i > start {
				out = append(out, w[start:i])
			}
			start, alone = i, next
		}
	}
	return append(out, w[start:])
}

func unspaced(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// best returns the largest score of a reply against the answers.
func best(answers []string, score func(answer string) float64) float64 {
	most := 0.0
	for _, a := range answers {
		most = max(most, score(a))
	}
	return most
}

// common counts the tokens that two lists share, each as often as both have it.
func common(a, b []string) int {
	count := map[string]int{}
	for _, t := range a {
		count[t]++
	}
	n := 0
	for _, t := range b {
		if count[t] > 0 {
			count[t]--
			n++
		}
	}
	return n
}
