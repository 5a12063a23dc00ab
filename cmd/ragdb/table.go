package main

import (
	"encoding/csv"
	"strings"
)

// table is rows with names.
type table struct {
	head []string
	// right says which columns are set flush right: numbers.
	right []bool
	rows  [][]string
	// objects are the rows for --jsonl, one each.
	objects []any
}

func (t *table) add(object any, cells ...string) {
	t.rows = append(t.rows, cells)
	t.objects = append(t.objects, object)
}

// rows writes a table in the format chosen.
func (o *output) rows(t *table) {
	cells := make([][]string, len(t.rows))
	for i, row := range t.rows {
		for _, c := range row {
			cells[i] = append(cells[i], escape(c))
		}
	}
	switch o.format {
	case asJSON, asJSONL:
		for _, x := range t.objects {
			o.json(x)
		}
	case asCSV:
		w := csv.NewWriter(o.stdout)
		o.fail(w.WriteAll(append([][]string{t.head}, cells...)))
	case asMarkdown:
		o.markdown(t, cells)
	case asLine:
		for i, row := range cells {
			if i > 0 {
				o.print("\n")
			}
			for j, c := range row {
				o.print("%s = %s\n", pad(t.head[j], longest(t.head), true), c)
			}
		}
	case asBox:
		o.box(t, cells)
	default:
		o.aligned(t, cells)
	}
}

func longest(words []string) int {
	n := 0
	for _, w := range words {
		n = max(n, columns(w))
	}
	return n
}

// widths are the columns' widths.
func (t *table) widths(cells [][]string) []int {
	w := make([]int, len(t.head))
	for j, h := range t.head {
		w[j] = columns(h)
	}
	for _, row := range cells {
		for j, c := range row {
			w[j] = max(w[j], columns(c))
		}
	}
	return w
}

func (t *table) flush(j int) bool { return j < len(t.right) && t.right[j] }

// line sets cells into their columns with something between them.
func (t *table) line(cells []string, widths []int, between string) string {
	out := make([]string, len(cells))
	for j, c := range cells {
		out[j] = pad(c, widths[j], t.flush(j))
	}
	return strings.Join(out, between)
}

func (o *output) aligned(t *table, cells [][]string) {
	w := t.widths(cells)
	o.print("%s\n", o.dim(strings.TrimRight(t.line(t.head, w, "  "), " ")))
	for _, row := range cells {
		o.print("%s\n", strings.TrimRight(t.line(row, w, "  "), " "))
	}
}

func (o *output) markdown(t *table, cells [][]string) {
	rule := make([]string, len(t.head))
	for j := range rule {
		rule[j] = "---"
		if t.flush(j) {
			rule[j] = "--:"
		}
	}
	o.markdownRows(append([][]string{t.head, rule}, cells...))
}

func (o *output) markdownRows(rows [][]string) {
	escaped := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, row := range rows {
		out := make([]string, len(row))
		for j, c := range row {
			out[j] = escaped.Replace(c)
		}
		o.print("| %s |\n", strings.Join(out, " | "))
	}
}

func (o *output) box(t *table, cells [][]string) {
	w := t.widths(cells)
	edge := func(left, mid, right string) {
		parts := make([]string, len(w))
		for j, n := range w {
			parts[j] = strings.Repeat("─", n+2)
		}
		o.print("%s%s%s\n", left, strings.Join(parts, mid), right)
	}
	edge("┌", "┬", "┐")
	o.print("│ %s │\n", t.line(t.head, w, " │ "))
	edge("├", "┼", "┤")
	for _, row := range cells {
		o.print("│ %s │\n", t.line(row, w, " │ "))
	}
	edge("└", "┴", "┘")
}
