package extractive

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/text"
)

var (
	clockTime = regexp.MustCompile(`(?i)\b\d{1,2}(:|h)\d{2}\b|\d ?[ap]\.?m\b|o['’]clock|years? ago|\bv\. ?chr|\d ?bc\b|\d uhr\b`)
	// lifeDates stand in brackets behind the name of a person.
	lifeDates = regexp.MustCompile(`\([^()]{0,60}\b\d{3,4}[^()]{0,40}\s?[–-]|\(\*|\((?:born|geboren) `)
	cityState = regexp.MustCompile(`\p{Lu}\w+, \p{Lu}\w+`)
)

// hasValue reports whether a sentence has what the question asks for: a value
// of its kind that the question does not have itself. name is the name that its
// pronoun stands for, "" for none.
func (q *question) hasValue(s *sentence, name string) bool {
	switch q.kind {
	case person:
		return q.hasPerson(s) || name != "" && q.isNew(text.Key(name))
	case date:
		return q.hasDate(s)
	case place:
		return q.hasPlace(s)
	case thing:
		return q.preset || q.hasName(s)
	case number, money, weight, duration, length, size, age:
		return q.hasQuantity(s)
	}
	return true
}

// isNew reports whether a key has a content word that the question lacks.
func (q *question) isNew(key string) bool {
	return slices.ContainsFunc(strings.Fields(key), func(w string) bool {
		return !q.known[w] && !lex.IsStop(w) && !q.known[strings.TrimSuffix(w, "s")]
	})
}

// hasName reports whether a sentence has a word that the question lacks and that
// is written as the names of things are: with signs or digits within, with a
// capital within, in quotes, or in German and English with a capital where none is due.
func (q *question) hasName(s *sentence) bool {
	if len(s.words) > 2 {
		subject, next := 0, 1
		if opensDefinite(s.words[0].text) {
			subject, next = 1, 2 // the sweeper joins files
		}
		if w := &s.words[subject]; w.stem != "" && !q.asksFor(w) && !q.known[w.text] && q.asksFor(&s.words[next]) {
			return true
		}
	}
	for i := range s.words {
		w := &s.words[i]
		if q.known[w.text] || w.stem == "" {
			continue
		}
		before, after := ' ', ' '
		if w.start > 0 {
			before, _ = utf8.DecodeLastRuneInString(s.text[:w.start])
		}
		if w.end < len(s.text) {
			after, _ = utf8.DecodeRuneInString(s.text[w.end:])
		}
		switch {
		case strings.Contains(s.text, " | "):
			return true // another cell
		case strings.ContainsRune("\"“„»«‘`'*/_-+:$", before) && (before != '-' || w.start > 1 && s.text[w.start-2] == ' ' || w.start == 1),
			strings.ContainsRune("_/(`", after), hasDigit(w.text), strings.ToLower(w.raw[1:]) != w.raw[1:]:
			return true
		case i > 0 && w.isCapital() && !q.german() && before == ' ' && !strings.ContainsRune(".:!?", lastSign(s.text[:w.start])):
			return true
		}
	}
	return false
}

// lastSign returns the last character of a text that is no blank.
func lastSign(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, " "))
	return r
}

// hasPerson reports whether a sentence has a person or a body of persons.
func (q *question) hasPerson(s *sentence) bool {
	for i := range s.words {
		w := &s.words[i]
		if people[w.text] && !q.known[w.text] || isTrade(w.text) && !q.known[w.text] {
			return true
		}
	}
	for _, n := range text.Names(s.text, nil) {
		if n.Kind == text.Proper && q.isNew(n.Key) && (!q.german() || isGermanName(s.text, n)) {
			return true
		}
	}
	return false
}

// isTrade reports whether a word ends as words for persons do.
func isTrade(w string) bool {
	return len(w) > 5 && (strings.HasSuffix(w, "ists") || strings.HasSuffix(w, "ist") || strings.HasSuffix(w, "ians") || strings.HasSuffix(w, "ian"))
}

// isGermanName reports whether a capitalised word of a German sentence is a
// name rather than a noun: it has two words, or no article, adjective or number
// before it and no ending of an abstract noun.
func isGermanName(s string, n text.Name) bool {
	if strings.Contains(n.Key, " ") {
		return true
	}
	for _, end := range []string{"ung", "ungen", "heit", "keit", "schaft", "tion", "nis", "tat", "zeit", "er", "en"} {
		if strings.HasSuffix(n.Key, end) && !strings.HasSuffix(n.Key, "mann") {
			return false
		}
	}
	before := lastWords(s[:n.Start])
	if len(before) == 0 {
		return false // capitalised by its place
	}
	w := before[len(before)-1].text
	switch w {
	case "von", "durch", "ist", "war", "hat", "wurde":
		return true
	}
	return false
}

// hasDate reports whether a sentence tells when.
func (q *question) hasDate(s *sentence) bool {
	for i := range s.words {
		w := &s.words[i]
		switch {
		case q.known[w.text]:
		case isYear(w.text):
			return true
		case months[w.text] && (!isAmbiguousMonth(w.text) || i > 0 && w.isCapital()):
			return true
		case dates[w.text] && !(w.text == "morgen" && w.isCapital()):
			return true
		case everyDay[w.text] && i > 0 && ordinal[s.words[i-1].text]:
			return true
		}
	}
	return clockTime.MatchString(s.text)
}

func isAmbiguousMonth(w string) bool {
	return w == "may" || w == "march" || w == "mar" || w == "mars" || w == "mai" || w == "dec" || w == "sept" || w == "jan"
}

// isYear reports whether a word is a year from 1000 to 2099, or a decade.
func isYear(w string) bool {
	w = strings.TrimSuffix(w, "s")
	return len(w) == 4 && (w[0] == '1' || w[0] == '2' && w[1] == '0') && strings.Trim(w, "0123456789") == ""
}

// hasPlace reports whether a sentence tells where.
func (q *question) hasPlace(s *sentence) bool {
	life := q.has("born", "die", "died", "geboren", "gestorben")
	for i := range s.words {
		w := &s.words[i]
		if q.class == "continent" || q.class == "kontinent" {
			if continents[w.text] && !q.known[w.text] {
				return true
			}
			continue
		}
		if !placeBefore[w.text] {
			continue
		}
		k := i + 1
		for k < len(s.words) && k < i+3 && determiners[s.words[k].text] {
			k++
		}
		if k >= len(s.words) {
			continue
		}
		at := &s.words[k]
		if q.known[at.text] || at.stem == "" || isNumeral(at.text) || hasDigit(at.text) || months[at.text] || dates[at.text] {
			continue
		}
		switch {
		case life && bornIn[w.text] && at.isCapital():
			return true
		case !life && (at.isCapital() || q.class == "" || !isWhichClass(q.class)):
			return true
		}
	}
	if life {
		m := lifeDates.FindString(s.text)
		return m != "" && slices.ContainsFunc(text.Names(m, nil), func(n text.Name) bool {
			return n.Kind == text.Proper && q.isNew(n.Key) && !q.hasDate(&sentence{text: n.Surface, words: wordsOf(n.Surface)})
		})
	}
	return q.class != "continent" && cityState.MatchString(s.text)
}

// isWhichClass reports whether a noun names a class of places, which are names.
func isWhichClass(w string) bool { return classes[w] == place }

// isNumeral reports whether a folded word is a written number.
func isNumeral(w string) bool { return numerals[w] }

// hasQuantity reports whether a sentence has a number that the question lacks,
// with a unit of the kind asked for.
func (q *question) hasQuantity(s *sentence) bool {
	found, unit, free := false, false, false
	for i := range s.words {
		w := &s.words[i]
		if !q.known[w.text] && isNumber(s, i) {
			if !isYear(w.text) || q.preset || i+1 < len(s.words) && q.isUnit(s.words[i+1].text) {
				found = true
			}
		}
		unit = unit || q.isUnit(w.text) || q.isUnit(behindDigits(w.text))
		free = free || freeWords[w.text]
	}
	switch q.kind {
	case money:
		return (found || free) && (unit || strings.ContainsAny(s.text, "$€£¥"))
	case duration:
		return unit && (found || q.hasFrequency(s))
	case length:
		return found && (unit || q.has("high", "hoch") && (strings.ContainsAny(s.text, "%$€£¥") || slices.ContainsFunc(s.words, func(w word) bool { return rateWords[w.text] || moneyWords[w.text] })))
	case number:
		return found && q.isCounted(s)
	}
	return found && unit
}

// isCounted reports whether a sentence has a number by what is counted, if the
// question names that and the sentence does.
func (q *question) isCounted(s *sentence) bool {
	const near = 4 // words
	stem := stemOf(q.class)
	named := false
	for i := range s.words {
		if q.class == "" || s.words[i].stem != stem && s.words[i].text != q.class {
			continue
		}
		named = true
		for k := max(0, i-near); k <= min(len(s.words)-1, i+near); k++ {
			if k == i+1 && s.text[s.words[i].end:s.words[k].start] == " " {
				continue // page 4 is a name
			}
			if isNumber(s, k) {
				return true
			}
		}
	}
	return !named
}

// isNumber reports whether word i of a sentence is a number that does not count the items
// of a list.
func isNumber(s *sentence, i int) bool {
	w := s.words[i].text
	return isNumeral(w) || w != "" && w[0] >= '0' && w[0] <= '9' && !(i == 0 && numbered.MatchString(s.text))
}

// hasFrequency reports whether a sentence has a word such as daily, or every and a unit.
func (q *question) hasFrequency(s *sentence) bool {
	for i := range s.words {
		switch w := s.words[i].text; w {
		case "every", "alle", "jede", "jeden":
			if i+1 < len(s.words) && durationWords[s.words[i+1].text] {
				return true
			}
		default:
			if frequencyWords[w] {
				return true
			}
		}
	}
	return false
}

// isUnit reports whether a word is a unit of the kind asked for, or what is
// counted.
func (q *question) isUnit(w string) bool {
	switch q.kind {
	case money:
		return moneyWords[w]
	case weight:
		return weightWords[w]
	case duration:
		return durationWords[w] || textUnits[w] || lengthWords[w] && w != "in" && w != "m"
	case length:
		return lengthWords[w] && w != "in" || textUnits[w]
	case size:
		return lengthWords[w] && w != "in" || areaWords[w] || textUnits[w]
	case age:
		return ageWords[w]
	}
	return w != "" && w == q.class
}

// behindDigits returns what stands behind the digits of a word such as 14kg.
func behindDigits(w string) string {
	if w == "" || w[0] < '0' || w[0] > '9' {
		return ""
	}
	return strings.TrimLeftFunc(w, unicode.IsDigit)
}
