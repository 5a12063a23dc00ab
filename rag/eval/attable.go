package eval

import (
	"fmt"
	"slices"
	"strconv"
)

// AtColumns returns the columns of the figures at equal tokens: for each figure one
// of each budget.
func AtColumns(budgets []int) []Column {
	var out []Column
	add := func(name string, more, up bool, of func(f *AtFigure) *float64) {
		for _, b := range budgets {
			c := shareColumn(name+" at "+strconv.Itoa(b), more, func(f *Figure) *float64 {
				if x := f.at(b); x != nil {
					return of(x)
				}
				return nil
			})
			c.Up = up
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
	t := htmlTable{Title: "At equal tokens", Head: heads("method"), Rows: make([][]htmlCell, len(rep.Methods))}
	for i := range rep.Methods {
		t.Rows[i] = []htmlCell{word(rep.Methods[i].Title())}
	}
	for _, c := range AtColumns(rep.At) {
		if !c.More {
			t.column(c, rep.Methods)
		}
	}
	return t
}

// graphTable says what the graphs add to plain search, and what they take.
func graphTable(rep *Report) htmlTable {
	t := htmlTable{
		Title: "The graph at equal tokens, compared with plain search",
		Head:  heads("method", "asked", "tokens", "recall@5", "mrr", "set recall", "graph gain", "graph cost", "gain less cost", "vs bm25"),
	}
	for i := range rep.Methods {
		f := &rep.Methods[i]
		for k := range f.At {
			x := &f.At[k]
			t.Rows = append(t.Rows, []htmlCell{
				word(f.Title()), amount("%.0f", float64(x.Budget)), amount("%.0f", x.Tokens), percentCell(x.Recall5), percentCell(x.MRR), percentCell(x.SetRecall),
				percentCell(x.GraphGain), percentCell(x.GraphCost), intervalCell(x.GraphCI), intervalCell(x.CI),
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
