package prompts

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// languages lists what a language calls itself, and its English name, by its
// BCP 47 tag in lower case.
var languages = map[string][2]string{
	"af": {"Afrikaans", "Afrikaans"}, "am": {"አማርኛ", "Amharic"}, "ar": {"العربية", "Arabic"},
	"as": {"অসমীয়া", "Assamese"}, "az": {"azərbaycan dili", "Azerbaijani"}, "be": {"беларуская", "Belarusian"},
	"bg": {"български", "Bulgarian"}, "bn": {"বাংলা", "Bengali"}, "bo": {"བོད་ཡིག", "Tibetan"},
	"bs": {"bosanski", "Bosnian"}, "ca": {"català", "Catalan"}, "cs": {"čeština", "Czech"},
	"cy": {"Cymraeg", "Welsh"}, "da": {"dansk", "Danish"}, "de": {"Deutsch", "German"},
	"el": {"ελληνικά", "Greek"}, "en": {"English", "English"}, "eo": {"Esperanto", "Esperanto"},
	"es": {"español", "Spanish"}, "et": {"eesti", "Estonian"}, "eu": {"euskara", "Basque"},
	"fa": {"فارسی", "Persian"}, "fi": {"suomi", "Finnish"}, "fil": {"Filipino", "Filipino"},
	"fo": {"føroyskt", "Faroese"}, "fr": {"français", "French"}, "fy": {"Frysk", "Western Frisian"},
	"ga": {"Gaeilge", "Irish"}, "gl": {"galego", "Galician"}, "gu": {"ગુજરાતી", "Gujarati"},
	"ha": {"Hausa", "Hausa"}, "he": {"עברית", "Hebrew"}, "hi": {"हिन्दी", "Hindi"},
	"hr": {"hrvatski", "Croatian"}, "hu": {"magyar", "Hungarian"}, "hy": {"հայերեն", "Armenian"},
	"id": {"Bahasa Indonesia", "Indonesian"}, "ig": {"Igbo", "Igbo"}, "is": {"íslenska", "Icelandic"},
	"it": {"italiano", "Italian"}, "ja": {"日本語", "Japanese"}, "jv": {"Basa Jawa", "Javanese"},
	"ka": {"ქართული", "Georgian"}, "kk": {"қазақ тілі", "Kazakh"}, "km": {"ខ្មែរ", "Khmer"},
	"kn": {"ಕನ್ನಡ", "Kannada"}, "ko": {"한국어", "Korean"}, "ku": {"kurdî", "Kurdish"},
	"ky": {"кыргызча", "Kyrgyz"}, "la": {"Latina", "Latin"}, "lb": {"Lëtzebuergesch", "Luxembourgish"},
	"lo": {"ລາວ", "Lao"}, "lt": {"lietuvių", "Lithuanian"}, "lv": {"latviešu", "Latvian"},
	"mi": {"Māori", "Māori"}, "mk": {"македонски", "Macedonian"}, "ml": {"മലയാളം", "Malayalam"},
	"mn": {"монгол", "Mongolian"}, "mr": {"मराठी", "Marathi"}, "ms": {"Bahasa Melayu", "Malay"},
	"mt": {"Malti", "Maltese"}, "my": {"မြန်မာ", "Burmese"}, "nb": {"norsk bokmål", "Norwegian Bokmål"},
	"ne": {"नेपाली", "Nepali"}, "nl": {"Nederlands", "Dutch"}, "nn": {"norsk nynorsk", "Norwegian Nynorsk"},
	"no": {"norsk", "Norwegian"}, "or": {"ଓଡ଼ିଆ", "Odia"}, "pa": {"ਪੰਜਾਬੀ", "Punjabi"},
	"pl": {"polski", "Polish"}, "ps": {"پښتو", "Pashto"}, "pt": {"português", "Portuguese"},
	"pt-br": {"português do Brasil", "Brazilian Portuguese"}, "ro": {"română", "Romanian"},
	"ru": {"русский", "Russian"}, "si": {"සිංහල", "Sinhala"}, "sk": {"slovenčina", "Slovak"},
	"sl": {"slovenščina", "Slovenian"}, "so": {"Soomaali", "Somali"}, "sq": {"shqip", "Albanian"},
	"sr": {"српски", "Serbian"}, "sr-latn": {"srpski latinicom", "Serbian in Latin script"},
	"sv": {"svenska", "Swedish"}, "sw": {"Kiswahili", "Swahili"}, "ta": {"தமிழ்", "Tamil"},
	"te": {"తెలుగు", "Telugu"}, "tg": {"тоҷикӣ", "Tajik"}, "th": {"ไทย", "Thai"},
	"tl": {"Tagalog", "Tagalog"}, "tr": {"Türkçe", "Turkish"}, "tt": {"татарча", "Tatar"},
	"ug": {"ئۇيغۇرچە", "Uyghur"}, "uk": {"українська", "Ukrainian"}, "ur": {"اردو", "Urdu"},
	"uz": {"oʻzbekcha", "Uzbek"}, "vi": {"Tiếng Việt", "Vietnamese"}, "xh": {"isiXhosa", "Xhosa"},
	"yi": {"ייִדיש", "Yiddish"}, "yo": {"Yorùbá", "Yoruba"}, "yue": {"粵語", "Cantonese"},
	"zh": {"中文", "Chinese"}, "zh-hans": {"简体中文", "Simplified Chinese"},
	"zh-hant": {"繁體中文", "Traditional Chinese"}, "zu": {"isiZulu", "Zulu"},
}

// scripts are the tags of Chinese that say the script by a place.
var scripts = map[string]string{
	"zh-cn": "zh-hans", "zh-sg": "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant",
}

// unspaced are the languages that are written without blanks between words.
var unspaced = map[string]bool{"zh": true, "yue": true, "ja": true, "th": true, "lo": true, "km": true, "my": true, "bo": true}

var tagForm = regexp.MustCompile(`^[a-z]{2,3}(-[a-z0-9]{1,8}){0,4}$`)

// maxNameBytes is the length of the longest language name that is taken over.
const maxNameBytes = 60

// languageOf names a language as a prompt says it: "Deutsch (German)". lang is
// a BCP 47 tag or the name of a language. It may come from a document: what
// cannot be either counts as "", for which the answer is the language of
// whenNone.
func languageOf(lang, whenNone string) string {
	lang = strings.TrimSpace(lang)
	tag := strings.ToLower(strings.ReplaceAll(lang, "_", "-"))
	if tagForm.MatchString(tag) {
		switch base, _, _ := strings.Cut(tag, "-"); base {
		case "und", "mul", "zxx", "mis":
			return "the language of " + whenNone
		}
		if own, rest := lookUp(tag); own != nil {
			switch {
			case rest && own[0] == own[1]:
				return fmt.Sprintf("%s (%s)", own[0], strings.ReplaceAll(lang, "_", "-"))
			case rest:
				return fmt.Sprintf("%s (%s, %s)", own[0], own[1], strings.ReplaceAll(lang, "_", "-"))
			case own[0] == own[1]:
				return own[0]
			}
			return fmt.Sprintf("%s (%s)", own[0], own[1])
		}
		if len(tag) <= 3 || strings.Contains(tag, "-") {
			return fmt.Sprintf("the language with the tag %q", lang)
		}
	}
	for _, own := range languages {
		if strings.EqualFold(lang, own[0]) || strings.EqualFold(lang, own[1]) {
			if own[0] == own[1] {
				return own[0]
			}
			return fmt.Sprintf("%s (%s)", own[0], own[1])
		}
	}
	if lang == "" || len(lang) > maxNameBytes || !utf8.ValidString(lang) || strings.ContainsFunc(lang, notOfName) || len(strings.Fields(lang)) > 4 {
		return "the language of " + whenNone
	}
	return fmt.Sprintf("the language %q", lang)
}

// lookUp returns the names of a tag's language, nil for one that is not
// listed, and whether the tag says more than they do.
func lookUp(tag string) (own *[2]string, rest bool) {
	if s := scripts[tag]; s != "" {
		tag = s
	}
	for {
		if names, ok := languages[tag]; ok {
			return &names, rest
		}
		i := strings.LastIndexByte(tag, '-')
		if i < 0 {
			return nil, rest
		}
		tag, rest = tag[:i], true
	}
}

// notOfName reports whether no name of a language has such a character.
func notOfName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(" -'’()་", r)
}

// lengthOf says a number of tokens as people and models count: three words for
// four tokens, or as many characters if words are not spaced.
func lengthOf(lang string, tokens int) string {
	n, unit := max(1, tokens-tokens/4), "word"
	base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(strings.TrimSpace(lang), "_", "-")), "-")
	if unspaced[base] {
		unit = "character"
	}
	if n > 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}
