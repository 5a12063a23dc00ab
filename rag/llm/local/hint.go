package local

import (
	"slices"
	"strings"
	"unicode"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// asks is what sort of thing a question asks for.
type asks uint8

const (
	asksAnything asks = iota
	asksName          // who, whom, whose, where; which or what with a place
	asksDate          // when; what or which year
	asksNumber        // how many, how much; what population
)

// A hint says what an answer to a question should hold: a thing of the sort
// asked for that the question does not hold itself.
type hint struct {
	asks  asks
	words map[string]bool // of the question
}

// hintOf reads the hint off the words of a question.
func (p *Provider) hintOf(question string) hint {
	h := hint{words: map[string]bool{}}
	var words []string
	for w := range lex.Words(question) {
		words = append(words, w.Text)
		h.words[w.Text] = true
	}
	after := func(w string) string {
		if i := slices.Index(words, w); i >= 0 && i+1 < len(words) {
			return words[i+1]
		}
		return ""
	}
	has := func(list ...string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return h.words[w] })
	}
	if h.asks = asksElsewhere(question, h.words); h.asks != asksAnything {
		return h
	}
	switch next := after("how"); {
	case next == "many" || next == "much" || next == "old" || next == "long" || next == "tall" || next == "far" || next == "large":
		h.asks = asksNumber
	case has("when"), has("what", "which", "in") && has("year", "date", "century", "decade", "month"):
		h.asks = asksDate
	case has("what") && has("population", "percentage", "number", "amount", "price", "area"):
		h.asks = asksNumber
	case has("who", "whom", "whose", "where"),
		has("which", "what") && has("country", "city", "state", "county", "town", "river", "continent",
			"name", "person", "company", "place", "district", "region", "team", "band", "label"):
		h.asks = asksName
	}
	return h
}

// asksElsewhere reads what questions in other languages than English ask for.
// In those without blanks between words it is a phrase of the question, in the
// others one of its words.
func asksElsewhere(question string, words map[string]bool) asks {
	lang := text.Language(question)
	for _, l := range [...]struct {
		asks    asks
		phrases []string
		words   []string
	}{
		{asksDate, []string{"什么时候", "什麼時候", "何时", "何時", "哪年", "哪一年", "几月", "幾月", "いつ", "何年", "언제", "몇 년"},
			[]string{"wann", "quand", "cuando", "quando", "wanneer", "когда", "متى", "מתי"}},
		{asksNumber, []string{"多少", "几", "幾", "いくつ", "いくら", "何人", "몇", "얼마"},
			[]string{"wieviel", "wieviele", "combien", "cuanto", "cuantos", "quanto", "hoeveel", "сколько", "كم", "כמה"}},
		{asksName, []string{"谁", "誰", "哪里", "哪裡", "哪儿", "在哪", "何处", "だれ", "どこ", "누가", "누구", "어디"},
			[]string{"wer", "wen", "wem", "wessen", "wo", "woher", "wohin", "qui", "quien", "donde", "chi", "dove", "quem", "onde", "waar", "кто", "где", "اين", "מי", "איפה", "היכן"}},
	} {
		for _, p := range l.phrases {
			if strings.Contains(question, p) {
				return l.asks
			}
		}
		for _, w := range l.words {
			if words[w] && lang != "en" {
				return l.asks
			}
		}
	}
	if words["wie"] && (words["viel"] || words["viele"]) {
		return asksNumber
	}
	return asksAnything
}

// in reports whether a sentence holds what the question asks for.
func (h hint) in(p *Provider, sentence string) bool {
	switch h.asks {
	case asksNumber:
		for w := range lex.Words(sentence) {
			if unicode.IsDigit(rune(w.Text[0])) && !h.words[w.Text] || isNumeral(w.Text) {
				return true
			}
		}
	case asksName, asksDate:
		for _, n := range text.Names(sentence, p.names) {
			if (n.Kind == text.Date) == (h.asks == asksDate) && h.isNew(n.Key) {
				return true
			}
		}
	}
	return false
}

// isNew reports whether no word of a name is in the question.
func (h hint) isNew(key string) bool {
	return !slices.ContainsFunc(strings.Fields(key), func(w string) bool { return h.words[w] })
}

// isNumeral reports whether a folded word is a written number.
func isNumeral(w string) bool {
	switch w {
	case "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
		"eleven", "twelve", "twenty", "thirty", "forty", "fifty", "hundred",
		"thousand", "million", "billion", "dozen",
		"二", "三", "四", "五", "六", "七", "八", "九", "十", "百", "千", "万", "萬", "两", "兩":
		return true
	}
	return false
}
