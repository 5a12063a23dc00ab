package text

import (
	"strings"
	"unicode"

	lex "github.com/ragdb/ragdb/engine/text"
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
			if functionWords[lang][w.Text] {
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

// functionWords are the function words and question words of languages other
// than English, and the commonest of English.
var functionWords = map[string]map[string]bool{
	"en": wordSet("the of and to in is was for that with as on by it at from are his were be this which or an had has have not but its who what when where how why does did their they he she"),
	"de": wordSet(`der die das den dem des ein eine einer eines einem einen und oder aber nicht ist sind war waren wird wurde wurden werden hat haben hatte
		von vom zu zum zur mit auf fur im in an am aus bei nach uber unter durch als auch wie was wer wo wann warum wieso welche welcher welches welchem welchen wohin woher wem wen wessen
		er sie es ihr ihre ihrer sein seine seiner sich dass noch nur so um bis vor seit kann konnen hier dort dieser diese dieses man wir ich mir mich uns`),
	"fr": wordSet(`le la les un une des du de et ou mais ne pas est sont etait etaient sera a ont avait avec pour par sur dans en au aux ce cette ces
		que qui quoi quel quelle quels quelles ou quand comment pourquoi combien il elle ils elles son sa ses leur leurs se plus nous vous je l d s qu c n`),
	"es": wordSet(`el la los las un una unos unas de del y o pero no es son era eran fue fueron ser ha han con por para en al que se su sus lo como
		mas quien cual cuales cuando donde porque cuanto cuantos esta este estos estas ese esa hay sobre entre tambien`),
	"it": wordSet(`il lo la i gli le un uno una di del della dei delle degli dal dalla e o ma non e sono era erano fu ha hanno con per su nel nella nei al alla
		che chi cosa quale quali quando dove come perche quanto si suo sua suoi questo questa anche piu`),
	"pt": wordSet(`o a os as um uma uns umas de do da dos das e ou mas nao e sao era eram foi foram ser tem com por para em no na nos nas ao que se seu sua
		quem qual quais quando onde como porque quanto este esta isto mais tambem pelo pela`),
	"nl": wordSet(`de het een en of maar niet is zijn was waren wordt werd werden heeft hebben had van voor met op in aan bij naar uit over door als ook
		hoe wat wie waar wanneer waarom welke hij zij ze hun haar zich dat die dit deze er nog te om`),
	"ru": wordSet(`и в во не на что с со как это по но из у за от к о об для при до или а же бы был была было были есть он она они его ее их
		кто что где когда почему как какой какая какие сколько который которая которые`),
	"uk": wordSet(`і й в у не на що з як це по але із за від до про для при або а ж би був була було були є він вона вони його її їх
		хто де коли чому який яка які скільки та`),
	"ar": wordSet(`في من على الى عن مع هذا هذه ذلك التي الذي الذين كان كانت يكون هو هي هم ما ماذا متى اين كيف لماذا كم هل او ثم لا لم لن قد ان بعد قبل كل بين و`),
	"fa": wordSet(`در از به که را با این ان و برای است بود شد می تا یا هم چه کی کجا چگونه چرا چند ایا`),
	"he": wordSet(`של את על עם אל מן הוא היא הם הן זה זו זאת אשר כי לא גם או אבל יש אין היה היתה היו מה מי איפה היכן מתי איך כיצד למה מדוע כמה האם כל רק אם`),
	"ko": wordSet(`그 이 저 것 수 및 또는 그리고 그러나 누가 누구 누구의 무엇 무엇을 무엇이 어디 어디에 어디서 언제 왜 어떻게 몇 얼마 어느 어떤`),
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[lex.Fold(w)] = true
	}
	return set
}

// isStopIn reports whether a folded word is a function word of English, or of
// the language.
func isStopIn(lang, word string) bool {
	return lex.IsStop(word) || lang != "en" && functionWords[lang][word]
}
