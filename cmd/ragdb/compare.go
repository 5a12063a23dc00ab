package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// compareResult is what ask --compare --json prints.
type compareResult struct {
	V        int               `json:"v"`
	Question string            `json:"question"`
	NS       string            `json:"ns"`
	Methods  []*comparedMethod `json:"methods"`
}

// comparedMethod is the evidence of one method beside that of others.
type comparedMethod struct {
	Method string         `json:"method"`
	Items  []comparedItem `json:"items"`
	// Answer, Sources and Trace are the answer from the items; nil with --no-llm.
	Answer   *string      `json:"answer,omitempty"`
	Answered *bool        `json:"answered,omitempty"`
	Sources  []rag.Source `json:"sources,omitempty"`
	// Nearest are the passages that come nearest if there is no answer.
	Nearest *[]rag.Passage `json:"nearest,omitempty"`
	// Notes and Cut are as in the answer of one method.
	Notes []string `json:"notes,omitempty"`
	Cut   int      `json:"cut,omitempty"`
	Trace string   `json:"trace,omitempty"`
	// Only are the ids of the items that no other method found, OnlyDocs the
	// documents that no other's evidence rests on.
	Only     []string        `json:"only"`
	OnlyDocs []string        `json:"only_docs"`
	Tokens   int             `json:"tokens"`
	Ms       timings         `json:"ms"`
	Plan     string          `json:"plan,omitempty"`
	Ops      []query.OpTrace `json:"ops,omitempty"`

	k   *asking
	ev  *rag.Evidence
	ans *rag.Answer
}

// comparedItem is an evidence item with the methods that found it.
type comparedItem struct {
	Method string `json:"method"`
	evidenceItem
	// Also are the other methods that found it.
	Also []string `json:"also"`
}

// checkCompare refuses flags that make no sense with --compare.
func (f *askFlags) checkCompare(methodGiven bool) error {
	if len(f.compare.specs) == 0 {
		return nil
	}
	switch {
	case len(f.compare.specs) < 2:
		return usage("write it like --compare bridge,naive", "--compare needs two methods or more")
	case methodGiven:
		return usage("name all methods in --compare", "--compare and --method exclude each other")
	case f.stream:
		return usage("leave --stream out", "--compare prints several answers, and none as it comes")
	}
	return nil
}

// compare retrieves by each method and prints what they found side by side.
func (a *app) compare(ctx context.Context, c *rag.Corpus, f *askFlags, q method.Question) error {
	r := &compareResult{V: 1, Question: q.Text, NS: c.Namespace().Name()}
	seen := map[string]string{} // spec by method and parameters
	for _, spec := range f.compare.specs {
		k, err := a.askBy(ctx, c, &f.questionFlags, q, spec)
		if err != nil {
			return err
		}
		same := method.Spec{Name: k.system.Name(), Params: k.system.Params()}.String()
		if first, ok := seen[same]; ok {
			return usage("name different ones", "--compare has one method twice: %s and %s", first, spec.Title())
		}
		seen[same] = spec.Title()
		m, err := k.compared(ctx, spec.Title(), f)
		if err != nil {
			return err
		}
		r.Methods = append(r.Methods, m)
	}
	r.relate()
	switch {
	case a.out.format == asJSON:
		a.out.json(r)
	case !a.out.text():
		a.out.rows(r.table())
	default:
		a.printCompare(r, f.explain)
	}
	if f.failEmpty && !slices.ContainsFunc(r.Methods, func(m *comparedMethod) bool { return len(m.Items) > 0 }) {
		return errNoEvidence
	}
	return nil
}

// compared asks a method, or retrieves by it if --no-llm is given. If retrieval costs nothing it retrieves once before, so that
// the time is not that of opening what the methods share.
func (k *asking) compared(ctx context.Context, title string, f *askFlags) (*comparedMethod, error) {
	m := &comparedMethod{Method: title, Items: []comparedItem{}, Only: []string{}, OnlyDocs: []string{}, k: k}
	var items []evidenceItem
	retrieve := func() (err error) {
		m.ev, err = k.corpus.Retrieve(ctx, k.system, k.models, k.q, k.evidence(&items))
		return err
	}
	ask := func() (err error) { // evidence and answer are of one commit
		if m.ans, err = k.corpus.Ask(ctx, k.system, k.models, k.q, k.evidence(&items)); err == nil {
			m.ev = m.ans.Evidence
		}
		return err
	}
	last := ask
	if f.noLLM {
		last = retrieve
	}
	if k.models.Free() {
		if err := retrieve(); err != nil {
			return nil, err
		}
	}
	if err := last(); err != nil {
		return nil, err
	}
	for _, it := range items {
		m.Items = append(m.Items, comparedItem{Method: title, evidenceItem: it, Also: []string{}})
	}
	m.Tokens, m.Ms, m.Notes = m.ev.Tokens, split(m.ev), evidenceNotes(m.ev)
	m.Ms.Total = ms(m.ev.Time)
	if f.explain {
		m.Plan, m.Ops = explainPlan(m.ev.Plan), m.ev.Trace.Ops
	}
	if f.noLLM {
		return m, nil
	}
	r := newAnswerResult(k, m.ans, nil, m.ev.Time)
	m.Answer, m.Answered, m.Sources, m.Nearest, m.Trace = r.Answer, r.Answered, r.Sources, r.Nearest, r.Trace
	m.Notes, m.Cut = r.Notes, r.Cut
	return m, nil
}

// docs returns the documents that a method's evidence rests on.
func (m *comparedMethod) docs() map[string]bool {
	out := map[string]bool{}
	for _, it := range m.ev.Items() {
		for _, chunk := range it.Chunks {
			out[method.DocOf(chunk)] = true
		}
	}
	return out
}

// relate says of each method's items and documents which others have them.
func (r *compareResult) relate() {
	items, docs := map[string][]string{}, map[string]int{}
	for _, m := range r.Methods {
		for _, it := range m.Items {
			items[it.ID] = append(items[it.ID], m.Method)
		}
		for doc := range m.docs() {
			docs[doc]++
		}
	}
	for _, m := range r.Methods {
		for i := range m.Items {
			it := &m.Items[i]
			for _, other := range items[it.ID] {
				if other != m.Method && !slices.Contains(it.Also, other) {
					it.Also = append(it.Also, other)
				}
			}
			if len(it.Also) == 0 && !slices.Contains(m.Only, it.ID) {
				m.Only = append(m.Only, it.ID)
			}
		}
		for _, doc := range slices.Sorted(maps.Keys(m.docs())) {
			if docs[doc] == 1 {
				m.OnlyDocs = append(m.OnlyDocs, doc)
			}
		}
	}
}

// table has a row for each item of each method.
func (r *compareResult) table() *table {
	t := &table{
		head:  []string{"method", "rank", "section", "kind", "id", "score", "tokens", "also", "text"},
		right: []bool{false, true, false, false, false, true, true},
	}
	for _, m := range r.Methods {
		for _, it := range m.Items {
			t.add(it, m.Method, number(it.Rank), it.Section, it.Kind, it.ID, score(it.Score), number(it.Tokens), strings.Join(it.Also, " "), oneLine(it.Text))
		}
	}
	return t
}

// comparedRows is how many items of each method a terminal sees, and
// comparedLines how many lines of each item's text.
const (
	comparedRows  = 15
	comparedLines = 2
)

// textLine is a line of the text of an item in a column, "" if there is none.
func (m *comparedMethod) textLine(item, n, wide int) string {
	if item >= len(m.Items) {
		return ""
	}
	lines := strings.Split(strings.TrimRight(wrap(escape(oneLine(m.Items[item].Text)), wide, "     "), "\n"), "\n")
	switch {
	case n >= len(lines):
		return ""
	case n == comparedLines-1 && len(lines) > comparedLines:
		return cut(lines[n]+" …", wide)
	}
	return lines[n]
}

func (a *app) printCompare(r *compareResult, explain bool) {
	o := a.out
	wide := max(24, (o.width-2*(len(r.Methods)-1))/len(r.Methods))
	line := func(cells []string, mark func(string) styled) {
		for i, c := range cells {
			if c = cut(escape(c), wide); i < len(cells)-1 {
				c = pad(c, wide, false) + "  "
			}
			cells[i] = c
		}
		o.print("%s\n", mark(strings.TrimRight(strings.Join(cells, ""), " ")))
	}
	for _, m := range r.Methods {
		if m.ans == nil {
			continue
		}
		o.print("%s\n", o.bold(m.Method))
		a.printSaid(m.ans, false)
		if m.Trace != "" {
			o.print("%s\n", o.dim("trace "+m.Trace))
		}
		o.print("\n")
	}
	plain := func(s string) styled { return styled(s) } // its cells are escaped
	var names, more []string
	most, cutOff := 0, false
	for _, m := range r.Methods {
		names = append(names, " "+m.Method)
		most = max(most, min(comparedRows, len(m.Items)))
		n := len(m.Items) - comparedRows
		cutOff = cutOff || n > 0
		more = append(more, map[bool]string{true: "     … " + number(n) + " more"}[n > 0])
	}
	line(names, o.bold)
	for i := range most {
		var cells []string
		for _, m := range r.Methods {
			cell := ""
			if i < len(m.Items) {
				mark := map[bool]string{true: "*", false: " "}[len(m.Items[i].Also) == 0]
				cell = fmt.Sprintf("%s%2d. %s", mark, i+1, m.Items[i].ID)
			}
			cells = append(cells, cell)
		}
		line(cells, plain)
		for n := range comparedLines {
			cells = nil
			for _, m := range r.Methods {
				cells = append(cells, m.textLine(i, n, wide))
			}
			line(cells, o.dim)
		}
	}
	if cutOff {
		line(more, o.dim)
	}
	for _, m := range r.Methods {
		o.print("\n%s %s\n", o.bold("only "+escape(m.Method)), o.dim("· "+plural(len(m.Only), "item")+" · "+plural(len(m.OnlyDocs), "document")))
		first := m.Only[:min(comparedRows, len(m.Only))]
		if len(first) > 0 {
			s := strings.Join(first, " · ")
			if n := len(m.Only) - len(first); n > 0 {
				s += " · … " + number(n) + " more"
			}
			o.print("%s", wrap(escape(s), o.width, "  "))
		}
	}
	o.print("\n%s\n", o.dim("* found by no other method"))
	for _, m := range r.Methods {
		o.print("%s\n", o.dim(fmt.Sprintf("%s · %s · %s · %.1f ms", escape(m.Method), plural(len(m.Items), "item"), plural(m.Tokens, "token"), m.Ms.Total)))
	}
	if !explain {
		return
	}
	for _, m := range r.Methods {
		items := make([]evidenceItem, len(m.Items))
		for i := range m.Items {
			items[i] = m.Items[i].evidenceItem
		}
		o.print("\n%s\n", o.bold(escape(m.Method)))
		a.printExplanation(m.k, m.ev, items)
	}
}
