package extractive

import (
	"math"
	"regexp"
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// A term is a word that a question asks about.
type term struct {
	word
	at     int // index among the words of the question
	weight float64

	hard    bool     // a name or a number: it must be met
	number  bool     // has a digit or is a single capital: only itself meets it
	light   bool     // says little, or is told by the kind of the answer
	counted bool     // what how many counts
	acronym bool     // would be a function word but for its capitals
	whole   string   // number with points that it is a part of, such as 2.0
	letter  string   // word before a single capital: model of model C
	mod     *word    // content word directly before
	stems   *stemmer // of the question's language, nil for English
}

// readTerms reads the terms of a question and weighs them.
func (q *question) readTerms(stats selection.WordStats) {
	topic := map[string]bool{} // of languages other than English
	if q.lang != "en" {
		for w := range lex.Words(text.Topic(q.text)) {
			topic[w.Text] = true
		}
	}
	var stems *stemmer
	if q.lang != "en" {
		stems = &stemmer{lang: lex.Language(q.lang), known: map[string]string{}}
	}
	capitals := 0
	for i := 1; i < len(q.words); i++ {
		if q.words[i].isCapital() {
			capitals++
		}
	}
	n := float64(stats.Texts())
	for i := range q.words {
		if len(q.terms) == maxTerms {
			break
		}
		t := term{word: q.words[i], at: i, stems: stems}
		digit := hasDigit(t.text)
		letter := !digit && i > 0 && t.isLetter() && !strings.HasPrefix(q.text[t.end:], "'") && !strings.HasPrefix(q.text[t.end:], "’") && t.raw != "I" && t.raw != "A"
		t.acronym = lex.IsStop(t.text) && i > 0 && t.isAllCapitals() && capitals < len(q.words)/2
		if !letter && !t.acronym && (lex.IsStop(t.text) || q.lang != "en" && smallWords[t.text] || len(topic) > 0 && !topic[t.text]) {
			continue
		}
		if q.kind == number && (t.text == "viel" || t.text == "viele") {
			continue
		}
		if t.stem == "" {
			t.stem = t.text
		}
		df := float64(stats.DF(t.stem))
		t.weight = min(maxRarity, math.Log(1+(max(n, df)-df+.5)/(df+.5)))
		if q.german() && (!t.isCapital() || i == 0) && !digit {
			t.weight *= verbWeight // no noun
		}
		if t.acronym {
			t.weight = math.Log(1 + n)
		}
		q.harden(&t, digit, letter, capitals, stats)
		q.soften(&t)
		q.relate(&t)
		q.terms = append(q.terms, t)
	}
}

// pointed matches a number with points, such as that of a version.
var pointed = regexp.MustCompile(`\d+(?:\.\d+)+`)

// harden says whether a term must be met.
func (q *question) harden(t *term, digit, letter bool, capitals int, stats selection.WordStats) {
	if q.asks(t) {
		return
	}
	before := func() *word { return &q.words[t.at-1] }
	upper, lower := stats.Upper(t.text), stats.Lower(t.text)
	switch {
	case digit && t.at > 0 && parts[before().text]:
		t.number, t.light = true, true
		t.weight *= lightWeight
	case digit:
		t.number, t.hard = true, true
		for _, at := range pointed.FindAllStringIndex(q.text, -1) {
			if at[0] <= t.start && t.end <= at[1] {
				t.whole = q.text[at[0]:at[1]]
			}
		}
	case letter:
		t.number, t.hard = true, true
		t.letter = before().text
	case q.german():
	case t.isCapital() && (t.at > 0 || !askers[t.text] && upper >= lower):
		t.hard = true
	case capitals == 0 && upper > 2*lower && upper >= 2:
		t.hard = true
	}
}

// asks reports whether a term is of a phrase that only asks.
func (q *question) asks(t *term) bool { return t.start >= q.asking[0] && t.start < q.asking[1] }

// soften makes a term count less that says little.
func (q *question) soften(t *term) {
	if t.hard {
		return
	}
	if q.asks(t) {
		t.light = true
		t.weight *= kindWeight
	}
	switch {
	case lightWords[t.text]:
		t.light = true
		t.weight *= lightWeight
	case classWords[t.text]:
		t.light = true
		t.weight *= classWeight
	}
	if q.kind.told(t.text) {
		t.light = true
		t.weight *= kindWeight
	}
	if t.text == q.class && (q.kind == anything || q.kind == thing || q.kind == person) {
		t.light = true
		t.weight *= classWeight
	}
	t.counted = q.kind == number && t.text == q.class && !countedPeople[t.text]
}

// relate notes what stands before a term.
func (q *question) relate(t *term) {
	if t.hard || t.at == 0 {
		return
	}
	if n := len(q.terms); n > 0 && q.terms[n-1].at == t.at-1 && !q.terms[n-1].number && !q.terms[n-1].light && q.lang == "en" {
		t.mod = &q.words[t.at-1]
	}
}
