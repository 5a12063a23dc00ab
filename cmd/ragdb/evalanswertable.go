package main

import (
	"fmt"

	"github.com/ragdb/ragdb/rag/eval"
)

// answerColumns are those of the methods' answers, with their price.
func answerColumns() []eval.Column {
	return append(eval.AnswerColumns(), eval.Column{Name: "answer price", Text: func(f *eval.Figure) string {
		if f.Answers == nil || f.Answers.USD == nil {
			return none
		}
		return money(*f.Answers.USD)
	}})
}

// between writes an interval of shares in percent.
func between(ci *[2]float64) string {
	if ci == nil {
		return none
	}
	return fmt.Sprintf("%+.1f…%+.1f", 100*ci[0], 100*ci[1])
}

// answerer returns the model that answered, "" if none did.
func answerer(r *eval.Report) string {
	for i := range r.Methods {
		if f := r.Methods[i].Answers; f != nil {
			return f.Model
		}
	}
	return ""
}

// printEvalAnswers prints the figures of the answers, for people.
func (a *app) printEvalAnswers(r *eval.Report) {
	model := answerer(r)
	if model == "" {
		return
	}
	a.out.print("\n%s\n", a.out.dim("answers of "+model))
	a.out.rows(a.tableOf(r, &table{}, answerColumns()))
	for i := range r.Methods {
		if f := r.Methods[i].Answers; f != nil && f.Failed > 0 {
			a.out.note("%s: %s of %s failed, the first since %s", r.Methods[i].Name, number(f.Failed), plural(len(r.Asked), "answer"), f.Failure)
		}
	}
	a.printOutcomes(r)
	a.printEvalAtAnswers(r)
	for i := range r.Judging {
		a.printJudging(&r.Judging[i])
	}
}

// printOutcomes prints how many answers were right, wrong and refused.
func (a *app) printOutcomes(r *eval.Report) {
	t := &table{head: []string{"method", "questions", "right", "partly", "wrong", "refused", "near", "right or near", "unanswerable", "refused", "%"}, right: []bool{false, true, true, true, true, true, true, true, true, true, true}}
	for i := range r.Methods {
		f := r.Methods[i].Answers
		if f == nil || f.Outcomes == nil {
			continue
		}
		o := f.Outcomes
		rightly := none
		if o.Unanswerable > 0 {
			share := float64(o.RightlyRefused) / float64(o.Unanswerable)
			rightly = percent(&share)
		}
		t.add(o, r.Methods[i].Name, number(o.Answerable), number(o.Right), number(o.Partly), number(o.Wrong), number(o.Refused), number(o.Near), number(o.Right+o.Near), number(o.Unanswerable), number(o.RightlyRefused), rightly)
	}
	if len(t.rows) > 0 {
		a.out.print("\n%s\n", a.out.dim("answers and refusals; near: the answer is among the nearest three passages"))
		a.out.rows(t)
	}
}

// printJudging prints how a judge ruled on each two methods: the answers of those in the
// rows against the answers of those in the columns.
func (a *app) printJudging(j *eval.Judging) {
	a.printPairs("answers judged by "+j.Judge, j.Pairs)
	for _, at := range j.At {
		a.printPairs(fmt.Sprintf("answers from %s, judged by %s", plural(at.Budget, "token"), j.Judge), at.Pairs)
	}
	line := plural(j.Verdicts, "verdict") + " · " + number(j.Failed) + " failed"
	if j.FirstShown != nil {
		line += " · " + percent(j.FirstShown) + " % for the answer shown first"
	}
	line += " · " + plural(j.InTokens+j.OutTokens, "token")
	if j.USD != nil {
		line += " · " + money(*j.USD)
	}
	a.out.print("%s\n", a.out.dim(line))
	if j.Failed > 0 {
		a.out.note("judge %s: %s of %s failed, the first since %s", j.Judge, number(j.Failed), plural(j.Verdicts, "verdict"), j.Failure)
	}
}

// printPairs prints pairs of methods as a table, and those against the gold answers as
// another.
func (a *app) printPairs(title string, of []eval.Pair) {
	var names []string
	seen := map[string]bool{}
	pairs := map[[2]string]*eval.Pair{}
	for i := range of {
		p := &of[i]
		pairs[[2]string{p.A, p.B}] = p
		for _, n := range []string{p.A, p.B} {
			if !seen[n] {
				seen[n] = true
				names = append(names, n)
			}
		}
	}
	t := &table{head: []string{"win/tie/loss"}, right: []bool{false}}
	for _, n := range names {
		t.head, t.right = append(t.head, n), append(t.right, true)
	}
	for _, row := range names {
		cells := []string{row}
		for _, column := range names {
			cells = append(cells, standing(pairs, row, column))
		}
		if row != eval.GoldAnswers {
			t.add(nil, cells...)
		}
	}
	a.out.print("\n%s\n", a.out.dim(title))
	a.out.rows(t)
	gold := &table{head: []string{"against the gold answers", "win+tie", "of", "wins less losses"}, right: []bool{false, true, true, true}}
	for _, p := range of {
		if p.B == eval.GoldAnswers {
			gold.add(p, p.A, percent(p.WinTie), number(p.Questions), between(p.CI))
		}
	}
	if len(gold.rows) > 0 {
		a.out.print("\n")
		a.out.rows(gold)
	}
}

// standing writes how a did against b, whichever stands first in their pair.
func standing(pairs map[[2]string]*eval.Pair, a, b string) string {
	if p := pairs[[2]string{a, b}]; p != nil {
		return fmt.Sprintf("%d/%d/%d", p.Wins, p.Ties, p.Losses)
	}
	if p := pairs[[2]string{b, a}]; p != nil {
		return fmt.Sprintf("%d/%d/%d", p.Losses, p.Ties, p.Wins)
	}
	return none
}
