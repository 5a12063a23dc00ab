package extractive

import (
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
)

func isWas(w string) bool { return w == "was" || w == "were" || w == "is" || w == "are" }

// readVerb finds the verb in the past of a question such as "Which ship brought the X?".
func (q *question) readVerb() {
	ws := q.words
	if len(ws) < 4 || !isWhich(ws[0].text) || ws[1].stem == "" {
		return
	}
	if v := ws[2]; v.stem != "" && !v.isCapital() && !lightWords[v.text] && (strings.HasSuffix(v.text, "ed") || v.form != 0) {
		q.verb = &term{word: v}
	}
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
