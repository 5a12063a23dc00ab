package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/eval"
)

// evalColumn is a column of the table of methods.
type evalColumn struct {
	name string
	left bool // a text; else a number, set flush right
	more bool // shown with -v alone
	cell func(f *eval.Figure) string
}

// none is the cell of what was not measured.
const none = "–"

func evalColumns() []evalColumn {
	shareOf := func(of func(f *eval.Figure) *float64) func(f *eval.Figure) string {
		return func(f *eval.Figure) string { return percent(of(f)) }
	}
	// cost is a cell that only a method with a known index has.
	cost := func(of func(f *eval.Figure) string) func(f *eval.Figure) string {
		return func(f *eval.Figure) string {
			if f.Index == nil {
				return none
			}
			return of(f)
		}
	}
	took := func(of func(f *eval.Figure) float64) func(f *eval.Figure) string {
		return func(f *eval.Figure) string {
			if f.Recorded {
				return none
			}
			return fmt.Sprintf("%.1f", of(f))
		}
	}
	return []evalColumn{
		{name: "method", left: true, cell: evalName},
		{name: "coverage", cell: shareOf(func(f *eval.Figure) *float64 { return f.Coverage })},
		{name: "raw", more: true, cell: shareOf(func(f *eval.Figure) *float64 { return f.CoverageRaw })},
		{name: "word", more: true, cell: shareOf(func(f *eval.Figure) *float64 { return f.CoverageWord })},
		{name: "recall@2", cell: shareOf(func(f *eval.Figure) *float64 { return f.Recall2 })},
		{name: "recall@5", cell: shareOf(func(f *eval.Figure) *float64 { return f.Recall5 })},
		{name: "recall@10", more: true, cell: shareOf(func(f *eval.Figure) *float64 { return f.Recall10 })},
		{name: "hit@1", more: true, cell: shareOf(func(f *eval.Figure) *float64 { return f.Hit1 })},
		{name: "hit@5", more: true, cell: shareOf(func(f *eval.Figure) *float64 { return f.Hit5 })},
		{name: "hit@10", more: true, cell: shareOf(func(f *eval.Figure) *float64 { return f.Hit10 })},
		{name: "perfect", cell: shareOf(func(f *eval.Figure) *float64 { return f.Perfect })},
		{name: "mrr", cell: shareOf(func(f *eval.Figure) *float64 { return f.MRR })},
		{name: "vs bm25", cell: func(f *eval.Figure) string {
			if f.CI == nil {
				return none
			}
			return fmt.Sprintf("%+.1f…%+.1f", 100*f.CI[0], 100*f.CI[1])
		}},
		{name: "tokens", cell: func(f *eval.Figure) string { return number(int(f.ContextTokens + 0.5)) }},
		{name: "p50 ms", cell: took(func(f *eval.Figure) float64 { return f.Ms.P50 })},
		{name: "p99 ms", cell: took(func(f *eval.Figure) float64 { return f.Ms.P99 })},
		{name: "calls", more: true, cell: cost(func(f *eval.Figure) string { return number(f.Index.Calls) })},
		{name: "in tok", more: true, cell: cost(func(f *eval.Figure) string { return number(f.Index.InTokens) })},
		{name: "out tok", more: true, cell: cost(func(f *eval.Figure) string { return number(f.Index.OutTokens) })},
		{name: "$", more: true, cell: cost(func(f *eval.Figure) string {
			if f.Index.USD == nil {
				return none
			}
			return fmt.Sprintf("%.2f", *f.Index.USD)
		})},
		{name: "index cpu s", cell: cost(func(f *eval.Figure) string { return fmt.Sprintf("%.2f", f.IndexCPU) })},
		{name: "index s", more: true, cell: cost(func(f *eval.Figure) string { return fmt.Sprintf("%.2f", f.IndexWall) })},
	}
}

// evalName is a method's name, of another system said to be one.
func evalName(f *eval.Figure) string {
	if f.Recorded {
		return f.Name + " (recorded)"
	}
	return f.Name
}

// evalTable is the table of a report. The columns that have nothing are left
// out where people read it.
func (a *app) evalTable(r *eval.Report, named bool) *table {
	t := &table{}
	if named {
		t.head, t.right = append(t.head, "data"), append(t.right, false)
	}
	columns := evalColumns()
	if answerer(r) != "" && !a.out.text() {
		columns = append(columns, answerColumns()...) // people get a table of their own
	}
	return a.tableOf(r, t, columns)
}

// tableOf fills a table with columns, behind the data set's name where the
// table has a column for it.
func (a *app) tableOf(r *eval.Report, t *table, columns []evalColumn) *table {
	rows := make([][]string, len(r.Methods))
	if len(t.head) > 0 {
		for i := range rows {
			rows[i] = append(rows[i], evalTitle(r))
		}
	}
	for _, c := range columns {
		if c.more && a.global.verbose == 0 {
			continue
		}
		cells := make([]string, len(r.Methods))
		empty := true
		for i := range r.Methods {
			cells[i] = c.cell(&r.Methods[i])
			empty = empty && cells[i] == none
		}
		if empty && a.out.text() {
			continue
		}
		t.head, t.right = append(t.head, c.name), append(t.right, !c.left)
		for i := range rows {
			rows[i] = append(rows[i], cells[i])
		}
	}
	for i := range rows {
		t.add(struct {
			Data string `json:"data"`
			Join string `json:"join"`
			*eval.Figure
		}{r.Data, r.Join, &r.Methods[i]}, rows[i]...)
	}
	return t
}

// evalTitle names a data set as it was read.
func evalTitle(r *eval.Report) string {
	if r.Join == "yes" {
		return r.Data + " joined"
	}
	return r.Data
}

// printEval prints the report of one of some data sets.
func (a *app) printEval(r *eval.Report, of int) {
	o := a.out
	if o.format == asJSON {
		return // all at once, in the end
	}
	o.rows(a.evalTable(r, of > 1 && !o.text()))
	if !o.text() || len(r.Methods) == 0 {
		return
	}
	a.printEvalAnswers(r)
	if a.global.verbose > 0 {
		a.printEvalOps(r)
	}
	o.print("\n%s\n", o.dim(fmt.Sprintf("%s · %s · records %s · budget %s · chunks %s · extraction %s · in percent",
		r.Data, plural(len(r.Asked), "question"), map[string]string{"yes": "joined", "no": "apart"}[r.Join],
		plural(r.Budget, "token"), r.Chunks, r.Extract)))
	if r.Growth != nil {
		a.printGrowth(r)
	}
	if of > 1 {
		o.print("\n")
	}
}

// printEvalJSON prints the report, or several as one object.
func (a *app) printEvalJSON(reports []*eval.Report) {
	switch {
	case a.out.format != asJSON:
	case len(reports) == 1:
		a.out.json(reports[0])
	default:
		a.out.json(struct {
			V    int            `json:"v"`
			Sets []*eval.Report `json:"sets"`
		}{1, reports})
	}
}

// printEvalOps prints how long each operator took, and how large each index is.
func (a *app) printEvalOps(r *eval.Report) {
	for i := range r.Methods {
		f := &r.Methods[i]
		ops := f.Ms.Ops
		if len(ops) == 0 {
			continue
		}
		names := slices.SortedFunc(maps.Keys(ops), func(x, y string) int {
			return cmp.Or(cmp.Compare(ops[y].P50, ops[x].P50), strings.Compare(x, y))
		})
		var parts []string
		for _, n := range names {
			parts = append(parts, fmt.Sprintf("%s %.2f/%.2f", n, ops[n].P50, ops[n].P99))
		}
		a.out.print("\n%s\n%s", a.out.dim(f.Name+" · p50/p99 ms by operator"), wrap(strings.Join(parts, " · "), a.out.width, "  "))
	}
	sizes := &table{head: []string{"index", "nodes", "edges", "vectors", "bytes"}, right: []bool{false, true, true, true, true}}
	seen := map[string]bool{}
	for _, x := range r.Manifest.Instances {
		if x.Bytes > 0 && !seen[x.Instance] {
			seen[x.Instance] = true
			sizes.add(x, x.Instance, number(x.Nodes), number(x.Edges), number(x.Vectors), size(x.Bytes))
		}
	}
	sizes.add(nil, "what all share", "", "", "", size(r.SharedBytes))
	a.out.print("\n")
	a.out.rows(sizes)
}

// percent writes a share in percent, a dash where it was not measured.
func percent(x *float64) string {
	if x == nil {
		return none
	}
	return fmt.Sprintf("%.1f", 100**x)
}
