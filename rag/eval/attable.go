package eval

import (
	"fmt"
	"slices"
	"strconv"
)

// AtColumns returns the columns of the figures at equal tokens of a report: for each
// figure one of each budget.
func AtColumns(rep *Report) []Column {
	var out []Column
	add := func(name string, more, up bool, of func(f *AtFigure) *float64) {
		for _, b := range rep.At {
			c := shareColumn(atBudget(name, b), more, func(f *Figure) *float64 {
				if x := f.at(b); x != nil {
					return of(x)
				}
				return nil
			})
			c.Up = up
			out = append(out, c)
		}
	}
	between := func(name string, of func(f *AtFigure) *[2]float64) {
		for _, b := range rep.At {
			c := intervalColumn(atBudget(name, b), func(f *Figure) *[2]float64 {
				if x := f.at(b); x != nil {
					return of(x)
				}
				return nil
			})
			c.More = true
			out = append(out, c)
		}
	}
	add("coverage", false, true, func(f *AtFigure) *float64 { return f.Coverage })
	add("recall", false, true, func(f *AtFigure) *float64 { return f.Recall })
	add("recall@5", true, true, func(f *AtFigure) *float64 { return f.Recall5 })
	add("mrr", true, true, func(f *AtFigure) *float64 { return f.MRR })
	add("set recall", true, true, func(f *AtFigure) *float64 { return f.SetRecall })
	add("graph gain", true, true, func(f *AtFigure) *float64 { return f.GraphGain })
	add("graph cost", true, false, func(f *AtFigure) *float64 { return f.GraphCost })
	between("gain less cost", func(f *AtFigure) *[2]float64 { return f.GraphCI })
	between(AtVersus(rep, plainMethod), func(f *AtFigure) *[2]float64 { return f.NaiveCI })
	between(AtVersus(rep, "bm25"), func(f *AtFigure) *[2]float64 { return f.CI })
	return out
}

// AtVersus names the interval of a figure at equal tokens against that of a method: of
// coverage, or of recall if no question of the report has answers.
func AtVersus(rep *Report, method string) string {
	for i := range rep.Methods {
		if at := rep.Methods[i].At; len(at) > 0 && at[0].Answered > 0 {
			return "coverage vs " + method
		}
	}
	return "recall vs " + method
}

// atBudget names a figure with a budget.
func atBudget(name string, budget int) string { return name + " at " + strconv.Itoa(budget) }

// AtAnswerColumns returns the columns of the answers at equal tokens of a report: for
// each figure one of each budget; none if no answers were asked for.
func AtAnswerColumns(rep *Report) []Column {
	if !slices.ContainsFunc(rep.Methods, func(f Figure) bool { return len(f.At) > 0 && f.At[0].Answers != nil }) {
		return nil
	}
	var out []Column
	columns := AnswerColumns()
	for _, name := range []string{"em", "f1", "acc", "acc vs bm25", "choice", "no answer", "answer tok in", "answer tok out"} {
		i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
		for _, b := range rep.At {
			c := columns[i]
			c.Name, c.More = atBudget(name, b), name != "em" && name != "f1"
			// The column reads the answers of a method, here those of the budget.
			within := func(f *Figure) *Figure {
				if x := f.at(b); x != nil {
					return &Figure{Answers: x.Answers}
				}
				return &Figure{}
			}
			of, text := c.Of, c.Text
			c.Of = func(f *Figure) *float64 { return of(within(f)) }
			c.Text = func(f *Figure) string { return text(within(f)) }
			out = append(out, c)
		}
	}
	return out
}

// at returns the figures with a budget, nil if there are none.
func (f *Figure) at(budget int) *AtFigure {
	i := slices.IndexFunc(f.At, func(x AtFigure) bool { return x.Budget == budget })
	if i < 0 {
		return nil
	}
	return &f.At[i]
}

// SectionRecall is the recall of a part of the evidence with each budget of the
// report, nil where the evidence of a budget has no such part.
type SectionRecall struct {
	Name   string
	Recall []*float64
}

// SectionRecalls returns the recall of each part of a method's evidence, by
// the order of the parts in the first budget that has them.
func (f *Figure) SectionRecalls() []SectionRecall {
	var out []SectionRecall
	for k := range f.At {
		for _, s := range f.At[k].Sections {
			i := slices.IndexFunc(out, func(x SectionRecall) bool { return x.Name == s.Name })
			if i < 0 {
				i, out = len(out), append(out, SectionRecall{s.Name, make([]*float64, len(f.At))})
			}
			out[i].Recall[k] = &s.Recall
		}
	}
	return out
}

// equalTable has the figures of all methods and budgets.
func equalTable(rep *Report) htmlTable {
	t := htmlTable{Title: "At equal tokens" + atCounts(rep), Head: heads("method"), Rows: make([][]htmlCell, len(rep.Methods))}
	for i := range rep.Methods {
		t.Rows[i] = []htmlCell{word(rep.Methods[i].Title())}
	}
	for _, c := range append(AtColumns(rep), AtAnswerColumns(rep)...) {
		if !c.More {
			t.column(c, rep.Methods)
		}
	}
	return t
}

// atCounts says of how many questions the figures at equal tokens are.
func atCounts(rep *Report) string {
	for i := range rep.Methods {
		if at := rep.Methods[i].At; len(at) > 0 {
			return fmt.Sprintf(" · of %d questions %d have answers, %d gold records", len(rep.Asked), at[0].Answered, at[0].Golden)
		}
	}
	return ""
}

// graphTable says what the graphs add to plain search, and what they take.
func graphTable(rep *Report) htmlTable {
	t := htmlTable{
		Title: "The graph at equal tokens, compared with plain search",
		Head:  heads("method", "asked", "tokens", "recall@5", "mrr", "set recall", "graph gain", "graph cost", "gain less cost", AtVersus(rep, plainMethod), AtVersus(rep, "bm25")),
	}
	for i := range rep.Methods {
		f := &rep.Methods[i]
		for k := range f.At {
			x := &f.At[k]
			t.Rows = append(t.Rows, []htmlCell{
				word(f.Title()), amount("%.0f", float64(x.Budget)), amount("%.0f", x.Tokens), percentCell(x.Recall5), percentCell(x.MRR), percentCell(x.SetRecall),
				percentCell(x.GraphGain), percentCell(x.GraphCost), intervalCell(x.GraphCI), intervalCell(x.NaiveCI), intervalCell(x.CI),
			})
		}
	}
	return t
}

// sectionsTable has the recall of each part of the evidence.
func sectionsTable(rep *Report) htmlTable {
	t := htmlTable{Title: "Recall by section at equal tokens", Head: append(heads("method"), htmlHead{"section", true})}
	for _, b := range rep.At {
		t.Head = append(t.Head, htmlHead{Name: grouped(strconv.Itoa(b))})
	}
	for i := range rep.Methods {
		f := &rep.Methods[i]
		for _, s := range f.SectionRecalls() {
			row := []htmlCell{word(f.Title()), word(s.Name)}
			for _, x := range s.Recall {
				row = append(row, percentCell(x))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// intervalCell is an interval, sorted by its middle.
func intervalCell(ci *[2]float64) htmlCell {
	if ci == nil {
		return htmlCell{Text: none}
	}
	return htmlCell{Text: fmt.Sprintf("%+.1f…%+.1f", 100*ci[0], 100*ci[1]), Value: strconv.FormatFloat((ci[0]+ci[1])/2, 'g', -1, 64)}
}
