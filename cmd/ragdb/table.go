package main

import "encoding/csv"

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
	case asLine:
		for i, row := range cells {
			if i > 0 {
				o.print("\n")
			}
			for j, c := range row {
				o.print("%s = %s\n", pad(t.head[j], longest(t.head), true), c)
			}
		}
	default:
		g := &grid{out: o, format: o.format, head: t.head, right: t.right}
		g.add(cells)
		g.end()
	}
}

func longest(words []string) int {
	n := 0
	for _, w := range words {
		n = max(n, columns(w))
	}
	return n
}
