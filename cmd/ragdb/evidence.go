package main

import (
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
)

// printEvidence prints the retrieved items as rows, or one below the other.
func (a *app) printEvidence(k *service.Asking, ev *rag.Evidence, items []service.Item) {
	for _, n := range service.EvidenceNotes(ev) {
		a.out.note("%s", n)
	}
	if !a.out.text() {
		t := &table{head: []string{"rank", "section", "kind", "id", "score", "tokens", "text"}, right: []bool{true, false, false, false, true, true, false}}
		for _, it := range items {
			t.add(it, number(it.Rank), it.Section, it.Kind, it.ID, score(it.Score), number(it.Tokens), oneLine(it.Text))
		}
		a.out.rows(t)
		return
	}
	if len(items) == 0 {
		a.out.print("Nothing was found.\n")
	}
	for _, it := range items {
		a.out.print("%s %s %s\n", a.out.bold(fmt.Sprintf("%d.", it.Rank)), escape(it.ID),
			a.out.dim(fmt.Sprintf("· %s · score %s · %s", it.Section, score(it.Score), plural(it.Tokens, "token"))))
		for _, s := range it.Sources {
			a.out.print("   %s\n", escape(place(s.Doc, s.Heading, s.Page, s.Bytes)))
		}
		a.out.print("%s\n", wrap(escape(it.Text), a.out.width, "   "))
	}
	a.out.print("%s\n", a.out.dim(fmt.Sprintf("%s · %s · %s · %s", duration(ev.Time), by(k, ev.Method), plural(len(items), "item"), plural(ev.Tokens, "token"))))
}

// printExplanation prints the plan and what its operators did.
func (a *app) printExplanation(k *service.Asking, ev *rag.Evidence, items []service.Item) {
	o := a.out
	o.print("\n%s\n%s", o.bold("plan"), escape(service.ExplainPlan(ev.Plan)))
	a.printOps(ev.Trace.Ops)
	o.print("\n%s\n", o.bold("evidence"))
	for i := range items {
		a.printWay(items[i].Rank, items[i].ID, items[i].Why)
	}
}

// printOps prints what the operators of a plan did.
func (a *app) printOps(ops []query.OpTrace) {
	t := &table{head: []string{"rows", "ms", "operator"}, right: []bool{true, true}}
	for i := range ops {
		op := &ops[i]
		name := strings.Repeat("  ", op.Depth) + op.Op
		if len(op.Notes) > 0 {
			name += " (" + strings.Join(op.Notes, "; ") + ")"
		}
		t.add(op, number(op.Rows), fmt.Sprintf("%.2f", ms(op.Time)), name)
	}
	a.out.print("\n%s\n", a.out.bold("trace"))
	a.out.rows(t)
}

// printWay prints on one line how an item came into the evidence.
func (a *app) printWay(rank int, id string, w service.Way) {
	line := fmt.Sprintf("%2d. %s · %s", rank, id, w.Seed)
	for _, p := range w.Path {
		line += " → " + p
	}
	if w.Cut != "" {
		line += " → " + w.Cut
	}
	a.out.print("%s\n", escape(line))
}
