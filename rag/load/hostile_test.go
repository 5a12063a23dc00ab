package load_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ragdb/ragdb/rag/load"
)

func TestEncodings(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"latin-1", "one\ntwo caf\xe9 noir", "a.txt:2: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first"},
		{"gbk", "\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7", "a.txt:1: is not valid UTF-8 (byte 0xc4): it looks like GBK, Big5 or Shift-JIS; convert it to UTF-8 first"},
		{"shift-jis", "\x92\xaa\x8e\xd4\x82\xcd\x8bZ\x8et\x82\xaa\x90\xdd\x8cv\x82\xb5\x82\xbd\x81B", "a.txt:1: is not valid UTF-8 (byte 0x92): it looks like GBK, Big5 or Shift-JIS; convert it to UTF-8 first"},
		{"big5", "\xbc\xe9\xa8T\xbfi\xa9{\xa5\xd1\xa4u\xb5{\xaev", "a.txt:1: is not valid UTF-8 (byte 0xbc): it looks like GBK, Big5 or Shift-JIS; convert it to UTF-8 first"},
		{"windows-1251", "\xcc\xe5\xeb\xfc\xed\xe8\xf6\xe0 \xe1\xfb\xeb\xe0 \xe8 \xed\xe0 \xee\xed\xe0 \xe3\xee\xf0\xee\xe4", "a.txt:1: is not valid UTF-8 (byte 0xcc): it looks like a code page of one byte a letter, such as Windows-1251; convert it to UTF-8 first"},
		{"cut off", "one \xe4\xbd", "a.txt:1: is not valid UTF-8: it ends in the middle of a character, so the file may be cut off"},
		{"surrogate in UTF-8", "x\xed\xa0\x80x", "a.txt:1: is not valid UTF-8 (byte 0xed): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first"},
		{"nul", "a\x00b", "a.txt: holds NUL bytes: a binary file, or UTF-16 without a byte order mark"},
		{"pdf", "%PDF-1.7\n\xe2\xe3", "a.txt: is a PDF file, not text"},
		{"zip", "PK\x03\x04\x00\x00", "a.txt: is a zip archive (docx, xlsx, odt, epub, ...), not text"},
		{"odd utf-16", "\xff\xfea\x00b", "a.txt: is damaged UTF-16: it ends in the middle of a character"},
		{"half a pair", "\xff\xfe\x3d\xd8a\x00", "a.txt: is damaged UTF-16: half a character at byte 2"},
		{"half a pair at the end", "\xff\xfea\x00\x3d\xd8", "a.txt: is damaged UTF-16: half a character at byte 4"},
		{"utf-16 nul", "\xff\xfe\x00\x00a\x00", "a.txt: holds NUL bytes: a binary file, or UTF-16 without a byte order mark"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := walk(t, files("a.txt", c.in, "b.txt", "fine"), ".", nil)
			if len(r.bad) != 1 || r.bad[0].Error() != c.want || !errors.Is(r.bad[0], load.ErrEncoding) {
				t.Errorf("errors %v\nwant   %s", r.bad, c.want)
			}
			if keys(r) != "b.txt" {
				t.Errorf("the run went on with %q", keys(r))
			}
		})
	}
	// A character on the border of the decoder's buffer.
	long := strings.Repeat("ab🙂é", 3000)
	for _, big := range []bool{false, true} {
		for pad := range 4 {
			in := strings.Repeat("x", pad) + long
			if d := one(t, "a.txt", wide(in, big), nil); d.Text != in {
				t.Fatalf("UTF-16 (big endian %v) with %d bytes before is decoded wrongly", big, pad)
			}
		}
	}
}

func TestCompressed(t *testing.T) {
	whole := gz(t, strings.Repeat("text of a document\n", 1000))
	flipped := []byte(whole)
	flipped[len(flipped)/2] ^= 0xff
	for _, c := range []struct {
		name, file, in string
		want           error
	}{
		{"cut off", "a.txt.gz", whole[:len(whole)/2], load.ErrMalformed},
		{"damaged", "a.txt.gz", string(flipped), load.ErrMalformed},
		{"no gzip", "a.txt.gz", "plain text", load.ErrMalformed},
		{"empty", "a.txt.gz", "", io.EOF},
		{"lines cut off", "a.jsonl.gz", whole[:len(whole)/2], load.ErrMalformed},
		{"larger than the limit", "a.md.gz", gz(t, strings.Repeat("a", 70000)), load.ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := walk(t, files(c.file, c.in, "b.txt", "fine"), ".", &load.Options{MaxDocBytes: 64 << 10})
			if len(r.bad) == 0 || !errors.Is(r.bad[len(r.bad)-1], c.want) || keys(r) != "b.txt" {
				t.Errorf("keys %s, errors %v, want %v", keys(r), r.bad, c.want)
			}
		})
	}
	twice := whole + gz(t, "more") // members follow one another, as cat makes them
	if d := one(t, "a.txt.gz", twice, nil); !strings.HasSuffix(d.Text, "document\nmore") {
		t.Errorf("the second member is lost: %q", d.Text[len(d.Text)-20:])
	}
}

// TestGzipBomb feeds blank lines and then good records, neither of which
// reaches the limit of a document: a JSONL file has none as a whole.
func TestGzipBomb(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	block := bytes.Repeat([]byte("   \n"), 1<<18)
	for range 40 { // MiB
		z.Write(block)
	}
	z.Close()
	r := walk(t, files("a.jsonl.gz", b.String(), "b.txt", "fine"), ".", nil)
	if len(r.bad) != 1 || !strings.Contains(r.bad[0].Reason, "decompression bomb") || keys(r) != "b.txt" {
		t.Errorf("keys %s, errors %v", keys(r), r.bad)
	}
	b.Reset()
	z = gzip.NewWriter(&b)
	line := []byte(`{"text":"` + strings.Repeat("x", 1<<20) + "\"}\n")
	for range 40 {
		z.Write(line)
	}
	z.Close()
	r = walk(t, files("a.jsonl.gz", b.String()), ".", nil)
	if len(r.bad) != 1 || !strings.Contains(r.bad[0].Reason, "decompression bomb") || len(r.docs) < 10 || len(r.docs) > 20 {
		t.Errorf("%d documents, errors %v", len(r.docs), r.bad)
	}
}

func containsError(bad []*load.FileError, want error) bool {
	for _, e := range bad {
		if errors.Is(e, want) {
			return true
		}
	}
	return false
}

// fakeFile claims a size and reads from r.
type fakeFile struct {
	io.Reader
	name string
	size int64
}

func (f *fakeFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *fakeFile) Close() error               { return nil }
func (f *fakeFile) Name() string               { return f.name }
func (f *fakeFile) Size() int64                { return f.size }
func (f *fakeFile) Mode() fs.FileMode          { return 0o444 }
func (f *fakeFile) ModTime() time.Time         { return time.Time{} }
func (f *fakeFile) IsDir() bool                { return false }
func (f *fakeFile) Sys() any                   { return nil }

// fakeFS opens every file as made by its function.
type fakeFS func(name string) *fakeFile

func (f fakeFS) Open(name string) (fs.File, error) { return f(name), nil }

// endless reads one byte for ever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// failing reads once and then fails.
type failing struct{ done bool }

func (f *failing) Read(p []byte) (int, error) {
	if f.done {
		return 0, errors.New("disk on fire")
	}
	f.done = true
	return copy(p, "text\n"), nil
}

func TestSizesAreNotTrusted(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, name := range []string{"a.txt", "a.md", "a.html", "a.jsonl", "a.csv"} {
		for _, claimed := range []int64{0, 1, 1 << 30, 1 << 62, -1} {
			r := walk(t, fakeFS(func(string) *fakeFile { return &fakeFile{strings.NewReader("text"), name, claimed} }), name, nil)
			whole := !strings.HasSuffix(name, "l") || name == "a.html"
			if whole = whole && name != "a.csv"; whole && claimed > load.DefaultMaxDocBytes {
				if len(r.bad) != 1 || !errors.Is(r.bad[0], load.ErrTooLarge) {
					t.Errorf("%s claiming %d bytes: errors %v", name, claimed, r.bad)
				}
			} else if whole && len(r.docs) != 1 {
				t.Errorf("%s claiming %d bytes: errors %v", name, claimed, r.bad)
			}
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("claimed sizes cost %d MiB", n>>20)
	}
}

func TestEndlessAndFailingFiles(t *testing.T) {
	o := &load.Options{MaxDocBytes: 1 << 20}
	for _, name := range []string{"a.txt", "a.md", "a.html", "a.csv"} {
		r := walk(t, fakeFS(func(string) *fakeFile { return &fakeFile{endless('x'), name, 5} }), name, o)
		if len(r.docs) > 0 || len(r.bad) != 1 || !errors.Is(r.bad[0], load.ErrTooLarge) {
			t.Errorf("an endless %s gave %d documents, errors %v", name, len(r.docs), r.bad)
		}
	}
	for _, name := range []string{"a.txt", "a.md", "a.html", "a.jsonl", "a.csv", "a.txt.gz"} {
		r := walk(t, fakeFS(func(string) *fakeFile { return &fakeFile{&failing{}, name, 5} }), name, o)
		if len(r.docs) > 0 || len(r.bad) == 0 || !strings.Contains(r.bad[len(r.bad)-1].Error(), "a.") {
			t.Errorf("a failing %s gave %d documents, errors %v", name, len(r.docs), r.bad)
		}
	}
}

// hostileFS lists names that no real folder holds.
type hostileFS struct{ fstest.MapFS }

func (h hostileFS) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := h.MapFS.ReadDir(name)
	var out []fs.DirEntry
	for _, bad := range []string{"..", ".", "a/../../b", "\xff\xfe.txt"} {
		info := &fakeFile{name: bad}
		if name == "." {
			out = append(out, fs.FileInfoToDirEntry(info))
		}
	}
	return append(out, list...), err
}

// dirInfo is a folder of the given name.
type dirInfo struct{ *fakeFile }

func (dirInfo) IsDir() bool       { return true }
func (dirInfo) Mode() fs.FileMode { return fs.ModeDir | 0o755 }

// cyclicFS has its own parent in every folder.
type cyclicFS struct{ fstest.MapFS }

func (c cyclicFS) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := c.MapFS.ReadDir(name)
	return append([]fs.DirEntry{fs.FileInfoToDirEntry(dirInfo{&fakeFile{name: ".."}})}, list...), err
}

func TestHostileNames(t *testing.T) {
	r := walk(t, hostileFS{files("z.txt", "fine")}, ".", nil)
	if keys(r) != "z.txt" || len(r.bad) != 4 {
		t.Errorf("keys %s, errors %v", keys(r), r.bad)
	}
	r = walk(t, cyclicFS{files("z.txt", "fine", "d/y.txt", "fine")}, ".", nil)
	if keys(r) != "d/y.txt z.txt" || len(r.bad) != 2 {
		t.Errorf("keys %s, errors %v", keys(r), r.bad)
	}
}

// lockedFS denies a folder and a file.
type lockedFS struct{ fstest.MapFS }

func (l lockedFS) Open(name string) (fs.File, error) {
	if strings.Contains(name, "locked") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.Open(name)
}

func (l lockedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if strings.Contains(name, "locked") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.ReadDir(name)
}

func TestDeniedFiles(t *testing.T) {
	r := walk(t, lockedFS{files("a.txt", "x", "locked/b.txt", "x", "locked.txt", "x", "z.txt", "x")}, ".", nil)
	if keys(r) != "a.txt z.txt" || len(r.bad) != 2 || !errors.Is(r.bad[0], fs.ErrPermission) || !errors.Is(r.bad[1], fs.ErrPermission) {
		t.Errorf("keys %s, errors %v", keys(r), r.bad)
	}
}

// TestMarkupBombs reads inputs that make naive readers quadratic, recursive or
// hungry. Each must end in time, as a document or as one refusal. The limit is
// wide, for busy machines; what is quadratic at this size takes minutes.
func TestMarkupBombs(t *testing.T) {
	const size = 400_000
	rep := func(s string) string { return strings.Repeat(s, size/len(s)) }
	indented := func() string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "%s- a\n", strings.Repeat("  ", i))
		}
		return b.String()
	}
	ticks := func() string {
		var b strings.Builder
		for i := 1; b.Len() < size; i++ {
			b.WriteString(strings.Repeat("`", i) + "a")
		}
		return b.String()
	}
	for _, c := range []struct {
		name, file, in string
		refused        error
	}{
		{"nested div", "a.html", strings.Repeat("<div>", 100_000) + "x", nil},
		{"nested inline", "a.html", strings.Repeat("<b>", 100_000) + "x", nil},
		{"nested lists", "a.html", rep("<ul><li>x"), nil},
		{"nested tables", "a.html", rep("<table><tr><td>x"), nil},
		{"stray end tags", "a.html", strings.Repeat("<div>", 20_000) + rep("</p>x</ul>"), nil},
		{"open headings", "a.html", rep("<h1>x"), nil},
		{"long headings", "a.html", rep("<h1>" + strings.Repeat("y", 5000) + "<h2>x<h2>z<h2>v"), nil},
		{"attributes", "a.html", "<a " + rep("b ") + ">x", nil},
		{"references", "a.html", rep("&nGt;"), nil},
		{"open comment", "a.html", "x" + rep("<!--"), nil},
		{"columns of a table", "a.html", "<table><tr>" + strings.Repeat("<th>a", size/50) + rep("<tr><td>b<td>c"), nil},
		{"cells of many columns", "a.html", "<table><tr><th colspan=1000>a<th>b" + rep("<tr><td colspan=1000>c"), nil},
		{"cells of many rows", "a.html", "<table><tr>" + strings.Repeat("<th rowspan=1000>abcdefgh", 900) + rep("<tr>"), nil},
		{"tables in cells", "a.html", "<table><tr><th>a<th>b<tr><td>c" + rep("<table><tr><td>d"), nil},
		{"open descriptions", "a.html", "<dl>" + rep("<div><dd>a<dt>b"), nil},
		{"descriptions in descriptions", "a.html", rep("<dl><dd>a"), nil},
		{"open navigation", "a.html", "x" + rep("<div class=nav>"), nil},
		{"tags of Hugo", "a.md", rep("{{< a "), nil},
		{"closed tags of Hugo", "a.md", rep("{{< a >}} "), nil},
		{"tags of code", "a.md", rep("{{< code >}}\n"), nil},
		{"tags on a line", "a.md", rep("[a]({{< b >}}"), nil},
		{"notes", "a.md", rep("!!! a\n    "), nil},
		{"roles", "a.md", rep(":a:`"), nil},
		{"terms", "a.md", rep("a\n: b\n"), nil},
		{"colons", "a.md", "a\n" + rep(": "), nil},
		{"open tags", "a.html", "x" + rep("<a "), nil},
		{"open scripts", "a.html", "x" + rep("<script>"), nil},
		{"quotes", "a.md", rep(">") + "a", load.ErrTooLarge},
		{"lists on a line", "a.md", rep("- ") + "a", load.ErrTooLarge},
		{"numbers on a line", "a.md", rep("1. ") + "a", load.ErrTooLarge},
		{"indented lists", "a.md", indented(), load.ErrTooLarge},
		{"lazy lines", "a.md", strings.Repeat("> ", 30) + "a\n" + rep("b\n"), nil},
		{"brackets", "a.md", strings.Repeat("[", size/2) + strings.Repeat("]", size/2), nil},
		{"many brackets", "a.md", rep(strings.Repeat("[", 245) + strings.Repeat("]", 245) + "\n\n"), nil},
		{"open links", "a.md", rep("[a]("), nil},
		{"many open links", "a.md", rep(strings.Repeat("[a](<b", 160) + "\n\n"), nil},
		{"images", "a.md", rep("![[]()"), nil},
		{"emphasis", "a.md", rep("*a_ "), nil},
		{"much emphasis", "a.md", rep(strings.Repeat("*a_ ", 240) + "\n\n"), nil},
		{"strikes", "a.md", rep("~~a ~b "), nil},
		{"code spans", "a.md", ticks(), nil},
		{"comments", "a.md", "a " + rep("<!--"), nil},
		{"definitions", "a.md", rep("[a]: b\n"), nil},
		{"open definitions", "a.md", rep("[a]:\n"), nil},
		{"table cells", "a.md", strings.Repeat("|a", 200) + "|\n" + strings.Repeat("|-", 200) + "|\n" + rep("|\n"), nil},
		{"blank code", "a.md", "    a\n" + rep("\n") + "    b", nil},
		{"blank list", "a.md", "- a\n" + rep("\n") + "b", nil},
		{"headings", "a.md", rep("###### a\n## b\n"), nil},
		{"rule", "a.md", rep("- ") + "\n\nx", nil},
		{"fences", "a.md", rep("```\n"), nil},
		{"fence in html", "a.md", "<div>\n```\n\n" + rep("[a]: b\n"), nil},
		{"deep json", "a.jsonl", `{"text":"x","k":` + strings.Repeat("[", size/2) + strings.Repeat("]", size/2) + "}", load.ErrMalformed},
		{"nested json", "a.jsonl", `{"text":"x","k":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}", nil},
		{"columns", "a.csv", rep("a,") + "\n" + rep(",") + "\n", load.ErrMalformed},
		{"open quotes", "a.csv", "id,text\n" + rep("\"a\n"), load.ErrMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			r := walk(t, files(c.file, c.in, "z.txt", "fine"), ".", nil)
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			} else {
				t.Logf("%v for %d bytes", took.Round(time.Millisecond), len(c.in))
			}
			if c.refused == nil && len(r.bad) > 0 || c.refused != nil && !containsError(r.bad, c.refused) {
				t.Errorf("errors %v, want %v", r.bad, c.refused)
			}
			for _, d := range r.docs {
				if len(d.Text) > 4*len(c.in) {
					t.Errorf("%d bytes became a text of %d", len(c.in), len(d.Text))
				}
			}
		})
	}
}

// TestManyBlocks reads more paragraphs than a document has blocks for: the
// last block is the rest, and walk checks that nothing is left out.
func TestManyBlocks(t *testing.T) {
	const n = 300_000
	text := strings.Repeat("a\n\n", n-1) + "b"
	for name, in := range map[string]string{"a.txt": text, "a.md": text, "a.html": strings.ReplaceAll(text, "\n\n", "<p>")} {
		d := one(t, name, in, nil)
		last := d.Blocks[len(d.Blocks)-1]
		if len(d.Blocks) != 1<<18 || last.End != len(d.Text) || strings.Count(d.Text, "a")+strings.Count(d.Text, "b") != n {
			t.Errorf("%s: %d blocks, the last %+v in a text of %d bytes", name, len(d.Blocks), last, len(d.Text))
		}
	}
}
