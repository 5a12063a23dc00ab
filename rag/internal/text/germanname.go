package text

import (
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
)

// German capitalises all nouns, so that a capital alone makes no name.

// germanSurnames returns the folded last words of the names of several words in
// a text: if they stand alone they are names, too.
func germanSurnames(f *finder, paras []paragraph) map[string]bool {
	known := map[string]bool{}
	var sentences []Span
	for _, p := range paras {
		sentences = appendSentences(sentences[:0], f.text, p)
		for _, sent := range sentences {
			f.read(sent)
			for i := 0; i+1 < len(f.toks); i++ {
				if f.toks[i].capital && f.capitalAt(i+1) && !f.capitalAt(i+2) && !f.stop(i) && !f.stop(i+1) && !isGermanNoun(lex.Fold(f.word(i+1))) {
					known[lex.Fold(f.word(i+1))] = true
				}
			}
		}
	}
	return known
}

// germanName reports whether the capitalised token i of a German text is a name
// by itself.
func (f *finder) germanName(i int) bool {
	folded := lex.Fold(f.word(i))
	if f.surnames[folded] {
		return true
	}
	if isGermanNoun(folded) || i == 0 || f.toks[i].apart {
		return false
	}
	switch strings.ToLower(f.word(i - 1)) {
	case "herr", "herrn", "frau", "dr.", "prof.", "familie":
		return true
	case "in", "aus", "nach", "bei", "von", "fur", "für", "durch", "gegen":
		return true
	case "und", "oder":
		return i > 1 && f.toks[i-2].capital && f.germanName(i-2)
	}
	return false
}

// afterGermanNoun returns the first token of a name in a run of a German text:
// behind an article a noun says what the name behind it is (den Maler Otto
// Brandt, die Zeitung Morgenblatt), unless it has the ending of an adjective.
func (f *finder) afterGermanNoun(first, last int) int {
	if f.lang != "de" || last == first {
		return first
	}
	w := lex.Fold(f.word(first))
	noun := isGermanNoun(w)
	if !noun && first > 0 && f.adjacent(first) {
		switch strings.ToLower(f.word(first - 1)) {
		case "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "seine", "ihre":
			noun = !strings.HasSuffix(w, "e") && !strings.HasSuffix(w, "en") && !isConnector(f.word(first+1)) && f.word(first+1) != "zur" && f.word(first+1) != "zum"
		}
	}
	if !noun || !f.toks[first+1].capital {
		return first
	}
	return first + 1
}

// isGermanCalendar reports whether a folded word is a German month or day.
func isGermanCalendar(w string) bool {
	switch w {
	case "januar", "februar", "marz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "dezember",
		"montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonnabend", "sonntag":
		return true
	}
	return false
}

// isGermanNoun reports whether a folded word is an ordinary German noun: by its
// ending, or one that often stands without an article, or what people and firms
// are.
func isGermanNoun(w string) bool {
	for _, ending := range [...]string{"ung", "ungen", "heit", "heiten", "keit", "keiten", "schaft", "schaften", "tion", "tionen",
		"tat", "taten", "ismus", "nis", "nisse", "innen", "zeit", "arbeit", "jahr", "jahre", "jahren", "meisterin"} {
		if strings.HasSuffix(w, ending) && len(w) > len(ending)+1 || w == ending {
			return true
		}
	}
	switch w {
	case "hause", "haus", "hand", "kraft", "bedarf", "holz", "stein", "wasser", "luft", "feuer", "glas", "metall", "eisen",
		"kinder", "kindern", "leute", "leuten", "menschen", "manner", "mannern", "frauen", "gaste", "gasten", "werke", "werken",
		"beginn", "ende", "anfang", "teil", "teile", "teilen", "uhr", "euro", "prozent", "meter", "kilometer", "stunden", "tagen",
		"wochen", "monaten", "seite", "seiten", "form", "folge", "bezug", "art", "weise", "grund", "betrieb", "not", "stadt",
		"firma", "zeitung", "verein", "maler", "malerin", "minister", "professor", "professorin", "burgermeister", "burgermeisterin",
		"direktor", "direktorin", "leiter", "leiterin", "konig", "konigin", "kaiser", "autor", "autorin", "schriftsteller",
		"komponist", "ingenieur", "trainer", "prasident", "prasidentin", "kanzler", "kanzlerin", "gesellschaft", "fluss", "dorf",
		"krankheit", "fieber", "schmerzen", "strom", "gas", "ol", "benzin", "geld", "angst", "freude", "liebe", "recht",
		"osten", "westen", "norden", "suden", "morgen", "abend", "mittag", "nacht", "winter", "sommer", "herbst", "fruhling":
		return true
	}
	return false
}
