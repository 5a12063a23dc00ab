package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/query/cypher"
)

// flush prints the rows that were kept.
func (p *printer) flush() {
	p.grid.add(p.cells)
	p.cells = p.cells[:0]
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
	rows := service.PlanRows(parts)
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
