package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"strconv"
	"strings"
)

// Record is a row of a table: what other programs write of graphs and
// recordings, beside documents.
type Record struct {
	// Path is the file within the file system, Line the line of a JSONL file or
	// the row of a Parquet file, from 1.
	Path string
	Line int
	// Fields are string, bool, int64, float64, []any and map[string]any; what
	// is null is left out.
	Fields map[string]any
}

// Records yields the rows of a table in their order: of a JSONL file (plain or
// gzip-compressed, an object a line) or of a Parquet file, as the name tells. A
// file that is wrong is a [*FileError] with the line, and like any other error
// the last thing yielded: half a table is of no use.
//
// A line has at most 64 MiB. The pages of a Parquet file are unpacked one at a
// time; their sizes are those that the file claims.
func Records(ctx context.Context, fsys fs.FS, name string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		err := records(ctx, fsys, name, func(line int, fields map[string]any) bool {
			return yield(Record{name, line, fields}, nil)
		})
		if err == nil || errors.Is(err, errStop) {
			return
		}
		var bad *FileError
		if ctx.Err() != nil {
			err = ctx.Err()
		} else if errors.As(err, &bad) {
			bad.Path = name
			err = bad
		}
		yield(Record{}, err)
	}
}

func isJSONL(name string) bool {
	f, _ := formatOf(name)
	return f != nil && f.name == "jsonl"
}

func isParquet(name string) bool { return strings.EqualFold(path.Ext(name), ".parquet") }

// maxRecord bounds a line of a table.
const maxRecord = 64 << 20

func records(ctx context.Context, fsys fs.FS, name string, yield func(int, map[string]any) bool) error {
	if isParquet(name) {
		return parquetRecords(ctx, fsys, name, yield)
	}
	_, gzipped := formatOf(name)
	if !isJSONL(name) {
		return refuse(0, ErrMalformed, "has a name that tells no table (jsonl, jsonl.gz, parquet)")
	}
	in, err := open(ctx, fsys, name, gzipped)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := lineReader{in: in, limit: maxRecord, at: in.bom}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, _, err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := checkText(line, lines.n); err != nil {
			return err
		}
		fields, ferr := jsonFields(line)
		if ferr != nil {
			return refuse(lines.n, ErrMalformed, "is not a JSON object: %s", jsonReason(ferr))
		}
		if !yield(lines.n, fields) {
			return errStop
		}
	}
}

// jsonFields reads an object, numbers as int64 if they are.
func jsonFields(line []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var fields map[string]any
	if err := d.Decode(&fields); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the line is cut off")
		}
		return nil, err
	}
	if fields == nil {
		return nil, errors.New("it is null")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more behind it")
	}
	v, _ := plain(fields)
	return v.(map[string]any), nil
}

// plain returns a value with the kinds that [Record] has; ok is false for null.
func plain(v any) (out any, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, false
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			if x, ok := plain(x); ok {
				m[k] = x
			}
		}
		return m, true
	case []any:
		list := make([]any, 0, len(v))
		for _, x := range v {
			if x, ok := plain(x); ok {
				list = append(list, x)
			}
		}
		return list, true
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n, true
		}
		f, err := v.Float64()
		if err != nil {
			return v.String(), true
		}
		return f, true
	}
	return plainBinary(v)
}

// refuseField says what is wrong with a field of a record.
func (r *Record) refuseField(name, want string) error {
	e := refuse(r.Line, ErrMalformed, "has a field %q that is not %s", name, want)
	e.Path = r.Path
	return e
}

// Refuse makes an error of the record, for what only its reader can tell.
func (r *Record) Refuse(format string, args ...any) error {
	e := refuse(r.Line, ErrMalformed, format, args...)
	e.Path = r.Path
	return e
}

// first returns the first of some fields that the record has.
func (r *Record) first(names []string) (name string, v any) {
	for _, n := range names {
		if v, ok := r.Fields[n]; ok {
			return n, v
		}
	}
	return names[0], nil
}

// Text returns a field that is a string, or a number as one; "" if the
// record has none of that name. Of several names the first that there is
// counts.
func (r *Record) Text(names ...string) (string, error) {
	switch name, v := r.first(names); v := v.(type) {
	case nil:
		return "", nil
	case string:
		if strings.IndexByte(v, 0) >= 0 {
			return "", r.refuseField(name, "text: it holds a NUL character")
		}
		return normalString(v), nil
	case int64, float64:
		return fmt.Sprint(v), nil
	default:
		return "", r.refuseField(name, "a string")
	}
}

// Need is Text for a field that must be there and not empty.
func (r *Record) Need(names ...string) (string, error) {
	s, err := r.Text(names...)
	if err == nil && isBlank(s) {
		return "", r.Refuse("has no field %q", names[0])
	}
	return s, err
}

// Number returns a field that is a number; 0 if there is none.
func (r *Record) Number(names ...string) (float64, error) {
	switch name, v := r.first(names); v := v.(type) {
	case nil:
		return 0, nil
	case int64:
		return float64(v), nil
	case float64:
		return v, nil
	default:
		return 0, r.refuseField(name, "a number")
	}
}

// Texts returns a field that is a list of strings or numbers.
func (r *Record) Texts(names ...string) ([]string, error) {
	name, v := r.first(names)
	if v == nil {
		return nil, nil
	}
	list, ok := v.([]any)
	if !ok {
		return nil, r.refuseField(name, "a list of strings")
	}
	out := make([]string, 0, len(list))
	for _, x := range list {
		one := Record{Path: r.Path, Line: r.Line, Fields: map[string]any{name: x}}
		s, err := one.Text(name)
		if err != nil {
			return nil, r.refuseField(name, "a list of strings")
		}
		out = append(out, s)
	}
	return out, nil
}
