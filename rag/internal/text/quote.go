package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/functionword"
)

// maxQuoteRunes is the length of the longest quotation in a script without
// blanks that is taken for a title.
const maxQuoteRunes = 16

// quotes adds the short quotations of a sentence that read like titles.
func (f *finder) quotes(sent Span) {
	s := f.text[:sent.End]
	for i := sent.Start; i < sent.End; {
		open, shut := quoteAt(s[i:])
		if open == 0 {
			i++
			continue
		}
		i += open
		k := strings.Index(s[i:min(sent.End, i+maxQuoteBytes)], shut)
		if k < 0 {
			continue
		}
		sp := trim(s, Span{i, i + k})
		i += k + len(shut)
		if shut == "》" || shut == "』" || f.isTitle(s[sp.Start:sp.End]) {
			f.emit(sp.Start, sp.End, Quote)
		}
	}
}

// isTitle reports whether a quotation is the title of something, and not what
// somebody says.
func (f *finder) isTitle(body string) bool {
	r, _ := utf8.DecodeRuneInString(body)
	words := strings.Fields(body)
	if !unicode.IsLetter(r) || unicode.IsLower(r) || len(words) > maxQuoteWords {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(body)
	marked := isTerminator(last) || unicode.IsPunct(last) && !isCloser(last)
	if isIdeograph(r) {
		return !marked && utf8.RuneCountInString(body) <= maxQuoteRunes && !strings.ContainsAny(body, "，。！？；：")
	}
	if len(words) == 1 {
		w := strings.TrimFunc(body, unicode.IsPunct)
		full := last == '.' || last == ',' || !marked
		return full && classOf(lex.Fold(w)) == rareWord && !lex.IsStop(lex.Fold(w)) && !isContraction(w)
	}
	capitals, spoken := true, false
	for _, w := range words {
		bare := strings.TrimFunc(w, unicode.IsPunct)
		first, _ := utf8.DecodeRuneInString(bare)
		folded := lex.Fold(bare)
		if unicode.IsLower(first) && !lex.IsStop(folded) && !isConnector(folded) && !functionword.Is(f.lang, folded) {
			capitals = false
		}
		spoken = spoken || isContraction(bare) || isSpoken(folded)
	}
	if spoken {
		return capitals && !marked
	}
	return !marked || capitals && (last == ',' || last == '.' || len(words) > 2)
}

// isSpoken reports whether a folded word stands in what people say rather than
// in titles.
func isSpoken(w string) bool {
	switch w {
	case "i", "me", "my", "you", "your", "we", "us", "our", "he", "she", "they", "it", "is", "am", "are", "was", "ich", "du", "wir", "sie":
		return true
	}
	return false
}

// quoteAt returns the length of the opening quote at the start of s and the
// quote that closes it, or 0.
func quoteAt(s string) (open int, shut string) {
	switch s[0] {
	case '"':
		return 1, `"`
	case '`':
		if strings.HasPrefix(s, "``") {
			return 2, "''"
		}
	case 0xC2, 0xE2, 0xE3:
		for _, q := range [...][2]string{{"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"《", "》"}} {
			if strings.HasPrefix(s, q[0]) {
				return len(q[0]), q[1]
			}
		}
	}
	return 0, ""
}
