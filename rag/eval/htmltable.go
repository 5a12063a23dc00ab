package eval

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
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

// methodsTable is the table of all methods, without the columns that have
// nothing.
func methodsTable(rep *Report) htmlTable {
	t := htmlTable{Head: heads("method"), Rows: make([][]htmlCell, len(rep.Methods))}
	for i := range rep.Methods {
		t.Rows[i] = []htmlCell{word(rep.Methods[i].Title())}
	}
	for _, c := range append(Columns(), AnswerColumns()...) {
		t.column(c, rep.Methods)
	}
	return t
}

// column adds a column if any method has it.
func (t *htmlTable) column(c Column, methods []Figure) {
	cells := make([]htmlCell, len(methods))
	best, any := -1.0, false
	for i := range methods {
		cells[i].Text = c.Text(&methods[i])
		if x := c.Of(&methods[i]); x != nil {
			cells[i].Value = strconv.FormatFloat(*x, 'g', -1, 64)
			best, any = max(best, *x), true
		}
	}
	if !any {
		return
	}
	t.Head = append(t.Head, htmlHead{Name: c.Name})
	for i := range cells {
		x := c.Of(&methods[i])
		cells[i].Best = c.Up && x != nil && *x == best
		t.Rows[i] = append(t.Rows[i], cells[i])
	}
}

// word and amount make cells.
func word(s string) htmlCell { return htmlCell{Text: s, Value: s, Left: true} }

func amount(form string, x float64) htmlCell {
	return htmlCell{Text: grouped(fmt.Sprintf(form, x)), Value: strconv.FormatFloat(x, 'g', -1, 64)}
}

func percentCell(x *float64) htmlCell {
	if x == nil {
		return htmlCell{Text: none}
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
	t.Rows = append(t.Rows, []htmlCell{word("what all share"), {Text: none}, {Text: none}, {Text: none}, amount("%.1f", float64(rep.SharedBytes)/1e6)})
	return t
}

// judgingTable says how a judge ruled on each two methods.
func judgingTable(title string, pairs []Pair) htmlTable {
	t := htmlTable{Title: title, Head: append(heads("method"), htmlHead{"against", true}, htmlHead{Name: "wins"}, htmlHead{Name: "ties"}, htmlHead{Name: "losses"}, htmlHead{Name: "wins and ties %"})}
	for _, p := range pairs {
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
				word(f.Name + ", at once"), amount("%.0f", float64(rep.Manifest.Documents)), {Text: none}, amount("%.0f", float64(f.Index.Calls)),
				amount("%.0f", float64(f.Index.InTokens+f.Index.OutTokens)), amount("%.2f", f.IndexCPU), amount("%.2f", f.IndexWall),
				percentCell(f.Coverage), percentCell(f.Recall5), percentCell(f.Perfect), percentCell(f.MRR),
			})
		}
		at++
	}
	return t
}
