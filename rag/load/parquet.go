package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// parquetBatch is how many rows are read at a time.
const parquetBatch = 64

// parquetRecords reads the rows of a Parquet file. The library panics on some
// files that are damaged; such a panic is an error here.
func parquetRecords(ctx context.Context, fsys fs.FS, name string, yield func(int, map[string]any) bool) (err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return readError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return readError(err)
	}
	if !info.Mode().IsRegular() {
		return refuse(0, ErrMalformed, "is not a regular file")
	}
	at, ok := f.(io.ReaderAt)
	if !ok {
		return refuse(0, ErrMalformed, "cannot be read at any place, as Parquet has to be")
	}
	n := 0
	read, err := openParquet(at, info.Size())
	if err != nil {
		return refuse(0, errors.Join(ErrMalformed, err), "is not a Parquet file, or damaged: %v", err)
	}
	rows := make([]any, parquetBatch)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		got, err := read(rows)
		for _, row := range rows[:got] {
			n++
			v, _ := plain(row)
			fields, ok := v.(map[string]any)
			if !ok {
				return refuse(n, ErrMalformed, "is not a row")
			}
			if !yield(n, fields) {
				return errStop
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return refuse(n+1, errors.Join(ErrMalformed, err), "is damaged: %v", err)
		}
		if got == 0 {
			return refuse(n+1, ErrMalformed, "is damaged: no row where there should be one")
		}
	}
}

// openParquet returns what reads the rows of a file.
func openParquet(at io.ReaderAt, size int64) (read func(rows []any) (int, error), err error) {
	defer recovered(&err)
	f, err := parquet.OpenFile(at, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	r := parquet.NewGenericReader[any](f)
	return func(rows []any) (n int, err error) {
		defer recovered(&err)
		return r.Read(rows)
	}, nil
}

// recovered turns a panic into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%v", p)
	}
}

// plainBinary is plain for what only a Parquet file has.
func plainBinary(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return strings.ToValidUTF8(v, "\ufffd"), true
	case []byte:
		if !utf8.Valid(v) {
			return nil, false
		}
		return string(v), true
	case bool, int64, float64:
		return v, true
	case int32:
		return int64(v), true
	case int:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return float64(v), true
	case float32:
		return float64(v), true
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano), true
	}
	return fmt.Sprint(v), true
}
