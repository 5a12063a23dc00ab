package eval

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

type htmlTable struct {
	Title string
	Head  []htmlHead
	Rows  [][]htmlCell
}

type htmlHead struct {
	Name string
	Left bool
}

// htmlCell is a cell; Value is what it is sorted by.
type htmlCell struct {
	Text, Value string
	Left, Best  bool
}

// column is a column of the table of methods.
type column struct {
	name string
	of   func(f *Figure) *float64
	form string // of the number
	by   float64
	up   bool // more is better
}

// methodsTable is the table of all methods, without the columns that have
// nothing.
func methodsTable(rep *Report) htmlTable {
	number := func(x float64, ok bool) *float64 {
		if !ok {
			return nil
		}
		return &x
	}
	answers := func(of func(a *AnswerFigure) *float64) func(f *Figure) *float64 {
		return func(f *Figure) *float64 {
			if f.Answers == nil {
				return nil
			}
			return of(f.Answers)
		}
	}
	cost := func(of func(c *IndexCost) float64) func(f *Figure) *float64 {
		return func(f *Figure) *float64 {
			if f.Index == nil {
				return nil
			}
			x := of(f.Index)
			return &x
		}
	}
	columns := []column{
		{"coverage", func(f *Figure) *float64 { return f.Coverage }, "%.1f", 100, true},
		{"recall@2", func(f *Figure) *float64 { return f.Recall2 }, "%.1f", 100, true},
		{"recall@5", func(f *Figure) *float64 { return f.Recall5 }, "%.1f", 100, true},
		{"recall@10", func(f *Figure) *float64 { return f.Recall10 }, "%.1f", 100, true},
		{"perfect", func(f *Figure) *float64 { return f.Perfect }, "%.1f", 100, true},
		{"hit@1", func(f *Figure) *float64 { return f.Hit1 }, "%.1f", 100, true},
		{"hit@5", func(f *Figure) *float64 { return f.Hit5 }, "%.1f", 100, true},
		{"mrr", func(f *Figure) *float64 { return f.MRR }, "%.1f", 100, true},
		{"accuracy", answers(func(a *AnswerFigure) *float64 { return a.Acc }), "%.1f", 100, true},
		{"em", answers(func(a *AnswerFigure) *float64 { return a.EM }), "%.1f", 100, true},
		{"f1", answers(func(a *AnswerFigure) *float64 { return a.F1 }), "%.1f", 100, true},
		{"tokens", func(f *Figure) *float64 { return &f.ContextTokens }, "%.0f", 1, false},
		{"p50 ms", func(f *Figure) *float64 { return number(f.Ms.P50, !f.Recorded) }, "%.1f", 1, false},
		{"p99 ms", func(f *Figure) *float64 { return number(f.Ms.P99, !f.Recorded) }, "%.1f", 1, false},
		{"index calls", cost(func(c *IndexCost) float64 { return float64(c.Calls) }), "%.0f", 1, false},
		{"tokens in", cost(func(c *IndexCost) float64 { return float64(c.InTokens) }), "%.0f", 1, false},
		{"tokens out", cost(func(c *IndexCost) float64 { return float64(c.OutTokens) }), "%.0f", 1, false},
		{"$", func(f *Figure) *float64 {
			if f.Index == nil || f.Index.USD == nil || *f.Index.USD == 0 {
				return nil
			}
			return f.Index.USD
		}, "%.2f", 1, false},
		{"index CPU s", func(f *Figure) *float64 { return number(f.IndexCPU, f.Index != nil) }, "%.2f", 1, false},
		{"index s", func(f *Figure) *float64 { return number(f.IndexWall, f.Index != nil) }, "%.2f", 1, false},
	}
	t := htmlTable{Head: []htmlHead{{"method", true}}, Rows: make([][]htmlCell, len(rep.Methods))}
	for i := range rep.Methods {
		name := rep.Methods[i].title()
		t.Rows[i] = []htmlCell{{Text: name, Value: name, Left: true}}
	}
	for _, c := range columns {
		if t.column(c, rep.Methods); c.name == "mrr" {
			t.intervals(rep.Methods)
		}
	}
	return t
}

// column adds a column where any method has it.
func (t *htmlTable) column(c column, methods []Figure) {
	cells := make([]htmlCell, len(methods))
	best, any := -1.0, false
	for i := range methods {
		x := c.of(&methods[i])
		if cells[i] = (htmlCell{Text: "–"}); x == nil {
			continue
		}
		any = true
		cells[i] = amount(c.form, *x*c.by)
		best = max(best, *x)
	}
	if !any {
		return
	}
	t.Head = append(t.Head, htmlHead{Name: c.name})
	for i := range cells {
		x := c.of(&methods[i])
		cells[i].Best = c.up && x != nil && *x == best
		t.Rows[i] = append(t.Rows[i], cells[i])
	}
}

// intervals adds the intervals against bm25.
func (t *htmlTable) intervals(methods []Figure) {
	t.Head = append(t.Head, htmlHead{Name: "vs bm25"})
	for i, f := range methods {
		cell := htmlCell{Text: "–"}
		if f.CI != nil {
			cell = htmlCell{Text: fmt.Sprintf("%+.1f … %+.1f", 100*f.CI[0], 100*f.CI[1]), Value: fmt.Sprint(f.CI[0] + f.CI[1])}
		}
		t.Rows[i] = append(t.Rows[i], cell)
	}
}

// word and amount make cells.
func word(s string) htmlCell { return htmlCell{Text: s, Value: s, Left: true} }

func amount(form string, x float64) htmlCell {
	return htmlCell{Text: grouped(fmt.Sprintf(form, x)), Value: strconv.FormatFloat(x, 'g', -1, 64)}
}

// grouped sets thousands apart.
func grouped(s string) string {
	whole, part, ok := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if ok {
		return whole + "." + part
	}
	return whole
}

func percentCell(x *float64) htmlCell {
	if x == nil {
		return htmlCell{Text: "–"}
	}
	return amount("%.1f", 100**x)
}

func heads(left string, others ...string) []htmlHead {
	out := []htmlHead{{left, true}}
	for _, o := range others {
		out = append(out, htmlHead{Name: o})
	}
	return out
}

// opsTable says how long each operator took.
func opsTable(rep *Report) htmlTable {
	t := htmlTable{Title: "Latency by operator", Head: append(heads("method"), htmlHead{"operator", true}, htmlHead{Name: "p50 ms"}, htmlHead{Name: "p99 ms"}, htmlHead{Name: "questions"})}
	for i := range rep.Methods {
		f := &rep.Methods[i]
		for _, op := range slices.Sorted(maps.Keys(f.Ms.Ops)) {
			o := f.Ms.Ops[op]
			t.Rows = append(t.Rows, []htmlCell{word(f.Name), word(op), amount("%.2f", o.P50), amount("%.2f", o.P99), amount("%.0f", float64(o.Questions))})
		}
	}
	return t
}

// sizesTable says how large each index is.
func sizesTable(rep *Report) htmlTable {
	t := htmlTable{Title: "Sizes of the indexes", Head: heads("index", "nodes", "edges", "vectors", "MB")}
	seen := map[string]bool{}
	for _, x := range rep.Manifest.Instances {
		if x.Bytes == 0 || seen[x.Instance] {
			continue
		}
		seen[x.Instance] = true
		t.Rows = append(t.Rows, []htmlCell{word(x.Instance), amount("%.0f", float64(x.Nodes)), amount("%.0f", float64(x.Edges)), amount("%.0f", float64(x.Vectors)), amount("%.1f", float64(x.Bytes)/1e6)})
	}
	t.Rows = append(t.Rows, []htmlCell{word("what all share"), {Text: "–"}, {Text: "–"}, {Text: "–"}, amount("%.1f", float64(rep.SharedBytes)/1e6)})
	return t
}

// judgingTable says how a judge ruled on each two methods.
func judgingTable(j *Judging) htmlTable {
	t := htmlTable{Title: "Answers judged by " + j.Judge, Head: append(heads("method"), htmlHead{"against", true}, htmlHead{Name: "wins"}, htmlHead{Name: "ties"}, htmlHead{Name: "losses"}, htmlHead{Name: "wins and ties %"})}
	for _, p := range j.Pairs {
		t.Rows = append(t.Rows, []htmlCell{word(p.A), word(p.B), amount("%.0f", float64(p.Wins)), amount("%.0f", float64(p.Ties)), amount("%.0f", float64(p.Losses)), percentCell(p.WinTie)})
	}
	return t
}

// growthTable says what each step cost.
func growthTable(rep *Report) htmlTable {
	t := htmlTable{
		Title: "Growth by " + rep.Growth.Plan + ", and everything at once",
		Head:  heads("method", "documents", "added", "calls", "tokens", "CPU s", "seconds", "coverage", "recall@5", "perfect", "mrr"),
	}
	at := 0
	for i := range rep.Methods {
		f := &rep.Methods[i]
		if f.Recorded {
			continue
		}
		for _, s := range rep.Growth.Steps {
			g := &s.Methods[at]
			t.Rows = append(t.Rows, []htmlCell{
				word(g.Name), amount("%.0f", float64(s.Documents)), amount("%.0f", float64(s.Added)), amount("%.0f", float64(g.Cost.Calls)),
				amount("%.0f", float64(g.Cost.InTokens+g.Cost.OutTokens)), amount("%.2f", g.Times.CPU), amount("%.2f", g.Times.Wall),
				percentCell(g.Coverage), percentCell(g.Recall5), percentCell(g.Perfect), percentCell(g.MRR),
			})
		}
		if f.Index != nil {
			t.Rows = append(t.Rows, []htmlCell{
				word(f.Name + ", at once"), amount("%.0f", float64(rep.Manifest.Documents)), {Text: "–"}, amount("%.0f", float64(f.Index.Calls)),
				amount("%.0f", float64(f.Index.InTokens+f.Index.OutTokens)), amount("%.2f", f.IndexCPU), amount("%.2f", f.IndexWall),
				percentCell(f.Coverage), percentCell(f.Recall5), percentCell(f.Perfect), percentCell(f.MRR),
			})
		}
		at++
	}
	return t
}
