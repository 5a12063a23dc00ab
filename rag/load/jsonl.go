package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// maxFirstBad is the number of bad records after which a file without any good
// one is given up: it is something else.
const maxFirstBad = 100

// jsonl reads a file of one JSON object a line.
func (w *walker) jsonl(in *input, name, key string) error {
	lines := lineReader{in: in, limit: w.opt.MaxDocBytes, at: in.bom}
	good, bad := 0, 0
	for {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		line, src, err := lines.next()
		if err == io.EOF {
			if good+bad == 0 {
				w.opt.OnSkip(name, skipEmpty)
			}
			return nil
		}
		var d *draft
		var id string
		if err == nil {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			d, id, err = readRecord(line, lines.n)
		}
		if err == nil {
			good++
			d.titleSrc = src
			for i := range d.blocks {
				d.blocks[i].Source = src
			}
			if id == "" {
				id = key + ":" + strconv.Itoa(lines.n)
			}
			if err := w.emit(d, id, name, lines.n); err != nil {
				return err
			}
			continue
		}
		e := asFileError(err)
		if err := w.bad(name, e); err != nil {
			return err
		}
		if e.Line == 0 { // the file as a whole
			return nil
		}
		if bad++; good == 0 && bad == maxFirstBad {
			return w.bad(name, refuse(0, ErrMalformed, "is given up: none of its first %d lines is a record", bad))
		}
	}
}

// lineReader reads lines of bounded length with their places in the file.
type lineReader struct {
	in    *input
	limit int64
	n     int   // number of the last line
	at    int64 // offset in the file of the next
	buf   []byte
}

// next returns a line without its end, valid until the next call, and the span
// of the file it is. A line that is too long is skipped and is a [*FileError].
func (l *lineReader) next() (line []byte, src [2]int64, err error) {
	l.buf = l.buf[:0]
	start := l.at
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if l.in.wide {
			l.at += 2 * int64(wideUnitsOfBytes(part))
		} else {
			l.at += int64(len(part))
		}
		if !long {
			l.buf = append(l.buf, part...)
			long = int64(len(l.buf)) > l.limit+2
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == io.EOF {
			if l.at == start {
				return nil, src, io.EOF
			}
			err = nil
		}
		if err != nil {
			return nil, src, readError(err)
		}
		break
	}
	l.n++
	line, width := bytes.TrimSuffix(l.buf, []byte{'\n'}), int64(1)
	if len(line) < len(l.buf) && bytes.HasSuffix(line, []byte{'\r'}) {
		line = line[:len(line)-1]
	}
	if long || int64(len(line)) > l.limit {
		return nil, src, tooLarge(l.n, "line", l.limit)
	}
	if l.in.wide {
		width = 2
	}
	return line, [2]int64{start, l.at - width*int64(len(l.buf)-len(line))}, nil
}

// wideUnitsOfBytes counts the UTF-16 units of valid UTF-8 that may be cut
// anywhere: a character counts where its first byte is.
func wideUnitsOfBytes(b []byte) int {
	n := 0
	for _, c := range b {
		switch {
		case c >= 0xf0:
			n += 2
		case c < 0x80 || c >= 0xc0:
			n++
		}
	}
	return n
}

// readRecord reads the object of a line.
func readRecord(line []byte, n int) (d *draft, id string, err error) {
	if err := checkText(line, n); err != nil {
		return nil, "", err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, "", refuse(n, ErrMalformed, "is not a JSON object: %s", jsonReason(err))
	}
	if fields == nil {
		return nil, "", refuse(n, ErrMalformed, "is not a JSON object: null")
	}
	take := func(name string) (s string, present bool, err error) {
		raw, present := fields[name]
		if !present {
			return "", false, nil
		}
		delete(fields, name)
		v, ok := jsonValue(raw)
		if !ok {
			return "", false, nil
		}
		_, list := v.Typed.([]string)
		_, truth := v.Typed.(bool)
		if list || truth || raw[0] == '{' {
			return "", false, refuse(n, ErrMalformed, "has a field %q that is not a string", name)
		}
		if strings.IndexByte(v.Text, 0) >= 0 {
			return "", false, refuse(n, ErrEncoding, "holds a NUL character in %q", name)
		}
		return v.Text, true, nil
	}
	d = &draft{titleSrc: unknown}
	if id, _, err = take("id"); err != nil {
		return nil, "", err
	}
	if strings.ContainsFunc(id, unicode.IsControl) {
		return nil, "", refuse(n, ErrMalformed, "has an id with a control character: %q", cut(id, 80))
	}
	if d.title, _, err = take("title"); err != nil {
		return nil, "", err
	}
	d.title = recordTitle(d.title)
	text, present, err := take("text")
	if err == nil && !present {
		text, present, err = take("content")
	}
	if err != nil {
		return nil, "", err
	}
	if !present {
		return nil, "", refuse(n, ErrMalformed, `has no field "text" or "content"`)
	}
	d.setBody(normalString(text))
	if len(fields) > maxFields {
		return nil, "", refuse(n, ErrMalformed, "has %d fields, at most %d", len(fields), maxFields)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := checkName(name, n); err != nil {
			return nil, "", err
		}
		raw := fields[name]
		if v, ok := jsonValue(raw); ok {
			d.setMeta(name, v)
		}
	}
	return d, id, nil
}

// recordTitle makes a title one line and leaves it alone if it is one.
func recordTitle(s string) string {
	if isBlank(s) {
		return ""
	}
	if strings.ContainsAny(s, "\n\r\v\f") {
		return text.OneLine(s)
	}
	return s
}

// setBody makes the text one block.
func (d *draft) setBody(text string) {
	d.text = text
	if !isBlank(text) {
		d.blocks = []Block{{End: len(text), Source: unknown}}
	}
}

// jsonReason shortens the decoder's message.
func jsonReason(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return "it is " + article(wrong.Value)
	}
	if err.Error() == "unexpected end of JSON input" {
		return "the line is cut off"
	}
	return err.Error()
}

func article(noun string) string {
	if noun == "array" {
		return "an array"
	}
	return "a " + noun
}

// jsonValue turns a field into metadata: scalars by kind, strings as
// [parseValue] reads dates only, arrays of scalars as lists of strings, other
// arrays and objects as their JSON text. ok is false for null.
func jsonValue(raw json.RawMessage) (v Value, ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return v, false
	}
	switch raw[0] {
	case 'n':
		return v, false
	case '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return v, false
		}
		if t, ok := parseTime(s); ok {
			return Value{s, t}, true
		}
		return Value{Text: s}, true
	case 't', 'f':
		return parseValue(string(raw)), true
	case '[':
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return v, false
		}
		list := make([]string, 0, len(items))
		for _, item := range items {
			if item[0] == '[' || item[0] == '{' {
				return compactJSON(raw), true
			}
			if v, ok := jsonValue(item); ok {
				list = append(list, v.Text)
			}
		}
		return listValue(list), true
	case '{':
		return compactJSON(raw), true
	}
	v = parseValue(string(raw))
	if _, ok := v.Typed.(float64); !ok { // longer than parseValue reads
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			return Value{Text: string(raw)}, true
		}
		v = Value{string(raw), f}
	}
	return v, true
}

func compactJSON(raw []byte) Value {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return Value{Text: fmt.Sprintf("%s", raw)}
	}
	return Value{Text: b.String()}
}
