package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// report is what a run found out, with what is needed to repeat it.
type report struct {
	Command  string    `json:"command"`
	Commit   string    `json:"commit"`
	Machine  machine   `json:"machine"`
	Input    string    `json:"input"`
	Measures []measure `json:"measures"`
	Tables   []table   `json:"tables,omitempty"`

	result any       // what JSON has in place of this, nil for this
	log    io.Writer // progress
}

// measure is one figure and its target, if it has one.
type measure struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Target float64 `json:"target,omitempty"` // 0: none
	AtMost bool    `json:"at_most,omitempty"`
	Note   string  `json:"note,omitempty"`
}

// reached reports whether the value reaches the target.
func (m *measure) reached() bool {
	if m.AtMost {
		return m.Value <= m.Target
	}
	return m.Value >= m.Target
}

// table is a comparison; every row has as many cells as there are columns.
type table struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// add appends a measure and says so.
func (r *report) add(m measure) {
	r.Measures = append(r.Measures, m)
	fmt.Fprintf(r.log, "%-58s %10s %s\n", m.Name, number(m.Value), m.Unit)
}

// atMost adds a measure whose target is an upper bound; 0 is none.
func (r *report) atMost(name string, value float64, unit string, target float64, note string) {
	r.add(measure{Name: name, Value: value, Unit: unit, Target: target, AtMost: true, Note: note})
}

// atLeast adds a measure whose target is a lower bound; 0 is none.
func (r *report) atLeast(name string, value float64, unit string, target float64, note string) {
	r.add(measure{Name: name, Value: value, Unit: unit, Target: target, Note: note})
}

// number renders a value with three significant digits.
func number(v float64) string {
	switch {
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 3, 64) + " M"
	case v >= 1e4:
		return strconv.FormatFloat(v/1e3, 'g', 3, 64) + " k"
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// tables returns everything as tables, the measures first if there are any.
func (r *report) tables() []table {
	if len(r.Measures) == 0 {
		return r.Tables
	}
	t := table{Title: "Measures", Columns: []string{"measure", "reached", "target", "", "note"}}
	for _, m := range r.Measures {
		target, mark := "", ""
		if m.Target != 0 {
			target, mark = "≥ ", "met"
			if m.AtMost {
				target = "≤ "
			}
			target += number(m.Target)
			if !m.reached() {
				mark = "missed"
			}
		}
		t.Rows = append(t.Rows, []string{m.Name, number(m.Value) + " " + m.Unit, target, mark, m.Note})
	}
	return append([]table{t}, r.Tables...)
}

func (r *report) head() [][2]string {
	return [][2]string{
		{"command", r.Command}, {"commit", r.Commit}, {"machine", r.Machine.String()}, {"input", r.Input},
	}
}

func (r *report) writeText(w io.Writer) error {
	for _, h := range r.head() {
		fmt.Fprintf(w, "%-8s %s\n", h[0], h[1])
	}
	for _, t := range r.tables() {
		fmt.Fprintf(w, "\n%s\n", t.Title)
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{t.Columns}, t.Rows...) {
			fmt.Fprintln(tw, "  "+strings.Join(row, "\t"))
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	for _, h := range r.head() {
		fmt.Fprintf(&b, "- %s: `%s`\n", h[0], h[1])
	}
	for _, t := range r.tables() {
		fmt.Fprintf(&b, "\n%s\n\n| %s |\n|%s\n", t.Title, strings.Join(t.Columns, " | "), strings.Repeat("---|", len(t.Columns)))
		for _, row := range t.Rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	if _, ok := r.result.(*graphResult); !ok { // a graphResult is one line of a log
		e.SetIndent("", "  ")
	}
	if r.result != nil {
		return e.Encode(r.result)
	}
	return e.Encode(r)
}
