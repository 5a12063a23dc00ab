package load

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// csv reads a table: a header row, then a record a row.
func (w *walker) csv(in *input, name, key string) error {
	comma := ','
	if isTSV(name) {
		comma = '\t'
	} else if semicolons(in.Reader) {
		comma = ';'
	}
	quota := &quotaReader{r: in.Reader}
	r := csv.NewReader(quota)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = comma, -1, true
	next := func() ([]string, error) {
		quota.left = w.opt.MaxDocBytes + csvAhead
		return r.Read()
	}
	header, err := next()
	if err == io.EOF {
		w.opt.OnSkip(name, skipEmpty)
		return nil
	}
	if err != nil {
		return w.bad(name, csvError(err, 1, w.opt.MaxDocBytes))
	}
	cols, err := readHeader(header)
	if err != nil {
		return w.bad(name, err)
	}
	good, bad := 0, 0
	for row := 1; ; row++ {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		start := r.InputOffset()
		fields, err := next()
		if err == io.EOF {
			if good+bad == 0 {
				w.opt.OnSkip(name, skipEmpty)
			}
			return nil
		}
		var d *draft
		var id string
		line := 0
		if err == nil {
			line, _ = r.FieldPos(0)
			d, id, err = cols.record(fields, line)
		} else {
			err = csvError(err, 0, w.opt.MaxDocBytes)
		}
		if err == nil {
			good++
			src := unknown
			if !in.wide {
				src = [2]int64{in.bom + start, in.bom + r.InputOffset()}
			}
			d.titleSrc = src
			for i := range d.blocks {
				d.blocks[i].Source = src
			}
			if id == "" {
				id = key + "#" + strconv.Itoa(row)
			}
			if err := w.emit(d, id, name, line); err != nil {
				return err
			}
			continue
		}
		e := asFileError(err)
		if err := w.bad(name, e); err != nil {
			return err
		}
		if e.Line == 0 || errors.Is(e, ErrTooLarge) { // nothing follows
			return nil
		}
		if bad++; good == 0 && bad == maxFirstBad {
			return w.bad(name, refuse(0, ErrMalformed, "is given up: none of its first %d rows is a record", bad))
		}
	}
}

// semicolons reports whether the header has semicolons and no comma.
func semicolons(r *bufio.Reader) bool {
	b, _ := r.Peek(4096)
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	return bytes.IndexByte(b, ';') >= 0 && bytes.IndexByte(b, ',') < 0
}

// csvAhead is what the csv package may have read of the next rows; the limit of
// a row is exact to this number of bytes.
const csvAhead = 4096

// errQuota says that a row exceeds the limit.
var errQuota = errors.New("row is too long")

// quotaReader gives at most left bytes, so that a quote that is never closed
// does not read the whole file into one field.
type quotaReader struct {
	r    io.Reader
	left int64
}

// Read reads from r.
func (q *quotaReader) Read(p []byte) (int, error) {
	if q.left <= 0 {
		return 0, errQuota
	}
	n, err := q.r.Read(p[:min(int64(len(p)), q.left)])
	q.left -= int64(n)
	return n, err
}

// csvError says in a sentence what is wrong with a row. line is used if the
// error does not tell.
func csvError(err error, line int, limit int64) *FileError {
	var parse *csv.ParseError
	switch {
	case errors.Is(err, errQuota):
		return refuse(line, ErrTooLarge, "has a row larger than the limit of %s for a document; a quote may not be closed; the rest of the file is left out", sizeText(limit))
	case !errors.As(err, &parse):
		return asFileError(readError(err))
	case errors.Is(err, csv.ErrBareQuote):
		return refuse(parse.Line, ErrMalformed, "has a quote inside an unquoted field (column %d); quote the field and double the quote", parse.Column)
	case parse.StartLine != parse.Line:
		return refuse(parse.StartLine, ErrMalformed, "has a quoted field that is not closed properly by line %d", parse.Line)
	}
	return refuse(parse.Line, ErrMalformed, "has a quoted field that is not closed properly (column %d)", parse.Column)
}

// columns are the header of a table; an index is -1 for a column it has not.
type columns struct {
	names           []string
	id, title, text int
}

func readHeader(header []string) (*columns, error) {
	c := &columns{id: -1, title: -1, text: -1}
	content := -1
	if len(header) > maxFields {
		return nil, refuse(1, ErrMalformed, "has %d columns, at most %d", len(header), maxFields)
	}
	seen := make(map[string]bool, len(header))
	for i, name := range header {
		if err := checkText([]byte(name), 1); err != nil {
			return nil, err
		}
		name = text.OneLine(name)
		if err := checkName(name, 1); err != nil {
			return nil, err
		}
		lower := strings.ToLower(name)
		switch lower {
		case "id":
			c.id = i
		case "title":
			c.title = i
		case "text":
			c.text = i
		case "content":
			content = i
		case "lang":
			name = lower
		case "":
			name = fmt.Sprintf("column%d", i+1)
			lower = name
		}
		if seen[lower] {
			return nil, refuse(1, ErrMalformed, "has two columns named %q", cut(name, 80))
		}
		seen[lower] = true
		c.names = append(c.names, name)
	}
	if c.text < 0 {
		c.text = content
	}
	return c, nil
}

// record turns a row into a document.
func (c *columns) record(fields []string, line int) (d *draft, id string, err error) {
	if len(fields) != len(c.names) {
		return nil, "", refuse(line, ErrMalformed, "has %d fields where the header has %d", len(fields), len(c.names))
	}
	d = &draft{titleSrc: unknown}
	var joined strings.Builder
	for i, s := range fields {
		if err := checkText([]byte(s), line); err != nil {
			if err.Line > 0 {
				err.Line = line
			}
			return nil, "", err
		}
		s = normalString(s)
		switch i {
		case c.id:
			id = strings.TrimSpace(s)
			if strings.ContainsFunc(id, unicode.IsControl) {
				return nil, "", refuse(line, ErrMalformed, "has an id with a control character: %q", cut(id, 80))
			}
			continue
		case c.title:
			d.title = recordTitle(s)
			continue
		case c.text:
			d.setBody(s)
			continue
		}
		if isBlank(s) {
			continue
		}
		d.setMeta(c.names[i], parseValue(strings.TrimSpace(s)))
		if c.text < 0 {
			if joined.Len() > 0 {
				joined.WriteByte('\n')
			}
			joined.WriteString(c.names[i] + ": " + s)
		}
	}
	if c.text < 0 {
		d.setBody(joined.String())
	}
	return d, id, nil
}
