package extractive

import (
	"regexp"
	"slices"
	"strings"
)

// A kind is what sort of thing a question asks for.
type kind uint8

const (
	anything kind = iota
	definition
	yesOrNo
	manner
	reason
	comparison // of two
	thing      // one of a class, by its name
	person
	date
	place
	number
	money
	weight
	duration
	length
	size
	age
)

// valued reports whether a kind asks for a value that can be seen in a
// sentence.
func (k kind) valued() bool { return k >= thing }

// measures are the kinds that the word behind how or wie asks for.
var measures = map[string]kind{
	"many": number, "few": number, "fast": number, "noisy": number, "loud": number, "hot": number, "cold": number, "warm": number, "strong": number,
	"viel": number, "viele": number, "vielen": number, "schnell": number, "laut": number, "heiss": number, "kalt": number, "stark": number,
	"large": size, "big": size, "gross": size,
	"old": age, "alt": age,
	"long": duration, "often": duration, "frequently": duration, "lange": duration, "oft": duration, "haufig": duration,
	"far": length, "high": length, "tall": length, "deep": length, "wide": length, "thick": length,
	"hoch": length, "tief": length, "weit": length, "breit": length, "lang": length, "dick": length,
	"heavy": weight, "schwer": weight, "expensive": money, "teuer": money,
}

// askedWords maps other question words to the kind of answer that they ask for.
// A word of two languages asks for the same kind in both.
var askedWords = map[string]kind{
	"who": person, "whom": person, "whose": person, "wer": person, "wem": person, "wen": person, "wessen": person,
	"qui": person, "quien": person, "chi": person, "quem": person,
	"when": date, "wann": date, "quand": date, "cuando": date, "wanneer": date,
	"where": place, "wo": place, "woher": place, "wohin": place, "donde": place, "dove": place, "onde": place, "waar": place,
	"why": reason, "warum": reason, "wieso": reason, "weshalb": reason, "pourquoi": reason, "perche": reason,
	"combien": number, "cuanto": number, "cuantos": number, "cuantas": number, "quanto": number, "quanti": number, "hoeveel": number, "wieviel": number,
	"wieviele": number,
}

// classes are the kinds of nouns that name what is asked for, behind which or
// what.
var classes = map[string]kind{
	"country": place, "city": place, "state": place, "county": place, "town": place, "continent": place, "district": place, "region": place,
	"province": place, "river": place, "village": place, "land": place, "stadt": place, "ort": place, "fluss": place, "kontinent": place, "dorf": place,
	"person": person, "president": person, "actor": person, "actress": person, "singer": person, "author": person, "king": person, "director": person,
	"engineer": person, "architect": person, "autor": person, "autorin": person, "prasident": person, "architekt": person,
	"year": date, "date": date, "century": date, "day": date, "month": date, "jahr": date, "jahre": date, "datum": date, "tag": date, "monat": date,
	"jahrhundert": date, "annee": date, "ano": date,
	"port": number, "version": number, "range": number, "limit": number, "percentage": number, "bereich": number, "grenze": number, "limite": number,
}

// topics are the kinds of nouns that say what a question with what asks for,
// wherever they stand in it.
var topics = map[string]kind{
	"year": date, "date": date, "century": date,
	"population": number, "percentage": number, "percent": number, "einwohnerzahl": number, "anzahl": number,
	"price": money, "cost": money, "costs": money, "fee": money, "salary": money, "preis": money, "kostet": money, "kosten": money, "gebuhr": money,
	"weight": weight, "wiegt": weight, "gewicht": weight,
}

// readKind reads what sort of thing a question asks for, and the noun that
// names it: "which river" asks for a place and names it a river.
func (q *question) readKind() {
	ws := q.words
	if at := asksPreset.FindStringIndex(q.text); at != nil {
		q.preset, q.asking = true, [2]int(at)
	} else if at := asksContrast.FindStringIndex(q.text); at != nil {
		q.kind, q.asking = comparison, [2]int(at)
		return
	} else if at := namesMeaning.FindStringIndex(q.text); at != nil {
		q.kind, q.asking = definition, [2]int(at)
		return
	} else if at := asksReason.FindStringIndex(q.text); at != nil {
		q.kind, q.asking = reason, [2]int(at)
		return
	} else if asksMeaning.MatchString(q.text) {
		q.kind = definition
		return
	}
	at := func(i int) string {
		if i >= 0 && i < len(ws) {
			return ws[i].text
		}
		return ""
	}
	if q.opensWithVerb() {
		q.kind = yesOrNo
		return
	}
	for i := range ws {
		if w := ws[i].text; w == "wie" && (at(i+1) == "heisst" || at(i+1) == "heissen") {
			q.kind = thing
			return
		} else if w == "how" || w == "wie" {
			q.kind, q.class = q.measured(at(i+1), at(i+2))
			return
		}
	}
	for i := range ws {
		k := askedWords[ws[i].text]
		if k == anything || q.lang == "en" && !q.english[ws[i].text] {
			continue
		}
		if k == date && i == 0 && slices.ContainsFunc(ws[1:], func(w word) bool { return isWhich(w.text) && q.text[max(0, w.start-2)] == ',' }) {
			continue // a clause
		}
		if k == date && slices.Contains([]string{"should", "to", "soll", "sollte"}, at(i+1)) {
			return // a condition
		}
		if k == person && q.defines() && !q.has("of", "the") {
			k = definition
		}
		q.kind = k
		if k == number {
			if q.class = at(i + 1); q.class == "de" {
				q.class = at(i + 2)
			}
		}
		return
	}
	i := slices.IndexFunc(ws, func(w word) bool { return isWhich(w.text) })
	if i < 0 {
		clause := 0
		if at := strings.LastIndexByte(q.text, ','); at > 0 {
			clause = max(0, slices.IndexFunc(ws, func(w word) bool { return w.start > at })) // if I do, does it
		}
		if len(ws) > 0 && (auxiliaries[ws[0].text] || auxiliaries[ws[clause].text]) {
			q.kind = yesOrNo
		}
		return
	}
	if j := slices.IndexFunc(ws, func(w word) bool { return isWhich(w.text) && w.text != "what" && w.text != "was" }); j >= 0 {
		i = j
	}
	q.class = at(i + 1)
	if q.kind = classes[q.class]; q.kind != anything {
		if q.kind == number {
			q.class = "" // nothing is counted
		}
		return
	}
	if n := i + 2; isHelper(at(i + 1)) { // what is the port of
		if determiners[at(n)] {
			n++
		}
		if classes[at(n)] == number {
			q.kind, q.class = number, ""
			return
		}
	}
	for j := range ws {
		if k := topics[ws[j].text]; k != anything && !(ws[j].text == "date" && at(j+1) == "format") && !(k == weight && q.class == "of") {
			q.kind = k
			return
		}
	}
	switch {
	case q.defines():
		q.kind = definition
	case ws[i].text != "was" && ws[i].text != "what" || q.has("called", "heisst", "name", "nom"):
		q.kind = thing
	}
}

// opensWithVerb reports whether the last sentence of a question begins as those do that
// want yes or no. One that asks to be told something does not.
func (q *question) opensWithVerb() bool {
	at := 0
	if end := sentenceEnd.FindAllStringIndex(q.text, -1); len(end) > 0 {
		at = end[len(end)-1][1]
	}
	i := slices.IndexFunc(q.words, func(w word) bool { return w.start >= at })
	if i < 0 || i+1 >= len(q.words) || q.has("tell", "explain", "know", "sagen", "erklaren", "wissen", "dire", "savoir", "or", "oder", "ou") {
		return false
	}
	first, next := q.words[i].text, q.words[i+1].text
	if first == "was" && q.lang != "en" {
		return false
	}
	if q.german() {
		verb := strings.HasSuffix(first, "t") || strings.HasSuffix(first, "e") || strings.HasSuffix(first, "en")
		return auxiliaries[first] || verb && !askers[first] && !smallWords[first] && smallWords[next]
	}
	return auxiliaries[first]
}

// sentenceEnd matches the end of a sentence that another follows.
var sentenceEnd = regexp.MustCompile(`[.!?;:] +`)

// isWhich reports whether a word asks for one of a class.
func isWhich(w string) bool {
	switch w {
	case "what", "which", "was", "welche", "welcher", "welches", "welchen", "welchem", "que", "quel", "quelle", "cual", "qual", "quale":
		return true
	}
	return false
}

// measured returns what how or wie asks for with the word behind it, and what
// is counted.
func (q *question) measured(w, next string) (kind, string) {
	switch w {
	case "much", "viel":
		switch {
		case q.has("cost", "costs", "price", "pay", "paid", "kostet", "kosten", "euro"):
			return money, ""
		case q.has("weigh", "weighs", "weight", "wiegt"):
			return weight, ""
		case w == "viel":
			return number, next
		}
		return number, ""
	case "many", "viele", "vielen":
		return number, next
	}
	if k, ok := measures[w]; ok {
		return k, ""
	}
	return manner, ""
}

// defines reports whether a question is "What is X?" with an X of at most three
// words.
func (q *question) defines() bool {
	ws := q.words
	if len(ws) < 3 {
		return false
	}
	switch ws[0].text {
	case "what", "who", "was", "wer":
	default:
		return false
	}
	switch ws[1].text {
	case "is", "are", "was", "were", "ist", "sind", "war", "waren":
	default:
		return false
	}
	n := 0
	for i := range ws[2:] {
		w := &ws[2+i]
		if w.text == "of" {
			return false // the price of a ticket
		}
		if w.stem != "" && !determiners[w.text] {
			n++
		}
	}
	return n >= 1 && n <= 3
}

// told reports whether a word of a question is told by the kind of its answer:
// a date need not say year.
func (k kind) told(w string) bool {
	switch k {
	case date:
		return toldByDate[w]
	case place:
		return toldByPlace[w]
	case number:
		return toldByNumber[w]
	case money:
		return toldByMoney[w]
	case weight:
		return toldByWeight[w]
	case duration:
		return toldByDuration[w]
	case size:
		return toldBySize[w]
	case length:
		return toldByLength[w]
	case age:
		return toldByAge[w]
	case person:
		return toldByPerson[w]
	}
	return false
}

var (
	toldByDate     = set(`year date day month time jahr datum tag monat zeit`)
	toldByPlace    = set(`located location situated place city country state county town continent district region province address ort stadt land liegt befindet`)
	toldByNumber   = set(`most least maximum minimum maximal minimal hochstens mindestens wenigstens number amount many much people old large big population percentage anzahl viel viele`)
	toldByMoney    = set(`cost costs price much kostet kosten preis viel teuer euro`)
	toldByWeight   = set(`weigh weighs weight heavy much wiegt gewicht schwer viel`)
	toldByDuration = set(`most least maximum minimum maximal minimal hochstens mindestens wenigstens long last lasts take takes often lange dauert dauer oft`)
	toldBySize     = set(`most least maximum minimum maximal minimal hochstens mindestens wenigstens large big size gross grosse`)
	toldByLength   = set(`most least maximum minimum maximal minimal hochstens mindestens wenigstens far high tall deep wide thick hoch tief weit breit lang dick`)
	toldByAge      = set(`old age alt alter`)
	toldByPerson   = set(`name person people heisst namen`)
)
