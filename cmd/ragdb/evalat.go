package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/rag/eval"
)

// budgets is a flag for several numbers of tokens.
type budgets []int

func (b *budgets) String() string {
	var out []string
	for _, n := range *b {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ",")
}

// Set implements [pflag.Value].
func (b *budgets) Set(s string) error {
	var out []int
	for _, part := range strings.Split(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number of tokens of 1 or more", part)
		}
		out = append(out, n)
	}
	*b = out
	return nil
}

// Type implements [pflag.Value].
func (b *budgets) Type() string { return "BUDGETS" }

// printEvalAt prints the figures at equal tokens, for people.
func (a *app) printEvalAt(r *eval.Report) {
	if len(r.At) == 0 {
		return
	}
	columns := slices.DeleteFunc(eval.AtColumns(r), func(c eval.Column) bool { return c.More })
	short := strings.NewReplacer("coverage at ", "cov ", "recall at ", "rec ") // for ten columns side by side
	for i := range columns {
		columns[i].Name = short.Replace(columns[i].Name)
	}
	a.out.print("\n%s\n", a.out.dim("coverage and recall at equal tokens"))
	a.out.rows(a.tableOf(r, &table{}, columns))
	t := &table{
		head:  []string{"method", "asked", "tokens", "set recall", "graph gain", "graph cost", "gain less cost", eval.AtVersus(r, "naive"), eval.AtVersus(r, "bm25")},
		right: []bool{false, true, true, true, true, true, true, true, true},
	}
	sections := &table{head: []string{"method", "section"}, right: []bool{false, false}}
	for _, b := range r.At {
		sections.head, sections.right = append(sections.head, number(b)), append(sections.right, true)
	}
	for i := range r.Methods {
		f := &r.Methods[i]
		for k := range f.At {
			x := &f.At[k]
			t.add(nil, f.Title(), number(x.Budget), number(int(math.Round(x.Tokens))), percent(x.SetRecall), percent(x.GraphGain), percent(x.GraphCost), between(x.GraphCI), between(x.NaiveCI), between(x.CI))
		}
		for _, s := range f.SectionRecalls() {
			row := []string{f.Title(), s.Name}
			for _, x := range s.Recall {
				row = append(row, percent(x))
			}
			sections.add(nil, row...)
		}
	}
	a.out.print("\n%s\n", a.out.dim("the graph at equal tokens, compared with plain search"))
	a.out.rows(t)
	if a.global.verbose > 0 {
		a.out.print("\n%s\n", a.out.dim("recall by section at equal tokens"))
		a.out.rows(sections)
	}
	if n := r.Methods[0].At; len(n) > 0 {
		a.out.print("\n%s\n", a.out.dim(fmt.Sprintf("%s with answers · %s with gold records, %s with two or more",
			plural(n[0].Answered, "question"), number(n[0].Golden), number(n[0].Several))))
	}
}

// printEvalAtAnswers prints the figures of the answers at equal tokens, for people.
func (a *app) printEvalAtAnswers(r *eval.Report) {
	columns := eval.AtAnswerColumns(r)
	if len(columns) == 0 {
		return
	}
	for i := range columns {
		columns[i].Name = strings.Replace(columns[i].Name, " at ", " ", 1)
	}
	a.out.print("\n%s\n", a.out.dim("answers at equal tokens"))
	a.out.rows(a.tableOf(r, &table{}, columns))
	for i := range r.Methods {
		for _, x := range r.Methods[i].At {
			if x.Answers.Failed > 0 && x.Budget != r.Budget {
				a.out.note("%s: %s of %s from %s failed, the first since %s",
					r.Methods[i].Name, number(x.Answers.Failed), plural(len(r.Asked), "answer"), plural(x.Budget, "token"), x.Answers.Failure)
			}
		}
	}
	if n := r.Methods[0].At; len(n) > 0 {
		a.out.print("\n%s\n", a.out.dim(fmt.Sprintf("%s for each method and budget, %s to questions with known answers",
			plural(len(r.Asked), "answer"), number(n[0].Answers.Scored))))
	}
}
