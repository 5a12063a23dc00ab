package text

import (
	"slices"
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
)

// maxMatchWords is the length in words of the longest name that is looked for
// in a question. A name of ten tokens can have some more words.
const maxMatchWords = 16

// MatchNames returns the keys of known names that a question mentions, each
// once, in the order of the question. has reports whether a key (see [Key])
// is known. From each word on the longest match is taken, and the search goes
// on behind it. Case does not matter; words that are all stop words match
// nothing.
//
// It calls has up to 16 times for each word.
func MatchNames(question string, has func(key string) bool) []string {
	words := slices.Collect(lex.Words(question))
	// The key of words[i:k] is joined[at[i] : at[k]-1].
	var joined strings.Builder
	at := make([]int, 0, len(words)+1)
	for _, w := range words {
		at = append(at, joined.Len())
		joined.WriteString(w.Text)
		joined.WriteByte(' ')
	}
	at = append(at, joined.Len())
	var out []string
	for i := 0; i < len(words); {
		first := i // word of the key
		if isArticle(words[i].Text) && skipSpace(question, words[i].End) > words[i].End {
			first++
		}
		k := min(i+maxMatchWords, len(words))
		for ; k > i; k-- {
			key := joined.String()[at[min(first, k-1)] : at[k]-1]
			if slices.ContainsFunc(words[i:k], isContentWord) && has(key) {
				if !slices.Contains(out, key) {
					out = append(out, key)
				}
				break
			}
		}
		i = max(k, i+1)
	}
	return out
}

func isContentWord(w lex.Word) bool { return !lex.IsStop(w.Text) }
