package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/query/cypher"
)

// flush prints the rows that were kept. Columns only grow from one batch to the
// next.
func (p *printer) flush() {
	first := p.widths == nil
	p.settleWidths()
	switch p.display.format {
	case asMarkdown:
		t := &table{head: p.columns, right: p.right}
		if first {
			p.out.markdown(t, p.cells)
		} else {
			p.out.markdownRows(p.cells)
		}
	case asBox:
		if first {
			p.rule("┌", "┬", "┐")
			p.print(p.columns, "│ ", " │ ", " │")
			p.rule("├", "┼", "┤")
		}
		for _, row := range p.cells {
			p.print(row, "│ ", " │ ", " │")
		}
	default:
		if first {
			p.out.print("%s\n", p.out.dim(p.set(p.columns, "", "  ", "")))
		}
		for _, row := range p.cells {
			p.print(row, "", "  ", "")
		}
	}
	p.cells = p.cells[:0]
}

func (p *printer) print(cells []string, left, between, right string) {
	p.out.print("%s\n", p.set(cells, left, between, right))
}

// set sets cells into their columns, the long ones cut.
func (p *printer) set(cells []string, left, between, right string) string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = pad(cut(c, p.widths[i]), p.widths[i], p.right != nil && p.right[i])
	}
	return strings.TrimRight(left+strings.Join(out, between)+right, " ")
}

// rule prints a line of a box.
func (p *printer) rule(left, mid, right string) {
	parts := make([]string, len(p.widths))
	for i, n := range p.widths {
		parts[i] = strings.Repeat("─", n+2)
	}
	p.out.print("%s%s%s\n", left, strings.Join(parts, mid), right)
}

// settleWidths gives each column the width of its longest cell, and where the
// lines would be too long takes from the widest.
func (p *printer) settleWidths() {
	before := p.widths
	p.widths = (&table{head: p.columns}).widths(p.cells)
	for i, w := range before {
		p.widths[i] = max(p.widths[i], w)
	}
	room := p.room
	if room == 0 || p.display.format == asMarkdown {
		return
	}
	between := 2
	if p.display.format == asBox {
		between = 3
		room -= 4
	}
	room -= between * (len(p.widths) - 1)
	narrow(p.widths, room)
}

// narrow cuts the widest of some widths down to one that makes their sum fit,
// but none below leastColumn.
func narrow(widths []int, room int) {
	sum := 0
	for _, w := range widths {
		sum += w
	}
	for sum > room {
		widest := slices.Max(widths)
		if widest <= leastColumn {
			return
		}
		// All of the widest shrink together, to the next width below them or as
		// far as they must.
		next, count := leastColumn, 0
		for _, w := range widths {
			switch {
			case w == widest:
				count++
			case w > next:
				next = w
			}
		}
		need := (sum - room + count - 1) / count
		to := max(next, widest-need)
		for i, w := range widths {
			if w == widest {
				widths[i] = to
			}
		}
		sum -= count * (widest - to)
	}
}

// planRow is a step of a plan.
type planRow struct {
	Part  int      `json:"part"` // of a UNION, from 1
	Depth int      `json:"depth"`
	Step  string   `json:"step"`
	Args  []string `json:"args"`
	// About is the planner's guess of the rows, left out if it has none.
	About *float64 `json:"rows_est,omitempty"`
	Rows  *int64   `json:"rows,omitempty"` // with PROFILE
	Ms    *float64 `json:"ms,omitempty"`
}

// newPlanResult lists the steps of a plan, those of patterns below theirs.
func newPlanResult(parts [][]*cypher.PlanStep) []planRow {
	profiled := false
	for _, steps := range parts {
		profiled = profiled || ran(steps)
	}
	var out []planRow
	var add func(part, depth int, steps []*cypher.PlanStep)
	add = func(part, depth int, steps []*cypher.PlanStep) {
		for _, s := range steps {
			r := planRow{Part: part, Depth: depth, Step: s.Name, Args: append([]string{}, s.Args...)}
			if s.Estimate >= 0 {
				r.About = &s.Estimate
			}
			if profiled {
				took := ms(s.Time)
				r.Rows, r.Ms = &s.Rows, &took
			}
			out = append(out, r)
			add(part, depth+1, s.Inner)
		}
	}
	for i, steps := range parts {
		add(i+1, 0, steps)
	}
	return out
}

// ran reports whether a plan was run, by PROFILE.
func ran(steps []*cypher.PlanStep) bool {
	return slices.ContainsFunc(steps, func(s *cypher.PlanStep) bool {
		return s.Rows > 0 || s.Time > time.Duration(0) || ran(s.Inner)
	})
}

// plan prints a plan, from the step that makes the first rows down to the one
// that returns them. What runs for each row stands indented below its step.
func (p *printer) plan(parts [][]*cypher.PlanStep) {
	if p.display.format == asJSON {
		p.steps = parts
		return
	}
	rows := newPlanResult(parts)
	profiled := len(rows) > 0 && rows[0].Rows != nil
	t := &table{head: []string{"step", "about rows"}, right: []bool{false, true, true, true}}
	if profiled {
		t.head = append(t.head, "rows", "ms")
	}
	last := 1
	for _, r := range rows {
		name := strings.Repeat("  ", r.Depth) + r.Step
		if len(r.Args) > 0 {
			name += " " + strings.Join(r.Args, ", ")
		}
		if r.Part > last {
			name, last = "UNION "+name, r.Part
		}
		cells := []string{oneLineIndented(name), ""}
		if r.About != nil {
			cells[1] = number(int64(*r.About + 0.5))
		}
		if profiled {
			cells = append(cells, number(*r.Rows), fmt.Sprintf("%.2f", *r.Ms))
		}
		t.add(r, cells...)
	}
	p.columns, p.right, p.widths = t.head, t.right, nil
	p.cells = nil
	if p.out.machine() || p.display.format == asCSV || p.display.format == asLine {
		p.out.rows(t)
		p.columns = nil
		return
	}
	for _, row := range t.rows {
		for i := range row {
			row[i] = escape(row[i])
		}
		p.cells = append(p.cells, row)
	}
}

// oneLineIndented returns a text without line breaks, its indent kept.
func oneLineIndented(s string) string {
	text := strings.TrimLeft(s, " ")
	return s[:len(s)-len(text)] + oneLine(text)
}
