package tokenizer

import (
	"unicode/utf8"
)

// addedToken is a token that is searched in the whole text before words are
// cut.
type addedToken struct {
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only if no word character stands beside it
	LStrip     bool   `json:"lstrip"`      // takes the white space before it
	RStrip     bool   `json:"rstrip"`      // takes the white space behind it
	Normalized bool   `json:"normalized"`  // searched in the normalised text
	Special    bool   `json:"special"`

	id int32
}

// match is a part of a text: an added token, or what stands between two (id is
// -1).
type match struct {
	start, end int
	id         int32
}

// addedTokens finds tokens in a text. A nil one finds none.
type addedTokens struct {
	pieces *trie // its numbers are places in tokens
	tokens []addedToken
	begins [256]bool // bytes with which a token begins
}

// newAddedTokens returns a finder of the tokens, each under its key. It returns
// nil if there are none. Of equal keys the first one counts.
func newAddedTokens(keys []string, tokens []addedToken) *addedTokens {
	a := &addedTokens{tokens: tokens}
	var p pieces
	for i := len(keys) - 1; i >= 0; i-- {
		if keys[i] != "" {
			p.add([]byte(keys[i]), int32(i))
			a.begins[keys[i][0]] = true
		}
	}
	if len(p.list) == 0 {
		return nil
	}
	p.sortUnique()
	a.pieces = newTrie(&p)
	return a
}

// find appends the parts of a text to dst. At each place the longest token
// counts; parts that are empty are left out.
func (a *addedTokens) find(dst []match, text []byte) []match {
	done := 0
	for at := 0; a != nil && at < len(text); {
		if !a.begins[text[at]] {
			at++
			continue
		}
		n, size := a.longest(text[at:])
		if size == 0 {
			at++
			continue
		}
		start, end := at, at+size
		at = end
		token := &a.tokens[n]
		if token.SingleWord && (endsWithWord(text[:start]) || beginsWithWord(text[end:])) {
			continue
		}
		if token.LStrip {
			start = trimRight(text, min(done, start), start)
		}
		if token.RStrip {
			end = trimLeft(text, end)
		}
		if done < start {
			dst = append(dst, match{done, start, -1})
		}
		dst = append(dst, match{start, end, token.id})
		done = end
	}
	if done < len(text) {
		dst = append(dst, match{done, len(text), -1})
	}
	return dst
}

func (a *addedTokens) longest(text []byte) (n int32, size int) {
	node := uint32(0)
	for i, c := range text {
		next, ok := a.pieces.step(node, c)
		if !ok {
			break
		}
		node = next
		if id := a.pieces.cells[node].id; id >= 0 {
			n, size = id, i+1
		}
	}
	return n, size
}

func endsWithWord(text []byte) bool {
	r, size := utf8.DecodeLastRune(text)
	return size > 0 && classOf(r)&isWord != 0
}

func beginsWithWord(text []byte) bool {
	r, size := utf8.DecodeRune(text)
	return size > 0 && classOf(r)&isWord != 0
}

// trimRight returns where the white space before end begins, at the lowest low.
func trimRight(text []byte, low, end int) int {
	for end > low {
		r, size := utf8.DecodeLastRune(text[low:end])
		if classOf(r)&isSpace == 0 {
			break
		}
		end -= size
	}
	return end
}

// trimLeft returns where the white space from start on ends.
func trimLeft(text []byte, start int) int {
	for start < len(text) {
		r, size := utf8.DecodeRune(text[start:])
		if classOf(r)&isSpace == 0 {
			break
		}
		start += size
	}
	return start
}
