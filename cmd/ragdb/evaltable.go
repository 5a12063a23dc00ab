package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/eval"
)

// none is the cell of what was not measured.
const none = "–"

// evalTable is the table of a report. The columns that have nothing are left
// out where people read it.
func (a *app) evalTable(r *eval.Report, named bool) *table {
	t := &table{}
	if named {
		t.head, t.right = append(t.head, "data"), append(t.right, false)
	}
	columns := eval.Columns()
	if answerer(r) != "" && !a.out.text() {
		columns = append(columns, answerColumns()...) // people get a table of their own
	}
	if !a.out.text() {
		columns = append(append(columns, eval.AtColumns(r)...), eval.AtAnswerColumns(r)...)
	}
	return a.tableOf(r, t, columns)
}

// tableOf fills a table with columns, behind the methods' names, and before these the
// data set's name if the table has a column for it.
func (a *app) tableOf(r *eval.Report, t *table, columns []eval.Column) *table {
	rows := make([][]string, len(r.Methods))
	for i := range rows {
		if len(t.head) > 0 {
			rows[i] = append(rows[i], evalTitle(r))
		}
		rows[i] = append(rows[i], r.Methods[i].Title())
	}
	t.head, t.right = append(t.head, "method"), append(t.right, false)
	for _, c := range columns {
		if c.More && a.global.verbose == 0 {
			continue
		}
		cells := make([]string, len(r.Methods))
		empty := true
		for i := range r.Methods {
			cells[i] = c.Text(&r.Methods[i])
			empty = empty && cells[i] == none
		}
		if empty && a.out.text() {
			continue
		}
		t.head, t.right = append(t.head, c.Name), append(t.right, true)
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
	for _, m := range r.Methods {
		if m.Index != nil && m.Index.Failed > 0 {
			o.warn("%s: %s of its index failed, and its figures lack them; with --db ragdb status says why", m.Name, plural(m.Index.Failed, "item"))
		}
	}
	if o.format == asJSON {
		return // all at once, in the end
	}
	o.rows(a.evalTable(r, of > 1 && !o.text()))
	if !o.text() || len(r.Methods) == 0 {
		return
	}
	a.printEvalAt(r)
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
