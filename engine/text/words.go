package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the length in bytes at which a run of letters is cut. It bounds
// the keys of an index if a text holds encoded data.
const maxWord = 128

// A Word is one word of a text.
type Word struct {
	Text       string // folded (see [Fold]), never empty
	Start, End int    // bytes of the original text: text[Start:End]
}

// Words yields the words of s in order. A word is a maximal run of letters,
// digits and the marks on them; underscores and punctuation part words. In
// scripts written without spaces between words, and in Korean, whose words
// carry their particles, every character with its marks is a word of its own:
// Han, Hiragana, Katakana, Hangul, Thai, Lao, Khmer and Myanmar.
//
// A possessive 's (also with U+2019) is dropped and does not count as a word. Runs longer
// than 128 bytes are cut there. Bytes that are not UTF-8 part words. Start
// and End lie on character borders. Linear time.
func Words(s string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		low := lowerASCII(s)
		for i := 0; i < len(low); {
			w, next := nextWord(low, i)
			if w.Text != "" && !yield(w) {
				return
			}
			i = next
		}
	}
}

// nextWord reads the word that starts at byte i of low, a text without ASCII
// capitals. If none starts there the word is empty. next is where to read
// on; it is greater than i.
func nextWord(low string, i int) (w Word, next int) {
	j, limit := i, min(len(low), i+maxWord)
	for j < limit && isWordByte(low[j]) {
		j++
	}
	if j == limit || low[j] < utf8.RuneSelf {
		if j == i {
			return Word{}, i + 1
		}
		return Word{low[i:j], i, j}, skipPossessive(low, j)
	}
	r, n := utf8.DecodeRuneInString(low[i:])
	if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
		return Word{}, i + n
	}
	j = i + n
	if isUnspaced(r) {
		for j < len(low) && low[j] >= utf8.RuneSelf && j-i < maxWord {
			r, n := utf8.DecodeRuneInString(low[j:])
			if !isMark(r) {
				break
			}
			j += n
		}
		if 0x4E00 <= r && r <= 0x9FFF && j == i+n {
			return Word{low[i:j], i, j}, j
		}
		return Word{foldWord(low[i:j]), i, j}, j
	}
	for j < len(low) {
		r, n := utf8.DecodeRuneInString(low[j:])
		if j+n-i > maxWord {
			return Word{foldWord(low[i:j]), i, j}, j
		}
		if !isMark(r) && (!unicode.IsLetter(r) && !unicode.IsNumber(r) || isUnspaced(r)) {
			break
		}
		j += n
	}
	return Word{foldWord(low[i:j]), i, j}, skipPossessive(low, j)
}

// skipPossessive returns the offset after a possessive 's at byte j of low,
// or j if there is none.
func skipPossessive(low string, j int) int {
	k := j
	switch rest := low[j:]; {
	case strings.HasPrefix(rest, "'s"):
		k += len("'s")
	case strings.HasPrefix(rest, "’s"):
		k += len("’s")
	default:
		return j
	}
	r, _ := utf8.DecodeRuneInString(low[k:])
	if k < len(low) && (isMark(r) || unicode.IsLetter(r) || unicode.IsNumber(r)) {
		return j
	}
	return k
}

// foldWord folds a run of word characters and drops what is none in the
// folded form, such as the brackets of U+3240.
func foldWord(s string) string {
	f := Fold(s)
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || isMark(r) {
			return r
		}
		return -1
	}, f)
}

// isWordByte reports whether c is an ASCII letter in lower case or a digit.
func isWordByte(c byte) bool { return c-'a' < 26 || c-'0' < 10 }

// isMark reports whether r continues a word without starting one.
func isMark(r rune) bool {
	if r < 0x80 {
		return false
	}
	// The half-width voicing marks are letters to Unicode.
	return unicode.IsMark(r) || isIgnorable(r) || r == 0xFF9E || r == 0xFF9F
}

// isUnspaced reports whether r belongs to a script whose words are not parted
// by spaces, or to Hangul.
func isUnspaced(r rune) bool {
	switch {
	case r < 0xE00:
		return false
	case 0x4E00 <= r && r <= 0x9FFF, 0xAC00 <= r && r <= 0xD7A3:
		return true
	case r == 0x30FC || r == 0xFF70: // prolonged sound mark
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
