package text

import (
	"strings"
	"unicode"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/functionword"
)

// languageSample is how much of a text its language is read off.
const languageSample = 64 << 10

// scriptLanguage lists the scripts that one language is written in, or nearly,
// and how much a character of it says, against a letter of an alphabet. Han,
// Cyrillic, Arabic and Latin are told apart further.
var scriptLanguage = []struct {
	lang   string
	table  *unicode.RangeTable
	weight int
}{
	{"latin", unicode.Latin, 1}, {"zh", unicode.Han, 3}, {"ja", unicode.Hiragana, 2}, {"ja", unicode.Katakana, 2},
	{"cyrillic", unicode.Cyrillic, 1}, {"ar", unicode.Arabic, 1}, {"he", unicode.Hebrew, 1}, {"ko", unicode.Hangul, 2},
	{"el", unicode.Greek, 1}, {"hi", unicode.Devanagari, 1}, {"th", unicode.Thai, 1}, {"bn", unicode.Bengali, 1},
	{"ta", unicode.Tamil, 1}, {"te", unicode.Telugu, 1}, {"kn", unicode.Kannada, 1}, {"ml", unicode.Malayalam, 1},
	{"gu", unicode.Gujarati, 1}, {"pa", unicode.Gurmukhi, 1}, {"si", unicode.Sinhala, 1}, {"ka", unicode.Georgian, 1},
	{"hy", unicode.Armenian, 1}, {"km", unicode.Khmer, 1}, {"lo", unicode.Lao, 1}, {"my", unicode.Myanmar, 1},
	{"am", unicode.Ethiopic, 1}, {"bo", unicode.Tibetan, 1},
}

// Language returns the tag (BCP 47) of the language that a text is written in,
// read off its first 64 KiB: "en", "zh". It is "" if that is not clear.
//
// The script that most of the text is written in decides, a Han character
// counting as three letters, and a kana or Hangul character as two. With a
// tenth of kana Han is Japanese, else Chinese; letters that only Persian or
// Urdu have tell them from Arabic. Languages in Latin and Cyrillic letters (en,
// de, fr, es, it, pt, nl; ru, uk) are told by their function words: the one
// with most of them, if those are two at least and half as many again as those
// of any other. Devanagari counts as Hindi. Deterministic; linear time.
func Language(s string) string {
	s = s[:min(len(s), languageSample)]
	var count [32]int // by index in scriptLanguage
	last := 0
	for _, r := range s {
		if !unicode.IsLetter(r) {
			continue
		}
		if r < 0x250 {
			count[0]++
			continue
		}
		if unicode.Is(scriptLanguage[last].table, r) {
			count[last]++
			continue
		}
		for i, sc := range scriptLanguage {
			if unicode.Is(sc.table, r) {
				count[i]++
				last = i
				break
			}
		}
	}
	weight := map[string]int{}
	kana, han := 0, 0
	for i, sc := range scriptLanguage {
		weight[sc.lang] += count[i] * sc.weight
		switch {
		case sc.lang == "ja":
			kana += count[i]
		case sc.lang == "zh":
			han += count[i]
		}
	}
	// Japanese is written in Han characters, too.
	if 10*kana >= kana+han {
		weight["ja"] += weight["zh"]
		weight["zh"] = 0
	} else {
		weight["zh"] += weight["ja"]
		weight["ja"] = 0
	}
	best, most := "", 0
	for _, sc := range scriptLanguage {
		if weight[sc.lang] > most {
			best, most = sc.lang, weight[sc.lang]
		}
	}
	switch best {
	case "latin":
		return byFunctionWords(s, "en", "de", "fr", "es", "it", "pt", "nl")
	case "cyrillic":
		return byFunctionWords(s, "ru", "uk")
	case "ar":
		urdu, persian := 0, 0
		for _, r := range s {
			if strings.ContainsRune("ٹڈڑےںھ", r) {
				urdu++
			} else if strings.ContainsRune("پچژگکی", r) {
				persian++
			}
		}
		switch {
		case 50*urdu > most:
			return "ur"
		case 50*persian > most:
			return "fa"
		}
	}
	return best
}

// byFunctionWords returns the one of languages that the words of s show.
func byFunctionWords(s string, languages ...string) string {
	hits := make([]int, len(languages))
	for w := range lex.Words(s) {
		for i, lang := range languages {
			if functionword.Is(lang, w.Text) {
				hits[i]++
			}
		}
	}
	best, second := 0, -1
	for i := 1; i < len(hits); i++ {
		if hits[i] > hits[best] {
			second, best = best, i
		} else if second < 0 || hits[i] > hits[second] {
			second = i
		}
	}
	if hits[best] < 2 || 2*hits[best] < 3*hits[second] {
		return ""
	}
	return languages[best]
}

// isStopIn reports whether a folded word is a function word of English, or of
// the language.
func isStopIn(lang, word string) bool {
	return lex.IsStop(word) || lang != "en" && functionword.Is(lang, word)
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[lex.Fold(w)] = true
	}
	return set
}
