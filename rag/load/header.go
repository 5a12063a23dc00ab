package load

import "strings"

// maxColumns bounds the columns that one cell of a table takes.
const maxColumns = 1000

// tableCell is a cell of a table, and how many columns and rows it spans.
type tableCell struct {
	text          string
	columns, rows int
}

// header is the header of a table: the names of its columns. The rows below it have
// a cell for each name, so that it can be told which stands under which.
type header struct {
	out   *body // bounds what is repeated
	names []string
	// under are the cells of rows above that reach down, by column.
	under []tableCell
}

// read takes a row of the header. Names below one another are one.
func (t *header) read(cells []tableCell) {
	for i, s := range t.columns(cells, true) {
		switch {
		case i == len(t.names):
			t.names = append(t.names, s)
		case t.names[i] == "" || t.names[i] == s:
			t.names[i] = s
		case s != "":
			t.names[i] += " " + s
		}
	}
}

// row returns a row as a line "a | b".
func (t *header) row(cells []tableCell) string {
	row := t.columns(cells, false)
	for len(row) > 0 && row[len(row)-1] == "" {
		row = row[:len(row)-1]
	}
	return strings.Join(row, " | ")
}

// columns returns the texts of a row by column. A cell of a row above that reaches
// down has its text again; of one that spans several columns the text stands in
// the first, or in each.
func (t *header) columns(cells []tableCell, each bool) (out []string) {
	add := func(c tableCell) {
		n := c.columns
		if !t.out.repeat((n - 1) * (len(c.text) + 3)) {
			n = 1
		}
		for i := range n {
			if i > 0 && !each {
				c.text = ""
			}
			out = append(out, c.text)
		}
	}
	down := func() {
		for len(out) < len(t.under) && t.under[len(out)].rows > 0 {
			c := &t.under[len(out)]
			c.rows--
			if !t.out.repeat(len(c.text) + 3) {
				c.text = ""
			}
			add(*c)
		}
	}
	for _, c := range cells {
		down()
		if c.rows > 1 && len(out) < maxColumns {
			for len(t.under) <= len(out) {
				t.under = append(t.under, tableCell{})
			}
			t.under[len(out)] = tableCell{c.text, c.columns, c.rows - 1}
		}
		add(c)
	}
	down()
	return out
}

// joinCells returns a row of a table without a header.
func joinCells(cells []tableCell) string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = c.text
	}
	return strings.Join(texts, " | ")
}
