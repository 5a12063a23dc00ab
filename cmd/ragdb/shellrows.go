package main

import (
	"bufio"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/query/cypher"
)

// display is how the shell shows rows.
type display struct {
	format format
	// width bounds the lines of tables; 0 is the width of the terminal, and no
	// bound elsewhere.
	width int
	// maxRows bounds the rows of a statement in formats for people; 0 means no
	// bound.
	maxRows int
}

// The defaults of a display.
const (
	// promptRows is maxRows at a prompt.
	promptRows = 200
	// batchRows is how many rows of a table settle the widths of its columns
	// together, so that a long result is printed as it comes.
	batchRows = 1000
	// showEvery is how long a row may wait to be seen.
	showEvery = 100 * time.Millisecond
	// leastColumn is the width that a column keeps if a table is too wide.
	leastColumn = 8
)

// lines returns the columns that a table may take, 0 for any number.
func (d display) lines(w io.Writer) int {
	if d.width > 0 {
		return d.width
	}
	if n := columnsOf(w); n > 20 {
		return n
	}
	return 0
}

// printer writes the rows of a statement as they come.
type printer struct {
	out     *output
	buf     *bufio.Writer // of out, written out at least every showEvery
	shown   time.Time
	display display
	columns []string

	rows int
	cut  bool // there were more rows than may be shown
	// cells are rows that wait until widths are known.
	cells [][]string
	grid  *grid
	csv   *csv.Writer
	begun bool
	steps [][]*cypher.PlanStep
}

func (sh *shell) newPrinter(columns []string) *printer {
	o := *sh.a.out
	o.format = sh.display.format
	buf := bufio.NewWriterSize(o.stdout, 1<<15)
	o.stdout = buf
	g := &grid{out: &o, format: o.format, head: columns, room: sh.display.lines(sh.a.out.stdout)}
	return &printer{out: &o, buf: buf, shown: time.Now(), display: sh.display, grid: g, columns: columns}
}

// row prints a row, or keeps it for a batch. More says whether there is any use
// in another one. Texts of nodes and edges are read here.
func (p *printer) row(values []cypher.Value) (more bool, err error) {
	if p.columns == nil {
		return true, nil
	}
	if most := p.display.maxRows; most > 0 && p.rows >= most && !p.out.machine() && p.display.format != asCSV {
		p.cut = true
		return false, nil
	}
	p.rows++
	switch p.display.format {
	case asJSON, asJSONL:
		err = p.object(values)
	case asCSV:
		p.record(values)
	case asLine:
		p.line(values)
	default:
		p.keep(values)
	}
	if time.Since(p.shown) > showEvery {
		p.show()
	}
	if err == nil {
		err = p.out.err
	}
	return true, err
}

// show writes out what is printed.
func (p *printer) show() {
	if p.csv != nil {
		p.csv.Flush()
		p.fail(p.csv.Error())
	}
	p.fail(p.buf.Flush())
	p.shown = time.Now()
}

// end prints what is left of the rows.
func (p *printer) end(res *cypher.Result) {
	switch p.display.format {
	case asJSON:
		p.endObject(res)
	case asJSONL:
	case asCSV:
		if p.columns != nil {
			p.header()
		}
	case asLine:
	default:
		if p.columns != nil {
			p.flush()
			p.grid.end()
		}
	}
	p.show()
}

// abandon ends the printing of a statement that failed: what was read is
// printed, and an object is left unfinished.
func (p *printer) abandon() {
	if len(p.cells) > 0 {
		p.flush()
	}
	if p.begun && p.display.format == asJSON {
		p.out.print("\n")
	}
	p.show()
}

func (p *printer) fail(err error) { p.out.fail(err) }

// object prints a row as an object, its columns in order.
func (p *printer) object(values []cypher.Value) error {
	b, err := service.AppendRow(nil, p.columns, values)
	if err != nil {
		return err
	}
	switch {
	case p.display.format == asJSONL:
		b = append(b, '\n')
	case p.begun:
		p.out.print(",")
	default:
		p.begin()
	}
	_, err = p.out.stdout.Write(b)
	return err
}

func (p *printer) begin() {
	p.begun = true
	p.out.print(`{"v":1,"rows":[`)
}

func (p *printer) endObject(res *cypher.Result) {
	if !p.begun {
		p.begin()
	}
	p.out.print("]")
	if c := service.CountsOf(res.Counts); c != nil {
		p.out.print(`,"counts":%s`, jsonText(c))
	}
	if p.steps != nil {
		p.out.print(`,"plan":%s`, jsonText(service.PlanRows(p.steps)))
	}
	p.out.print(`,"ms":%s}`+"\n", jsonText(ms(res.Elapsed())))
}

// jsonText writes what is known to be possible in JSON.
func jsonText(v any) []byte {
	b, _ := service.Encode(v) // strings, numbers and structs of them
	return b
}

// header begins CSV.
func (p *printer) header() {
	if p.csv == nil {
		p.csv = csv.NewWriter(p.out.stdout)
		head := make([]string, len(p.columns))
		for i, c := range p.columns {
			head[i] = escape(c)
		}
		p.fail(p.csv.Write(head))
	}
}

func (p *printer) record(values []cypher.Value) {
	p.header()
	out := make([]string, len(values))
	for i, v := range values {
		if !v.IsNull() {
			out[i] = escape(v.String())
		}
	}
	p.fail(p.csv.Write(out))
}

// line prints a row one value a line.
func (p *printer) line(values []cypher.Value) {
	if p.rows > 1 {
		p.out.print("\n")
	}
	wide := longest(p.columns)
	for i, v := range values {
		p.out.print("%s = %s\n", pad(p.columns[i], wide, true), escape(v.String()))
	}
}

// keep keeps a row for the next batch of a table.
func (p *printer) keep(values []cypher.Value) {
	g := p.grid
	if g.right == nil {
		g.right = slices.Repeat([]bool{true}, len(p.columns))
	}
	row := make([]string, len(values))
	for i, v := range values {
		switch v.Kind() {
		case cypher.KindNull, cypher.KindInt, cypher.KindFloat:
		default:
			if g.widths == nil {
				g.right[i] = false
			}
		}
		row[i] = escape(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(v.String()))
	}
	p.cells = append(p.cells, row)
	if len(p.cells) == batchRows {
		p.flush()
	}
}
