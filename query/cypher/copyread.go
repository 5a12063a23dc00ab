package cypher

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/temporal"
)

// maxCopyLine bounds a line of a file of JSON lines.
const maxCopyLine = 64 << 20

// copyFormat is how the rows of a file are written.
type copyFormat struct {
	jsonl bool
	comma rune
}

// formatOf returns the format of a file by the options of a COPY and by its
// name.
func formatOf(x *exec, c *copyClause, file string) (copyFormat, error) {
	f := copyFormat{comma: ','}
	name := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	if c.Options != nil {
		pl := &planner{text: x.text, scope: &segment{}}
		ev, err := pl.expr(c.Options)
		if err != nil {
			return f, err
		}
		v, err := ev(x, nil)
		if err != nil {
			return f, err
		}
		for _, key := range sortedKeys(v.AsMap()) {
			o := v.AsMap()[key]
			switch key {
			case "format":
				name = o.AsString()
			case "delimiter":
				r := []rune(o.AsString())
				if len(r) != 1 {
					return f, argumentError(c.Options.Pos, "the delimiter is one character")
				}
				f.comma = r[0]
			default:
				return f, argumentError(c.Options.Pos, "COPY has no option %s; it has format and delimiter", quoteName(key))
			}
		}
	}
	switch name {
	case "jsonl", "ndjson":
		f.jsonl = true
	case "csv":
	case "tsv":
		f.comma = '\t'
	default:
		return f, argumentError(c.Pos, "the format of %q is not known: OPTIONS {format: 'csv'} or {format: 'jsonl'} says it", file)
	}
	return f, nil
}

// copyRow is a row of a file.
type copyRow struct {
	line  int
	props map[string]Value
}

// rowReader reads the rows of a file, and io.EOF at its end. Errors of a row
// are a *engine.LineError.
type rowReader interface{ next() (copyRow, error) }

func newRowReader(r io.Reader, f copyFormat) (rowReader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := b.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		b.Discard(3)
	}
	if f.jsonl {
		return &jsonRows{r: b}, nil
	}
	return newCSVRows(b, f.comma)
}

// jsonRows reads JSON lines.
type jsonRows struct {
	r    *bufio.Reader
	line int
}

func (j *jsonRows) next() (copyRow, error) {
	for {
		line, err := readLine(j.r)
		j.line++
		if err != nil && (err != io.EOF || len(line) == 0) {
			if err != io.EOF {
				err = &engine.LineError{Line: j.line, Err: err}
			}
			return copyRow{}, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var m map[string]any
		if err := d.Decode(&m); err != nil {
			return copyRow{}, j.fail(fmt.Errorf("no JSON object: %v", err))
		}
		if d.More() {
			return copyRow{}, j.fail(errors.New("more than one JSON object"))
		}
		v, err := ValueOf(m)
		if err != nil {
			return copyRow{}, j.fail(err)
		}
		return copyRow{j.line, v.AsMap()}, nil
	}
}

func (j *jsonRows) fail(err error) error { return &engine.LineError{Line: j.line, Err: err} }

// readLine reads a line with its break, of maxCopyLine bytes at most.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxCopyLine {
			return nil, fmt.Errorf("longer than %d MiB", maxCopyLine>>20)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// csvRows reads rows of comma-separated values. The first one names the
// columns, with their types: age:int. An empty cell is null.
type csvRows struct {
	r       *csv.Reader
	columns []csvColumn
}

type csvColumn struct {
	name  string
	parse func(cell string) (Value, error)
}

func newCSVRows(r io.Reader, comma rune) (*csvRows, error) {
	c := &csvRows{r: csv.NewReader(r)}
	c.r.Comma = comma
	c.r.ReuseRecord = true
	head, err := c.r.Read()
	if err == io.EOF {
		return c, nil
	}
	if err != nil {
		return nil, &engine.LineError{Line: 1, Err: err}
	}
	seen := map[string]bool{}
	for _, h := range head {
		name, kind := h, ""
		if i := strings.LastIndexByte(h, ':'); i >= 0 {
			name, kind = h[:i], h[i+1:]
		}
		parse, ok := cellType(strings.ToLower(kind))
		if !ok {
			return nil, &engine.LineError{Line: 1, Err: fmt.Errorf("the column %q has an unknown type; there are string, int, float, boolean, date, localtime, time, localdatetime, datetime, duration, lists of these such as ints, point and vector", h)}
		}
		if name == "" || seen[name] {
			return nil, &engine.LineError{Line: 1, Err: fmt.Errorf("the column %q has no name or one that another has", h)}
		}
		seen[name] = true
		c.columns = append(c.columns, csvColumn{name, parse})
	}
	return c, nil
}

func (c *csvRows) next() (copyRow, error) {
	cells, err := c.r.Read()
	if err == io.EOF || c.columns == nil {
		return copyRow{}, io.EOF
	}
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return copyRow{}, &engine.LineError{Line: bad.Line, Err: bad.Err}
	}
	if err != nil {
		return copyRow{}, err
	}
	line, _ := c.r.FieldPos(0)
	row := copyRow{line, make(map[string]Value, len(cells))}
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		v, err := c.columns[i].parse(cell)
		if err != nil {
			return row, &engine.LineError{Line: line, Err: fmt.Errorf("column %s: %w", c.columns[i].name, err)}
		}
		row.props[c.columns[i].name] = v
	}
	return row, nil
}

// cellType returns how the cells of a column of a type are read, false if there is
// no such type: one of cellTypes, the name of a kind of temporal values, or either in
// the plural, which is a list with semicolons between its items.
func cellType(name string) (func(cell string) (Value, error), bool) {
	if parse, ok := cellTypes[name]; ok {
		return parse, true
	}
	for kind := temporal.KindDate; kind <= temporal.KindDuration; kind++ {
		if kind.String() == name {
			z := &temporal.Zones{}
			return func(s string) (Value, error) {
				v, err := kind.Parse(s, z)
				return Temporal(v), err
			}, true
		}
	}
	one, plural := strings.CutSuffix(name, "s")
	if !plural || one == "" || strings.HasSuffix(one, "s") || one == "point" || one == "vector" {
		return nil, false
	}
	item, ok := cellType(one)
	if !ok {
		return nil, false
	}
	return func(s string) (Value, error) {
		var list []Value
		for _, cell := range strings.Split(s, ";") {
			v, err := item(strings.TrimSpace(cell))
			if err != nil {
				return Null, err
			}
			list = append(list, v)
		}
		return ListOf(list), nil
	}, true
}

// cellTypes are the types of columns. A list of strings has its items between
// semicolons, a vector its numbers, and a point is a map as JSON.
var cellTypes = map[string]func(cell string) (Value, error){
	"":        parseText,
	"string":  parseText,
	"int":     parseInteger,
	"integer": parseInteger,
	"float":   parseFloatCell,
	"boolean": parseBoolean,
	"bool":    parseBoolean,
	"strings": parseStrings,
	"point":   parsePoint,
	"vector":  parseVector,
}

func parseText(s string) (Value, error) { return String(s), nil }

func parseInteger(s string) (Value, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return Null, fmt.Errorf("%q is not an integer", s)
	}
	return Int(n), nil
}

func parseFloatCell(s string) (Value, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return Null, fmt.Errorf("%q is not a number", s)
	}
	return Float(x), nil
}

func parseBoolean(s string) (Value, error) {
	switch strings.ToLower(s) {
	case "true":
		return Bool(true), nil
	case "false":
		return Bool(false), nil
	}
	return Null, fmt.Errorf("%q is neither true nor false", s)
}

func parsePoint(s string) (Value, error) {
	var m map[string]any
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	if err := d.Decode(&m); err != nil || d.More() {
		return Null, fmt.Errorf("%.80q is not a point such as {\"x\": 1, \"y\": 2}", s)
	}
	v, err := ValueOf(m)
	if err != nil {
		return Null, err
	}
	v, err = callPoint(nil, 0, []Value{v})
	var failed *EvalError
	if errors.As(err, &failed) {
		return Null, errors.New(failed.Message)
	}
	return v, err
}

func parseStrings(s string) (Value, error) {
	var list []Value
	for _, item := range strings.Split(s, ";") {
		list = append(list, String(item))
	}
	return ListOf(list), nil
}

func parseVector(s string) (Value, error) {
	var list []Value
	for _, item := range strings.Split(s, ";") {
		x, err := parseFloatCell(strings.TrimSpace(item))
		if err != nil {
			return Null, err
		}
		list = append(list, x)
	}
	return ListOf(list), nil
}
