package main

import (
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// evidenceItem is a retrieved item as --no-llm prints it.
type evidenceItem struct {
	Rank    int           `json:"rank"`
	Section string        `json:"section"`
	Kind    string        `json:"kind"`
	ID      string        `json:"id"`
	Score   float64       `json:"score"`
	Tokens  int           `json:"tokens"`
	Sources []method.Span `json:"sources"`
	Why     why           `json:"why"`
	Text    string        `json:"text"`
}

// why tells how an item came into the evidence.
type why struct {
	// Seed is what the search began with, Path the steps from there.
	Seed string   `json:"seed"`
	Path []string `json:"path"`
	// PPR is the item's mass if the plan spread it over the graph.
	PPR *float64 `json:"ppr,omitempty"`
	// Cut is how the item stood to the budget.
	Cut string `json:"cut"`
}

func newWhy(steps []pathStep) why {
	w := why{Path: []string{}}
	for i, s := range steps {
		switch {
		case s.Op == "pack":
			w.Cut = s.Note
			continue
		case s.Op == "ppr":
			mass := s.Score
			w.PPR = &mass
		}
		if i == 0 {
			w.Seed = s.String()
		} else {
			w.Path = append(w.Path, s.String())
		}
	}
	return w
}

// evidence returns what lists in out the items of some evidence with their ids, at the state that they were retrieved from.
func (k *asking) evidence(out *[]evidenceItem) func(*engine.Snapshot, *rag.Evidence) error {
	return func(snap *engine.Snapshot, ev *rag.Evidence) error {
		*out = []evidenceItem{}
		for _, s := range ev.Sections {
			for i := range s.Items {
				it := &s.Items[i]
				name, err := refName(snap, k.graphs(), it.Ref())
				if err != nil {
					return err
				}
				steps, err := path(snap, k.graphs(), it.Why)
				if err != nil {
					return err
				}
				kind := it.Kind
				if strings.HasPrefix(kind, method.ChunkNodeType+":") {
					kind = method.ChunkNodeType
				}
				spans := it.Spans
				if spans == nil {
					spans = []method.Span{}
				}
				*out = append(*out, evidenceItem{
					Rank: len(*out) + 1, Section: s.Name, Kind: kind, ID: name, Score: it.Score, Tokens: it.Tokens,
					Sources: spans, Why: newWhy(steps), Text: it.Text,
				})
			}
		}
		return nil
	}
}

// graphs are the graphs that a plan's items can be in.
func (k *asking) graphs() []*engine.Graph {
	if g := k.system.Graph(); g != nil {
		return []*engine.Graph{g, k.corpus.Base()}
	}
	return []*engine.Graph{k.corpus.Base()}
}

// printEvidence prints the retrieved items as rows, or one below the other.
func (a *app) printEvidence(k *asking, ev *rag.Evidence, items []evidenceItem) {
	for _, n := range evidenceNotes(ev) {
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
	a.out.print("%s\n", a.out.dim(fmt.Sprintf("%s · %s · %s · %s", duration(ev.Time), k.by(ev.Method), plural(len(items), "item"), plural(ev.Tokens, "token"))))
}

// printExplanation prints the plan and what its operators did.
func (a *app) printExplanation(k *asking, ev *rag.Evidence, items []evidenceItem) {
	o := a.out
	o.print("\n%s\n%s", o.bold("plan"), escape(explainPlan(ev.Plan)))
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
func (a *app) printWay(rank int, id string, w why) {
	line := fmt.Sprintf("%2d. %s · %s", rank, id, w.Seed)
	for _, p := range w.Path {
		line += " → " + p
	}
	if w.Cut != "" {
		line += " → " + w.Cut
	}
	a.out.print("%s\n", escape(line))
}
