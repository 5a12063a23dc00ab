package load

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Source is a document, or several records, that a program holds in memory.
type Source struct {
	// Key names the document. Its ending tells the format, as that of a file
	// does, if [Options.Format] does not; without an ending the content is plain
	// text. The records of JSONL and CSV have keys of their own, as in a file.
	Key string
	// Content is what a file of the format would hold.
	Content []byte
	// Title and Lang are used if the content itself states none.
	Title, Lang string
	// Meta is added to the metadata, over what the content says of itself.
	Meta map[string]Value
}

// Read yields the documents of a source as [Walk] does those of a file: a
// [*FileError] says what is wrong with the source or with one record of it. Of
// the options Include has no meaning. The source is not changed and may be read
// again.
func Read(ctx context.Context, src Source, o *Options) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		opt, err := o.ensure()
		if err != nil {
			yield(nil, err)
			return
		}
		w := &walker{ctx: ctx, opt: opt, yield: yield, src: src}
		if err := w.read(); err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// ReadSource returns the source of a key whose content comes from r, which is read
// to its end. More than a document may have is not read, and [Read] refuses it; the
// number of records is bounded by memory alone.
func ReadSource(r io.Reader, key string, o *Options) (Source, error) {
	opt, err := o.ensure()
	if err != nil {
		return Source{}, err
	}
	f, gzipped := formatOf(key)
	if opt.Format != "" {
		f = formatNamed(opt.Format)
	}
	if (f == nil || f.many == nil) && !gzipped {
		r = io.LimitReader(r, pdfFileRatio*min(opt.MaxDocBytes, 1<<40)+1)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return Source{}, phase.Errorf("read %s: %w", key, err)
	}
	return Source{Key: key, Content: b}, nil
}

// read reads the source of the walk.
func (w *walker) read() error {
	key := w.src.Key
	switch {
	case key == "":
		return w.bad("a document", refuse(0, ErrMalformed, "has no key"))
	case !utf8.ValidString(key), strings.ContainsFunc(key, unicode.IsControl):
		return w.bad(key, refuse(0, ErrMalformed, "has a key that is not UTF-8, or has control characters"))
	}
	for name, v := range w.src.Meta {
		if !utf8.ValidString(name) || name == "" || checkName(name, 0) != nil || !utf8.ValidString(v.Text) || strings.IndexByte(v.Text, 0) >= 0 {
			return w.bad(key, refuse(0, ErrMalformed, "has metadata %q whose name or value is not UTF-8, empty or too long", cut(name, 40)))
		}
	}
	f, gzipped := formatOf(key)
	if w.opt.Format != "" {
		f = formatNamed(w.opt.Format)
	}
	if f == nil {
		f = formats()[0]
	}
	in := &input{size: int64(len(w.src.Content))}
	if err := in.decode(w.ctx, bytes.NewReader(w.src.Content), gzipped); err != nil {
		return w.bad(key, err)
	}
	return w.content(in, key, key, f)
}

// complete gives a draft what its source says and its content does not.
func (s *Source) complete(d *draft) error {
	if d.title == "" && s.Title != "" {
		if err := checkText([]byte(s.Title), 0); err != nil {
			return err
		}
		d.title, d.titleSrc = recordTitle(s.Title), unknown
	}
	if d.lang == "" && isLanguageTag(s.Lang) {
		d.lang = s.Lang
	}
	for name, v := range s.Meta {
		d.setMeta(name, v)
	}
	return nil
}

// ValueOf returns the metadata that a Go value stands for: a string (a date or
// time in it is told as in JSONL), a bool, a number, a [time.Time], or a slice of
// strings, or of any of these. ok is false for nil. Anything else, a number that
// is not finite, and an integer that a float64 does not hold, are an
// [ErrOption].
func ValueOf(x any) (v Value, ok bool, err error) {
	switch x := x.(type) {
	case nil:
		return v, false, nil
	case string:
		if t, ok := parseTime(x); ok {
			return Value{x, t}, true, nil
		}
		return Value{Text: x}, true, nil
	case bool:
		return Value{strconv.FormatBool(x), x}, true, nil
	case time.Time:
		return Value{x.Format(time.RFC3339Nano), x}, true, nil
	case []string:
		return listValue(x), true, nil
	case []any:
		items := make([]string, len(x))
		for i, e := range x {
			v, ok, err := ValueOf(e)
			if _, list := v.Typed.([]string); err != nil || !ok || list {
				return Value{}, false, phase.Errorf("element %d is %T: a list has texts, numbers, bools and times: %w", i, e, ErrOption)
			}
			items[i] = v.Text
		}
		return listValue(items), true, nil
	}
	f, text, ok := numberOf(x)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return v, false, phase.Errorf("%v of type %T is not metadata: use a text, a finite number, a bool, a time or a list of texts: %w", x, x, ErrOption)
	}
	return Value{text, f}, true, nil
}

// numberOf returns a Go number as a float64, if one holds it exactly.
func numberOf(x any) (f float64, text string, ok bool) {
	switch v := reflect.ValueOf(x); {
	case v.CanFloat():
		return v.Float(), strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits()), true
	case v.CanInt():
		n := v.Int()
		return float64(n), strconv.FormatInt(n, 10), n <= 1<<53 && n >= -1<<53
	case v.CanUint():
		n := v.Uint()
		return float64(n), strconv.FormatUint(n, 10), n <= 1<<53
	}
	return 0, "", false
}
