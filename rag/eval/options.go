package eval

import (
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/rag/eval/metric"
)

// checkOptions holds a question to options that there are letters for, and to
// the letter of one as the right one. The text of the right one is an answer,
// if there is none.
func (q *question) checkOptions() error {
	if len(q.Options) > metric.MaxOptions {
		return fmt.Errorf("%d options: there are letters for %d", len(q.Options), metric.MaxOptions)
	}
	if q.Choice == "" {
		return nil
	}
	// A number would be ambiguous: some data sets count from 0, others from 1.
	at := q.right()
	if at < 0 {
		return fmt.Errorf("answer_idx %q is not the letter of one of %d options", q.Choice, len(q.Options))
	}
	if len(q.Answers) == 0 {
		q.Answers = []string{q.Options[at]}
	}
	return nil
}

// right returns the option that is right: the one of Choice, else the one that
// is an answer; -1 if there is none.
func (q *question) right() int {
	if q.Choice != "" {
		if i := strings.Index(metric.Letters, strings.ToUpper(q.Choice)); len(q.Choice) == 1 && i < len(q.Options) {
			return i
		}
		return -1
	}
	for i, o := range q.Options {
		if metric.ExactMatch(o, q.Answers) == 1 {
			return i
		}
	}
	return -1
}
