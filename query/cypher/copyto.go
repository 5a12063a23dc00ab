package cypher

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
)

// copyTo runs COPY (query) TO. It writes rows as they come.
func (s *Session) copyTo(f *copier, st *statement) error {
	if s.writesAny(f.c.Query) {
		return refuse(st.Text, f.c.Pos, "a query that writes in COPY TO")
	}
	if err := f.x.snapshot(false); err != nil {
		return err
	}
	if f.c.Use != nil && f.c.Query.Parts[0].Use == nil {
		f.c.Query.Parts[0].Use = f.c.Use
	}
	q := &statement{Text: st.Text, Query: f.c.Query}
	parts, err := s.compileParts(f.x, q, nil)
	if err != nil {
		return err
	}
	columns := parts[0].columns
	if columns == nil {
		return refuse(st.Text, f.c.Pos, "a query without RETURN in COPY TO")
	}
	file, err := s.opts.Files.Create(f.file)
	if err != nil {
		return phase.Errorf("COPY: %w", err)
	}
	w := bufio.NewWriterSize(file, 64<<10)
	write := jsonWriterOf(w, columns)
	if !f.format.jsonl {
		write = csvWriterOf(w, columns, f.format.comma)
	}
	err = write(nil)
	if err == nil {
		err = runParts(f.x, q.Query, parts, func(row []Value) error {
			f.rows++
			return write(row)
		})
	}
	if err == nil {
		err = w.Flush()
	}
	return errors.Join(f.x.final(err), finish(file, err))
}

// finish closes a file. If err is not nil and the file can be discarded, it
// discards it instead.
func finish(file io.WriteCloser, err error) error {
	if d, ok := file.(interface{ Discard() error }); ok && err != nil {
		return d.Discard()
	}
	return file.Close()
}

// csvWriterOf returns a function that writes rows as comma-separated values,
// after a first call with nil the names of the columns. Null is an empty cell;
// lists, maps, points, nodes, edges and paths are JSON.
func csvWriterOf(w io.Writer, columns []string, comma rune) func([]Value) error {
	c := csv.NewWriter(w)
	c.Comma = comma
	cells := make([]string, len(columns))
	return func(row []Value) error {
		if row == nil {
			copy(cells, columns)
		}
		for i, v := range row {
			switch v.Kind() {
			case KindNull:
				cells[i] = ""
			case KindList, KindMap, KindNode, KindEdge, KindPath, KindPoint:
				b, err := v.MarshalJSON()
				if err != nil {
					return err
				}
				cells[i] = string(b)
			default:
				cells[i] = v.String()
			}
		}
		if err := c.Write(cells); err != nil {
			return err
		}
		c.Flush()
		return c.Error()
	}
}

// jsonWriterOf returns a function that writes rows as JSON lines, an object
// each with the columns in order; a call with nil writes nothing.
func jsonWriterOf(w io.Writer, columns []string) func([]Value) error {
	names := make([][]byte, len(columns))
	for i, c := range columns {
		names[i], _ = json.Marshal(c)
	}
	var line []byte
	return func(row []Value) error {
		if row == nil {
			return nil
		}
		line = append(line[:0], '{')
		for i, v := range row {
			if i > 0 {
				line = append(line, ',')
			}
			b, err := v.MarshalJSON()
			if err != nil {
				return err
			}
			line = append(append(append(line, names[i]...), ':'), b...)
		}
		_, err := w.Write(append(line, '}', '\n'))
		return err
	}
}
