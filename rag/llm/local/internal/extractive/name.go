package extractive

import (
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
)

// readNames finds the names of several words in a question: runs of
// capitalised words, with a connector such as of between two of them.
func (q *question) readNames() {
	ws := q.words
	for i := 0; i < len(ws); {
		run, next := q.nameAt(i)
		if len(run) >= 2 {
			q.names = append(q.names, run)
		}
		i = max(next, i+1)
	}
}

// nameAt returns the words of the name that begins with word i, and the index
// of the word behind it.
func (q *question) nameAt(i int) (run []string, next int) {
	ws := q.words
	for j := i; j < len(ws); j++ {
		w := &ws[j]
		gap := ""
		if j > i {
			gap = strings.TrimSpace(q.text[ws[j-1].end:w.start])
		}
		opens := w.isCapital() && (j > 0 || !askers[w.text]) && (len(run) > 0 || !lex.IsStop(w.text))
		if !opens && len(run) > 0 && gap == "" && !q.german() && connectors[w.text] && q.nameGoesOn(j) {
			run = append(run, w.text)
			continue
		}
		if !opens || gap != "" && gap != "." && gap != "-" && gap != "'" && gap != "’" {
			return run, j
		}
		run = append(run, w.text)
	}
	return run, len(ws)
}

// nameGoesOn reports whether a name goes on behind the connector at word i.
func (q *question) nameGoesOn(i int) bool {
	k := i + 1
	for k+1 < len(q.words) && isArticle(q.words[k].text) {
		k++
	}
	return k < len(q.words) && q.words[k].isCapital() && q.words[i].text != "and" && q.words[i].text != "und"
}
