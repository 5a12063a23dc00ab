package text

import (
	"slices"
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/functionword"
)

// maxTermWords is the length of the longest term. English puts the noun that
// counts last, so a longer run keeps its end.
const maxTermWords = 3

// Terms returns the common-noun terms of a text in order, with kind [Common].
// names are what [Names] found in it.
//
// A term is a maximal run of words between names, numbers, punctuation and
// stop words; of a run of more than three words it is the last three. Verbs,
// adverbs, contractions, single letters and words that say little by themselves
// (various, example) part runs as stop words do. A verb that is a noun as well
// (change, support) does not behind another word of its run or an article. A
// run of nothing but adjectives and nouns of any topic (sense, important role)
// is not a term. The capital of a sentence's
// first word does not count; other capitalised words part runs. In the other
// languages of [Language] their function words part runs, too.
//
// A German noun has a capital: each that is not a name is a term. Program text and mark-up
// have no terms.
//
// In Japanese a term is a run of Han or of Katakana, in Chinese what is left of
// a run of Han between function words: two to eight characters. A Korean word
// ends a term with its particle, which is not part of it; verbs are left out.
//
// Texts without names, such as essays, need terms; elsewhere they add noise.
// Deterministic; linear time.
func Terms(text string, names []Name) []Name {
	var out []Name
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b Name) int { return a.Start - b.Start })
	lang := Language(text)
	mixed, english := lang == "", lang == "en" || lang == ""
	sentence, next, named := 0, 0, 0 // names[:next] reach to byte named
	var sentences []Span
	var toks []token
	var run []Span
	emit := func(sp Span) {
		if key := Key(text[sp.Start:sp.End]); key != "" {
			out = append(out, Name{key, text[sp.Start:sp.End], sp.Start, sp.End, Common, sentence})
		}
	}
	flush := func() {
		if n := len(run); n > 0 && (!english || saysMuch(text, run)) {
			emit(Span{run[max(0, n-maxTermWords)].Start, run[n-1].End})
		}
		run = run[:0]
	}
	for _, p := range paragraphs(text) {
		sentences = appendSentences(sentences[:0], text, p)
		if isCode(text[p.Start:p.End]) {
			sentence += len(sentences)
			continue
		}
		if mixed {
			lang = Language(text[p.Start:p.End])
			english = lang == "en" || lang == ""
		}
		for _, sent := range sentences {
			toks = appendTokens(toks[:0], text, sent)
			for i, t := range toks {
				for next < len(names) && names[next].Start < t.end {
					if names[next].Kind == Proper || names[next].Kind == Date {
						named = max(named, names[next].End)
					}
					next++
				}
				if t.apart {
					flush()
				}
				if t.start >= named && isIdeograph(firstRune(text[t.start:])) {
					flush()
					for _, sp := range ideographTerms(text, Span{t.start, t.end}, lang) {
						emit(sp)
					}
					continue
				}
				if lang == "de" && t.capital && t.start >= named {
					flush()
					if w := text[t.start:t.end]; !t.number && isContent(w, lang) && !isGermanCalendar(lex.Fold(w)) && (i > 0 || isGermanNoun(lex.Fold(w))) {
						emit(Span{t.start, t.end})
					}
					continue
				}
				end, particle := koreanStem(text[t.start:t.end])
				if lang == "de" || t.start < named || t.number || t.capital && i > 0 || !isContent(text[t.start:t.start+end], lang) {
					flush()
					continue
				}
				if english && !isNoun(text, toks, i, len(run)) {
					flush()
					continue
				}
				run = append(run, Span{t.start, t.start + end})
				if t.possessive || particle {
					flush()
				}
			}
			flush()
			sentence++
		}
	}
	return out
}

// isContent reports whether a word can be part of a term.
func isContent(word, lang string) bool {
	if isKoreanVerb(word) || functionword.Is(lang, word) {
		return false
	}
	w := Key(word)
	return len(w) > 1 && !isDotted(strings.TrimSuffix(word, ".")) && !isStopIn(lang, w) && !isContraction(word) && !isGeneric(w)
}

// isGeneric reports whether a folded word says little without others: common
// verbs, quantities, adjectives and nouns of any topic.
func isGeneric(w string) bool {
	switch w {
	case
		// Verbs.
		"use", "uses", "used", "using", "make", "makes", "made", "making",
		"take", "takes", "took", "taken", "taking", "give", "gives", "gave",
		"given", "giving", "get", "gets", "got", "getting", "go", "goes",
		"went", "gone", "going", "come", "comes", "came", "coming", "become",
		"becomes", "became", "becoming", "include", "includes", "included",
		"including", "provide", "provides", "provided", "providing", "allow",
		"allows", "allowed", "allowing", "help", "helps", "helped", "helping",
		"lead", "leads", "led", "leading", "play", "plays", "played", "playing",
		"need", "needs", "needed", "show", "shows", "showed", "shown", "say",
		"says", "said", "see", "sees", "saw", "seen", "know", "known", "find",
		"finds", "found", "call", "called", "keep", "keeps", "kept", "let",
		"began", "begin", "begins", "remain", "remains", "remained", "seem",
		"seems", "consist", "consists", "contain", "contains", "based",
		"following", "according", "due", "related", "continue", "continues",
		"continued", "ensure", "ensures", "increase", "increases", "increased",
		"reduce", "reduces", "reduced", "require", "requires", "required",
		"create", "creates", "created", "creating", "offer", "offers",
		"offered", "involve", "involves", "involved", "occur", "occurs",
		// Quantities and order.
		"first", "second", "third", "last", "next", "two", "three", "four",
		"five", "six", "seven", "eight", "nine", "ten", "hundred", "thousand",
		"million", "number", "numbers", "amount", "lot", "part", "parts",
		"half", "less", "least", "single", "various", "variety", "range",
		"multiple", "numerous", "different", "additional", "certain",
		// Adjectives and adverbs.
		"new", "old", "good", "better", "best", "great", "greater", "large",
		"larger", "largest", "small", "smaller", "big", "high", "higher", "low",
		"lower", "long", "short", "early", "late", "later", "important",
		"significant", "main", "major", "key", "possible", "able", "available",
		"common", "similar", "particular", "overall", "essential",
		"crucial", "many", "today", "away", "back", "together", "instead",
		"like", "unlike", "far", "ago", "moreover", "furthermore", "finally",
		// Nouns.
		"way", "ways", "thing", "things", "example", "examples", "case",
		"cases", "kind", "type", "types", "form", "forms", "role", "time",
		"times", "year", "years", "day", "days", "fact", "order", "result",
		"results", "addition", "conclusion", "reason", "reasons", "aspect",
		"aspects", "people", "etc", "eg", "ie",
		// Types and values of programs.
		"string", "strings", "int", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "integer", "float", "float64", "double",
		"bool", "boolean", "char", "null", "nil", "true", "false", "none", "void", "undefined",
		// Words of documents.
		"section", "sections", "start", "end", "note", "notes", "match", "matches", "check", "entry", "entries",
		// German nouns.
		"abbildung", "abbildungen", "anmerkung", "beispiel", "beispiele", "eigenschaft", "eigenschaften", "beschreibung", "anwendung", "klick",
		"teil", "teile", "teilen", "name", "namen", "fall", "falle", "fallen", "hilfe", "moglichkeit", "moglichkeiten", "weise", "wert", "werte", "zeile",
		"art", "arten", "ende", "anfang", "schritt", "schritte", "seite", "seiten", "kapitel", "abschnitt", "aufruf", "einstellung", "einstellungen", "hinweis":
		return true
	}
	return false
}
