package load_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/load"
)

// result is what a walk gave.
type result struct {
	docs  []*load.Document
	bad   []*load.FileError
	skips []string
	err   error
}

// walk collects a walk and fails the test if a document breaks an
// invariant.
func walk(tb testing.TB, fsys fs.FS, root string, o *load.Options) result {
	tb.Helper()
	var opt load.Options
	if o != nil {
		opt = *o
	}
	var r result
	opt.OnSkip = func(place, why string) { r.skips = append(r.skips, place+": "+why) }
	for d, err := range load.Walk(tb.Context(), fsys, root, &opt) {
		var bad *load.FileError
		switch {
		case errors.As(err, &bad):
			if strings.Contains(bad.Error(), "\n") || bad.Reason == "" {
				tb.Errorf("error is not one clear line: %q", bad.Error())
			}
			r.bad = append(r.bad, bad)
		case err != nil:
			r.err = err
		default:
			if msg := invalid(d); msg != "" {
				tb.Errorf("%s: %s", d.Key, msg)
			}
			r.docs = append(r.docs, d)
		}
	}
	return r
}

// invalid returns what of a document's invariants does not hold.
func invalid(d *load.Document) string {
	if !utf8.ValidString(d.Text) || !utf8.ValidString(d.Title) || !utf8.ValidString(d.Key) {
		return "not valid UTF-8"
	}
	if strings.Contains(d.Text, "\r") {
		return "a carriage return is left"
	}
	pos := 0
	for i, b := range d.Blocks {
		if b.Start < pos || b.End <= b.Start || b.End > len(d.Text) {
			return fmt.Sprintf("block %d [%d, %d) after %d in a text of %d bytes", i, b.Start, b.End, pos, len(d.Text))
		}
		if b.Start < len(d.Text) && !utf8.RuneStart(d.Text[b.Start]) || b.End < len(d.Text) && !utf8.RuneStart(d.Text[b.End]) {
			return fmt.Sprintf("block %d cuts a character", i)
		}
		if strings.TrimSpace(d.Text[pos:b.Start]) != "" {
			return fmt.Sprintf("text before block %d is in no block: %q", i, d.Text[pos:b.Start])
		}
		if s := b.Source; s != [2]int64{-1, -1} && (s[0] < 0 || s[1] < s[0]) {
			return fmt.Sprintf("block %d has source %v", i, s)
		}
		if p, ok := locate(d, b.Start, b.End); !ok || p.Heading != b.Heading || p.Page != b.Page || p.Source != b.Source {
			return fmt.Sprintf("block %d is not located: %+v", i, p)
		}
		pos = b.End
	}
	if strings.TrimSpace(d.Text[pos:]) != "" {
		return fmt.Sprintf("text after the last block is in no block: %q", d.Text[pos:])
	}
	return ""
}

// files makes a file system of path, content pairs.
func files(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return m
}

// one returns the only document of a file.
func one(tb testing.TB, name, content string, o *load.Options) *load.Document {
	tb.Helper()
	r := walk(tb, files(name, content), name, o)
	if len(r.docs) != 1 || len(r.bad) > 0 || r.err != nil {
		tb.Fatalf("%s gave %d documents, errors %v %v", name, len(r.docs), r.bad, r.err)
	}
	return r.docs[0]
}

// headings returns the text of each block with its heading path.
func headings(d *load.Document) string {
	var b strings.Builder
	for _, bl := range d.Blocks {
		fmt.Fprintf(&b, "[%s] %s\n", bl.Heading, d.Text[bl.Start:bl.End])
	}
	return b.String()
}

func keys(r result) string {
	var k []string
	for _, d := range r.docs {
		k = append(k, d.Key)
	}
	return strings.Join(k, " ")
}

func gz(tb testing.TB, s string) string {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// wide encodes s as UTF-16 with a byte order mark.
func wide(s string, big bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		blocks         []string
		pages          []int
	}{
		{"one line", "a line", "a line", []string{"a line"}, nil},
		{"kept as it is", "  first\nsecond\n\n\n third \n", "  first\nsecond\n\n\n third \n", []string{"  first\nsecond", " third "}, nil},
		{"line ends", "a\r\nb\rc\n\r\nd", "a\nb\nc\n\nd", []string{"a\nb\nc", "d"}, nil},
		{"byte order mark", "\ufeffa", "a", []string{"a"}, nil},
		{"utf-16 little", wide("né\r\n\r\n🙂b", false), "né\n\n🙂b", []string{"né", "🙂b"}, nil},
		{"utf-16 big", wide("né\r\n\r\n🙂b", true), "né\n\n🙂b", []string{"né", "🙂b"}, nil},
		{"pages", "p one\n\fp two\n\nmore\fp three", "p one\n\np two\n\nmore\np three", []string{"p one", "p two", "more", "p three"}, []int{1, 2, 2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := one(t, "a.txt", c.in, nil)
			if d.Text != c.want || d.Title != "" || d.Format != "txt" {
				t.Errorf("text %q title %q, want %q", d.Text, d.Title, c.want)
			}
			if len(d.Blocks) != len(c.blocks) {
				t.Fatalf("%d blocks %q, want %q", len(d.Blocks), headings(d), c.blocks)
			}
			for i, b := range d.Blocks {
				if got := d.Text[b.Start:b.End]; got != c.blocks[i] {
					t.Errorf("block %d is %q, want %q", i, got, c.blocks[i])
				}
				if c.pages != nil && b.Page != c.pages[i] {
					t.Errorf("block %d is on page %d, want %d", i, b.Page, c.pages[i])
				}
				src := decodeAny(c.in, b.Source)
				if strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(src) != c.blocks[i] {
					t.Errorf("block %d: source %v is %q, want %q", i, b.Source, src, c.blocks[i])
				}
			}
		})
	}
}

// decodeAny returns a span of a file's bytes as UTF-8.
func decodeAny(file string, span [2]int64) string {
	part := file[span[0]:span[1]]
	if !strings.HasPrefix(file, "\xff\xfe") && !strings.HasPrefix(file, "\xfe\xff") {
		return part
	}
	var units []uint16
	for i := 0; i+1 < len(part); i += 2 {
		lo, hi := part[i], part[i+1]
		if file[0] == 0xfe {
			lo, hi = hi, lo
		}
		units = append(units, uint16(hi)<<8|uint16(lo))
	}
	return string(utf16.Decode(units))
}

func TestFormatByName(t *testing.T) {
	r := walk(t, files(
		"a.TXT", "x", "b.text", "x", "c.md", "x", "d.Markdown", "x", "e.htm", "x", "f.HTML", "x",
		"g.jsonl", `{"text":"x"}`, "h.ndjson", `{"text":"x"}`, "i.csv", "text\nx\n", "j.tsv", "text\ttag\nx\ty\n",
		"k.txt.gz", gz(t, "x"), "l.jsonl.GZ", gz(t, `{"text":"x"}`), "m.go", "x", "n", "x", "o.gz", gz(t, "x"),
	), ".", nil)
	var got []string
	for _, d := range r.docs {
		got = append(got, d.Key+"="+d.Format)
	}
	want := "a.TXT=txt b.text=txt c.md=md d.Markdown=md e.htm=html f.HTML=html g.jsonl:1=jsonl h.ndjson:1=jsonl i.csv#1=csv j.tsv#1=csv k.txt.gz=txt l.jsonl.GZ:1=jsonl"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if s := strings.Join(r.skips, ", "); s != "m.go: other format, n: other format, o.gz: other format" {
		t.Errorf("skipped %s", s)
	}
	if len(r.bad) > 0 {
		t.Errorf("errors %v", r.bad)
	}
}

func TestContextEndsTheWalk(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var last error
	for d, err := range load.Walk(ctx, files("a.jsonl", strings.Repeat("{\"text\":\"x\"}\n", 100)), ".", nil) {
		if last = err; d != nil {
			if n++; n == 3 {
				cancel()
			}
		}
	}
	if n != 3 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d documents, last error %v", n, last)
	}
}

// locate traces the bytes [start, end) of a text: heading and page are those of the
// first block that the span meets, Source is the smallest span of the file that
// covers all of them.
func locate(d *load.Document, start, end int) (p load.Block, ok bool) {
	first := sort.Search(len(d.Blocks), func(i int) bool { return d.Blocks[i].End > start })
	for _, b := range d.Blocks[first:] {
		if b.Start >= end {
			break
		}
		if !ok {
			p, ok = b, true
		} else if p.Source[0] < 0 {
			p.Source = b.Source
		} else if b.Source[0] >= 0 {
			p.Source = [2]int64{min(p.Source[0], b.Source[0]), max(p.Source[1], b.Source[1])}
		}
	}
	return p, ok
}
