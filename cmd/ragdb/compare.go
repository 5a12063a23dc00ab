package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

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
	sc := a.asked(c, &f.questionFlags)
	r, err := sc.Compare(ctx, f.compare.specs, service.ReplyOptions{EvidenceOnly: f.noLLM, Explain: f.explain},
		func(spec method.Spec) (*service.Asking, error) { return a.askBy(ctx, c, &f.questionFlags, q, spec) })
	if err != nil {
		return err
	}
	switch {
	case a.out.format == asJSON:
		a.out.json(r)
	case !a.out.text():
		a.out.rows(compareTable(r))
	default:
		a.printCompare(r, f.explain)
	}
	if f.failEmpty && !slices.ContainsFunc(r.Methods, func(m *service.ComparedMethod) bool { return len(m.Items) > 0 }) {
		return service.ErrNoEvidence
	}
	return nil
}

// compareTable has a row for each item of each method.
func compareTable(r *service.Comparison) *table {
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
func textLine(m *service.ComparedMethod, item, n, wide int) string {
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

func (a *app) printCompare(r *service.Comparison, explain bool) {
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
		if m.Reply == nil {
			continue
		}
		o.print("%s\n", o.bold(m.Method))
		a.printSaid(m.Reply, false)
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
				cells = append(cells, textLine(m, i, n, wide))
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
		items := make([]service.Item, len(m.Items))
		for i := range m.Items {
			items[i] = m.Items[i].Item
		}
		o.print("\n%s\n", o.bold(escape(m.Method)))
		a.printExplanation(m.Asking, m.Evidence, items)
	}
}
