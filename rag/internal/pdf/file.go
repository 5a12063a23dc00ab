package pdf

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Bounds of a file's structure.
const (
	maxObjects = 1 << 23 // greatest number of an object
	maxHops    = 32      // references followed for one value
	maxTree    = 64      // depth of the tree of pages
)

// File is a PDF file that was opened. It is not safe for concurrent use.
type File struct {
	b       []byte
	ctx     context.Context
	work    int64 // left
	text    int64 // left
	err     error // what ended the work
	objects map[ref]place
	packed  []place // object streams
	root    dict
	info    dict
	pages   []page
	fonts   map[ref]*font
	glyphs  map[name]string
}

// place is where an object is defined.
type place struct {
	at   int // in the file, of itself or of the object stream that holds it
	data []byte
	pos  int
	// raw is the span of a stream's data, {0, 0} for other objects.
	raw [2]int
}

// page is a leaf of the tree of pages.
type page struct {
	dict      dict
	resources dict
}

// Open reads the structure of a file. b must not be changed while the file is
// in use; ctx ends any reading of it.
func Open(ctx context.Context, b []byte, o Options) (*File, error) {
	f := &File{b: b, ctx: ctx, work: o.Work, text: o.Text, objects: map[ref]place{}, fonts: map[ref]*font{}}
	if f.work == 0 {
		f.work = 128<<20 + 16*int64(len(b))
	}
	if f.text == 0 {
		f.text = 16 << 20
	}
	if i := bytes.Index(b[:min(len(b), 1024)], []byte("%PDF-")); i < 0 {
		return nil, ErrNotPDF
	}
	if tail := b[max(0, len(b)-4096):]; !bytes.Contains(tail, []byte("%%EOF")) {
		return nil, fmt.Errorf("%w: it has no end mark, so it may be cut off", ErrDamaged)
	}
	trailers := f.scan()
	for _, t := range slices.Backward(trailers) {
		if f.get(t["Encrypt"]) != nil {
			return nil, ErrEncrypted
		}
	}
	f.unpack()
	for _, t := range slices.Backward(trailers) {
		if f.root == nil {
			f.root = f.dict(t["Root"])
		}
		if f.info == nil {
			f.info = f.dict(t["Info"])
		}
	}
	if f.root == nil && f.err == nil {
		return nil, fmt.Errorf("%w: it has no catalog", ErrDamaged)
	}
	if err := f.walk(f.root["Pages"], nil, map[ref]bool{}, 0); err != nil {
		return nil, err
	}
	if f.err != nil {
		return nil, f.err
	}
	if len(f.pages) == 0 {
		return nil, fmt.Errorf("%w: it has no pages", ErrDamaged)
	}
	return f, nil
}

// Pages returns the number of pages, which is above 0.
func (f *File) Pages() int { return len(f.pages) }

// Title returns the title that the file states, on one line.
func (f *File) Title() string {
	s, _ := f.get(f.info["Title"]).(string)
	return strings.Join(strings.Fields(textString(s)), " ")
}

// Lang returns the language that the file states for all of it.
func (f *File) Lang() string {
	s, _ := f.get(f.root["Lang"]).(string)
	return textString(s)
}

// spend takes n bytes of work from the account.
func (f *File) spend(n int) bool {
	if f.err != nil {
		return false
	}
	if f.work -= int64(n); f.work < 0 {
		f.err = fmt.Errorf("%w: reading it takes more work than its size allows", ErrLimit)
		return false
	}
	return true
}

// scan notes where the objects are defined and returns the trailers in their
// order. It looks at every byte about twice.
func (f *File) scan() (trailers []dict) {
	find := func(what string, from int) int {
		if i := bytes.Index(f.b[from:], []byte(what)); i >= 0 {
			return from + i
		}
		return len(f.b)
	}
	f.spend(2 * len(f.b))
	obj, trailer, endobj := -1, -1, -1
	for pos := 0; pos < len(f.b) && f.err == nil; {
		if obj < pos {
			obj = find("obj", pos)
		}
		if trailer < pos {
			trailer = find("trailer", pos)
		}
		if trailer < obj {
			l := newLexer(f.b[:min(len(f.b), trailer+1<<16)], trailer+len("trailer"))
			if d, ok := l.object(true).(dict); ok {
				trailers = append(trailers, d)
			}
			f.spend(l.pos - trailer)
			pos = l.pos
			continue
		}
		if obj == len(f.b) {
			break
		}
		pos = obj + len("obj")
		n, ok := f.header(obj)
		if !ok {
			continue
		}
		if endobj < pos {
			endobj = find("endobj", pos)
		}
		l := newLexer(f.b[:endobj], pos)
		v := l.object(true)
		f.spend(l.pos - obj + 64)
		p := place{at: obj, data: f.b, pos: pos}
		pos = max(pos, l.pos)
		if d, ok := v.(dict); ok {
			if from, to := f.streamAt(l, d, find); to > 0 {
				p.raw = [2]int{from, to}
				pos = to
				switch d["Type"] {
				case name("ObjStm"):
					f.packed = append(f.packed, p)
				case name("XRef"):
					trailers = append(trailers, d)
				}
			}
		}
		f.objects[n] = p
	}
	return trailers
}

// header reads backwards the number and generation before the "obj" at byte i.
func (f *File) header(i int) (ref, bool) {
	field := func() (int, bool) {
		end := i
		for i > 0 && isSpace(f.b[i-1]) && end-i < 32 {
			i--
		}
		last := i
		for i > 0 && f.b[i-1] >= '0' && f.b[i-1] <= '9' && last-i < 10 {
			i--
		}
		if i == last {
			return 0, false
		}
		n, ok := integer(f.b[i:last])
		return int(n), ok && last < end
	}
	if _, ok := field(); !ok {
		return 0, false
	}
	n, ok := field()
	return ref(n), ok && n < maxObjects
}

// streamAt returns the span of the data of a stream whose dictionary l has just
// read, {0, 0} if none follows. A direct length counts if the end mark stands
// there; else the next one is the end.
func (f *File) streamAt(l *lexer, d dict, find func(string, int) int) (from, to int) {
	if l.token() != op("stream") {
		return 0, 0
	}
	from = l.pos
	if bytes.HasPrefix(f.b[from:], []byte("\r\n")) {
		from += 2
	} else if from < len(f.b) && (f.b[from] == '\n' || f.b[from] == '\r') {
		from++
	}
	if n, ok := d["Length"].(int64); ok && n >= 0 && n <= int64(len(f.b)-from) {
		to = from + int(n)
		rest := bytes.TrimLeft(f.b[to:min(len(f.b), to+16)], "\r\n \t")
		if bytes.HasPrefix(rest, []byte("endstream")) {
			return from, to
		}
	}
	to = find("endstream", from)
	if end := bytes.TrimSuffix(f.b[from:to], []byte("\n")); len(end) < to-from {
		to = from + len(bytes.TrimSuffix(end, []byte("\r")))
	} else {
		to = from + len(bytes.TrimSuffix(end, []byte("\r")))
	}
	return from, max(to, from)
}

// unpack notes the objects of object streams (7.5.7).
func (f *File) unpack() {
	for _, p := range f.packed {
		s, ok := f.read(p).(*stream)
		if !ok {
			continue
		}
		data, err := f.decode(s)
		if err != nil || f.err != nil {
			continue
		}
		first, _ := f.get(s.dict["First"]).(int64)
		for l := newLexer(data, 0); f.spend(16); {
			n, ok1 := l.token().(int64)
			off, ok2 := l.token().(int64)
			if !ok1 || !ok2 || l.pos > int(first) || n < 0 || n >= maxObjects {
				break
			}
			at := first + off
			if off < 0 || at < 0 || at > int64(len(data)) {
				continue
			}
			if old, ok := f.objects[ref(n)]; ok && old.at > p.at {
				continue
			}
			f.objects[ref(n)] = place{at: p.at, data: data, pos: int(at)}
		}
	}
}

// read reads the object at a place.
func (f *File) read(p place) any {
	l := newLexer(p.data, p.pos)
	v := l.object(true)
	f.spend(l.pos - p.pos + 64)
	if d, ok := v.(dict); ok && p.raw != [2]int{} {
		return &stream{d, f.b[p.raw[0]:p.raw[1]]}
	}
	if _, ok := v.(op); ok {
		return nil
	}
	return v
}

// get follows references. What is not there is nil.
func (f *File) get(v any) any {
	for range maxHops {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		p, ok := f.objects[r]
		if !ok || f.err != nil {
			return nil
		}
		v = f.read(p)
	}
	return nil
}

// dict returns the dictionary that v is or refers to, nil for anything else.
func (f *File) dict(v any) dict {
	switch v := f.get(v).(type) {
	case dict:
		return v
	case *stream:
		return v.dict
	}
	return nil
}

func (f *File) array(v any) array {
	a, _ := f.get(v).(array)
	return a
}

// walk collects the pages below a node (7.7.3). A node that was met already is
// passed over.
func (f *File) walk(v any, resources dict, seen map[ref]bool, depth int) error {
	if r, ok := v.(ref); ok {
		if seen[r] {
			return nil
		}
		seen[r] = true
	}
	if err := f.ctx.Err(); err != nil {
		return err
	}
	if !f.spend(256) {
		return f.err
	}
	d := f.dict(v)
	if d == nil || depth > maxTree {
		return fmt.Errorf("%w: a page behind page %d is missing", ErrDamaged, len(f.pages))
	}
	if r := f.dict(d["Resources"]); r != nil {
		resources = r
	}
	kids, inner := f.get(d["Kids"]).(array)
	if !inner {
		f.pages = append(f.pages, page{d, resources})
		return nil
	}
	for _, k := range kids {
		if err := f.walk(k, resources, seen, depth+1); err != nil {
			return err
		}
	}
	return nil
}
