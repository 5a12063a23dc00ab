package extractive

import (
	"slices"
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
)

// readVerb finds the main verb of a question: behind the subject of did or
// does, behind who, or the participle at the end.
func (q *question) readVerb() {
	if v := q.mainVerb(); v != nil && !lightWords[v.text] {
		q.verb = &term{word: *v}
		if q.verb.stem == "" {
			q.verb.stem = v.text
		}
	}
}

func (q *question) mainVerb() *word {
	ws := q.words
	if q.german() {
		return q.germanVerb()
	}
	if aux := slices.IndexFunc(ws, func(w word) bool { return w.text == "did" || w.text == "does" || w.text == "do" }); aux >= 0 {
		return verbBehind(ws[aux+1:])
	}
	if i := slices.IndexFunc(ws, func(w word) bool { return w.text == "who" }); i >= 0 {
		if i+1 < len(ws) && !lex.IsStop(ws[i+1].text) {
			return &ws[i+1]
		}
		return nil
	}
	if len(ws) > 3 && isWhich(ws[0].text) && ws[1].stem != "" && isVerb(&ws[2]) {
		return &ws[2] // which ship brought
	}
	if len(ws) < 3 || !slices.ContainsFunc(ws[:3], func(w word) bool { return isWas(w.text) }) {
		return nil
	}
	last := &ws[len(ws)-1]
	asks := ws[0].text == "when" || ws[0].text == "where" || ws[0].text == "how"
	if asks && !lex.IsStop(last.text) && !last.isCapital() && (strings.HasSuffix(last.text, "ed") || last.form != 0 && last.text != "wife") {
		return last
	}
	return nil
}

// isVerb reports whether a word looks like a verb in the past.
func isVerb(w *word) bool {
	return !w.isCapital() && w.stem != "" && (strings.HasSuffix(w.text, "ed") || w.form != 0)
}

func isWas(w string) bool { return w == "was" || w == "were" || w == "is" || w == "are" }

// verbBehind returns the verb behind a subject that follows did or does: the
// first content word behind another one that ends the question or stands
// before a function word.
func verbBehind(ws []word) *word {
	subject := false
	for i := range ws {
		if lex.IsStop(ws[i].text) {
			continue
		}
		if !subject {
			subject = true
			continue
		}
		if !ws[i].isCapital() && (i == len(ws)-1 || lex.IsStop(ws[i+1].text)) {
			return &ws[i]
		}
	}
	return nil
}

// germanVerb returns the verb of a German question: behind wer, or the
// participle or infinitive at its end, behind a form of haben, sein, werden or
// a modal verb.
func (q *question) germanVerb() *word {
	ws := q.words
	if len(ws) < 3 {
		return nil
	}
	last := &ws[len(ws)-1]
	helped := slices.ContainsFunc(ws[:min(len(ws), 4)], func(w word) bool { return germanAuxiliaries[w.text] })
	if helped {
		if !last.isCapital() && isParticiple(last.text) {
			return last
		}
		return nil
	}
	if ws[0].text == "wer" && !ws[1].isCapital() && !determiners[ws[1].text] {
		return &ws[1]
	}
	return nil
}

var germanAuxiliaries = set(`hat haben hatte hatten ist sind war waren wird werden wurde wurden`)

// isParticiple reports whether a German word looks like a participle.
func isParticiple(w string) bool {
	return len(w) > 5 && (strings.HasSuffix(w, "t") || strings.HasSuffix(w, "en"))
}

// readSubject finds the subject of a question such as "When was the X done?":
// the run of content words behind the verb. A sentence that answers has one of
// them, or a pronoun.
func (q *question) readSubject() {
	ws := q.words
	if len(ws) < 4 || q.german() {
		return
	}
	i := 0
	byAdjective := false // how old is the X
	switch ws[0].text {
	case "when", "where", "why":
		i = 1
	case "how":
		if i = 1; !isHelper(ws[1].text) {
			i, byAdjective = 2, isWas(ws[2].text)
			if !isHelper(ws[2].text) && isHelper(ws[3].text) {
				i = 3 // how many bytes does
			}
		}
	case "which", "what":
		i = 2
	case "in":
		if ws[1].text != "which" {
			return
		}
		i = 3
	default:
		return
	}
	if i >= len(ws) || !isHelper(ws[i].text) {
		return
	}
	if i++; i < len(ws) && determiners[ws[i].text] {
		i++
	}
	last := len(ws) - 1
	for n := 0; n < 3 && i < len(ws); n, i = n+1, i+1 {
		if lex.IsStop(ws[i].text) || i == last && !byAdjective {
			break
		}
		q.subject = append(q.subject, term{word: ws[i]})
	}
}

// isHelper reports whether a word is a verb that a question turns round.
func isHelper(w string) bool {
	switch w {
	case "was", "were", "is", "are", "did", "does", "do", "has", "have", "will":
		return true
	}
	return false
}
