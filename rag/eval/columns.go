package eval

import (
	"fmt"
	"strings"
)

// Column is a column of the table of methods.
type Column struct {
	Name string
	// More says that it is shown to those who want to see more.
	More bool
	// Up says that more is better.
	Up bool
	// Of returns the figure of a method, by which rows are sorted; nil if it was not
	// measured.
	Of func(f *Figure) *float64
	// Text writes the figure, a dash if it was not measured.
	Text func(f *Figure) string
}

// none is what stands in a table for what was not measured.
const none = "–"

// column returns a column of figures times a factor, in a form of package fmt.
func column(name, form string, times float64, of func(f *Figure) *float64) Column {
	return Column{Name: name, Of: of, Text: func(f *Figure) string {
		if x := of(f); x != nil {
			s := fmt.Sprintf(form, *x*times)
			if times == 1 && !strings.Contains(s, ".") {
				s = grouped(s)
			}
			return s
		}
		return none
	}}
}

// shareColumn returns a column of shares, in percent.
func shareColumn(name string, more bool, of func(f *Figure) *float64) Column {
	c := column(name, "%.1f", 100, of)
	c.More, c.Up = more, true
	return c
}

// intervalColumn returns a column of the intervals against bm25.
func intervalColumn(name string, of func(f *Figure) *[2]float64) Column {
	middle := func(f *Figure) *float64 {
		ci := of(f)
		if ci == nil {
			return nil
		}
		x := (ci[0] + ci[1]) / 2
		return &x
	}
	return Column{Name: name, Of: middle, Text: func(f *Figure) string {
		ci := of(f)
		if ci == nil {
			return none
		}
		return fmt.Sprintf("%+.1f…%+.1f", 100*ci[0], 100*ci[1])
	}}
}

// when returns a figure if it was measured.
func when(measured bool, x float64) *float64 {
	if !measured {
		return nil
	}
	return &x
}

// Columns are the columns of the table of methods, behind their names.
func Columns() []Column {
	more := func(c Column) Column {
		c.More = true
		return c
	}
	cost := func(name string, of func(c *IndexCost) int) Column {
		return more(column(name, "%.0f", 1, func(f *Figure) *float64 {
			if f.Index == nil {
				return nil
			}
			return when(true, float64(of(f.Index)))
		}))
	}
	return []Column{
		shareColumn("coverage", false, func(f *Figure) *float64 { return f.Coverage }),
		shareColumn("raw", true, func(f *Figure) *float64 { return f.CoverageRaw }),
		shareColumn("word", true, func(f *Figure) *float64 { return f.CoverageWord }),
		shareColumn("recall@2", false, func(f *Figure) *float64 { return f.Recall2 }),
		shareColumn("recall@5", false, func(f *Figure) *float64 { return f.Recall5 }),
		shareColumn("recall@10", true, func(f *Figure) *float64 { return f.Recall10 }),
		shareColumn("hit@1", true, func(f *Figure) *float64 { return f.Hit1 }),
		shareColumn("hit@5", true, func(f *Figure) *float64 { return f.Hit5 }),
		shareColumn("hit@10", true, func(f *Figure) *float64 { return f.Hit10 }),
		shareColumn("perfect", false, func(f *Figure) *float64 { return f.Perfect }),
		shareColumn("mrr", false, func(f *Figure) *float64 { return f.MRR }),
		intervalColumn("vs bm25", func(f *Figure) *[2]float64 { return f.CI }),
		column("tokens", "%.0f", 1, func(f *Figure) *float64 { return &f.ContextTokens }),
		column("p50 ms", "%.1f", 1, func(f *Figure) *float64 { return when(!f.Recorded, f.Ms.P50) }),
		column("p99 ms", "%.1f", 1, func(f *Figure) *float64 { return when(!f.Recorded, f.Ms.P99) }),
		cost("calls", func(c *IndexCost) int { return c.Calls }),
		cost("in tok", func(c *IndexCost) int { return c.InTokens }),
		cost("out tok", func(c *IndexCost) int { return c.OutTokens }),
		more(column("$", "%.2f", 1, func(f *Figure) *float64 {
			if f.Index == nil {
				return nil
			}
			return f.Index.USD
		})),
		column("index cpu s", "%.2f", 1, func(f *Figure) *float64 { return when(f.Index != nil, f.IndexCPU) }),
		more(column("index s", "%.2f", 1, func(f *Figure) *float64 { return when(f.Index != nil, f.IndexWall) })),
	}
}

// AnswerColumns are the columns of the table of the methods' answers.
func AnswerColumns() []Column {
	figure := func(of func(a *AnswerFigure) *float64) func(f *Figure) *float64 {
		return func(f *Figure) *float64 {
			if f.Answers == nil {
				return nil
			}
			return of(f.Answers)
		}
	}
	shareOf := func(name string, of func(a *AnswerFigure) *float64) Column {
		return shareColumn(name, false, figure(of))
	}
	count := func(name string, of func(a *AnswerFigure) int) Column {
		return column(name, "%.0f", 1, figure(func(a *AnswerFigure) *float64 { return when(true, float64(of(a))) }))
	}
	return []Column{
		shareOf("choice", func(a *AnswerFigure) *float64 { return a.Choice }),
		shareOf("acc", func(a *AnswerFigure) *float64 { return a.Acc }),
		intervalColumn("acc vs bm25", func(f *Figure) *[2]float64 {
			if f.Answers == nil {
				return nil
			}
			return f.Answers.CI
		}),
		shareOf("em", func(a *AnswerFigure) *float64 { return a.EM }),
		shareOf("f1", func(a *AnswerFigure) *float64 { return a.F1 }),
		shareOf("token recall", func(a *AnswerFigure) *float64 { return a.TokenRecall }),
		shareOf("bleu1", func(a *AnswerFigure) *float64 { return a.BLEU1 }),
		shareOf("rougeL", func(a *AnswerFigure) *float64 { return a.RougeL }),
		shareOf("meteor", func(a *AnswerFigure) *float64 { return a.Meteor }),
		count("no answer", func(a *AnswerFigure) int { return a.Unanswered + a.Failed }),
		count("answer tok in", func(a *AnswerFigure) int { return a.InTokens }),
		count("answer tok out", func(a *AnswerFigure) int { return a.OutTokens }),
	}
}

// grouped sets thousands apart.
func grouped(s string) string {
	whole, part, ok := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if ok {
		return whole + "." + part
	}
	return whole
}
