package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/query/cypher"
)

// flush prints the rows that were kept.
func (p *printer) flush() {
	p.grid.add(p.cells)
	p.cells = p.cells[:0]
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
	p.columns, p.grid.head, p.grid.right = t.head, t.head, t.right
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
