package eval

import (
	"slices"
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval/metric"
)

// outcomes counts what became of questions if an answer may be refused:
// those that the documents answer, and those that they do not
// ([question.Unanswerable]). Questions without known answers and supporting
// records are in none of the counts.
type outcomes struct {
	Answerable int `json:"answerable"`
	Right      int `json:"right"`
	// Partly counts the answers that tell a part of what is expected.
	Partly  int `json:"partly"`
	Wrong   int `json:"wrong"`
	Refused int `json:"refused"`
	// Near counts the refused questions of which one of the nearest passages
	// has the answer.
	Near int `json:"near"`
	// Unanswerable counts the questions that the documents do not answer,
	// RightlyRefused those of them that were refused.
	Unanswerable   int `json:"unanswerable"`
	RightlyRefused int `json:"rightly_refused"`
}

// countOutcomes counts what became of the questions. It returns nil if they were not asked as
// ask does.
// records names the records that bytes of a document are from.
func countOutcomes(questions []question, replies []given, records func(doc string, at [2]int64) []string) *outcomes {
	o := &outcomes{}
	for i := range questions {
		q, a := &questions[i], replies[i].answer
		switch {
		case a == nil:
		case q.Unanswerable:
			o.Unanswerable++
			if !a.Answered {
				o.RightlyRefused++
			}
		case len(q.Answers) == 0 && len(q.Supporting) == 0:
		case !a.Answered:
			o.Answerable++
			o.Refused++
			if slices.ContainsFunc(a.Nearest, func(p rag.Passage) bool { return q.isToldBy(p.Text, records(p.Doc, p.Bytes)) }) {
				o.Near++
			}
		default:
			o.Answerable++
			n, of := q.told(replies[i].text)
			switch {
			case of > 0 && n == of, of == 0 && q.isToldBy(replies[i].text, recordsCited(a, records)):
				o.Right++
			case n > 0:
				o.Partly++
			default:
				o.Wrong++
			}
		}
	}
	if o.Answerable+o.Unanswerable == 0 {
		return nil
	}
	return o
}

// recordsCited returns the records that an answer cites.
func recordsCited(a *rag.Answer, records func(doc string, at [2]int64) []string) []string {
	var out []string
	for _, s := range a.Sources {
		at := s.Bytes
		if s.Sentence != [2]int64{} {
			at = s.Sentence
		}
		out = append(out, records(s.Doc, at)...)
	}
	return out
}

// The known answers that are compared by their terms, and how much of them must
// be told.
const (
	longAnswer = 4 // terms that the question lacks
	toldOfLong = .5
)

// isToldBy reports whether a text answers the question: it contains a known
// answer, or all of its terms that the question does not have, or half of them
// if they are four or more.
// Without known answers it must be from a supporting record.
func (q *question) isToldBy(s string, records []string) bool {
	if n, of := q.told(s); of > 0 {
		return n == of
	}
	if len(q.Answers) == 0 {
		return slices.ContainsFunc(records, func(id string) bool { return slices.Contains(q.Supporting, id) })
	}
	if metric.Accuracy(s, q.Answers) == 1 {
		return true
	}
	has, asked := termSet(s), termSet(q.Text)
	for _, a := range q.Answers {
		n, told := 0, 0
		for t := range termSet(a) {
			if asked[t] {
				continue
			}
			n++
			if has[t] {
				told++
			}
		}
		if n > 0 && told == n || n >= longAnswer && float64(told) >= toldOfLong*float64(n) {
			return true
		}
	}
	return false
}

// termSet returns the terms of a text.
func termSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, t := range (lex.Standard{}).Terms(s) {
		out[t.Text] = true
	}
	return out
}

// readUnanswerable reads questions that the documents do not answer.
func readUnanswerable(path string) ([]question, error) {
	qs, err := readQuestions(path)
	for i := range qs {
		qs[i].Unanswerable, qs[i].Answers, qs[i].Supporting = true, nil, nil
	}
	return qs, err
}

// parseRow reads a line of a table: a question, a tab, and its known answers
// with a | between them.
func parseRow(line string) question {
	text, answers, _ := strings.Cut(line, "\t")
	q := question{Text: strings.TrimSpace(text)}
	answers, _, _ = strings.Cut(answers, "\t")
	for _, a := range strings.Split(answers, "|") {
		if a = strings.TrimSpace(a); a != "" {
			q.Answers = append(q.Answers, a)
		}
	}
	return q
}

// recordsAt names the records that bytes of a document are from.
func (r *runner) recordsAt(doc string, at [2]int64) []string {
	if r.joined == nil {
		return []string{doc}
	}
	return r.joined.recordsAt(at)
}
