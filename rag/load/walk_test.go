package load_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/rag/load"
)

func TestWalkKeysAndOrder(t *testing.T) {
	fsys := files(
		"docs/b.md", "b", "docs/a/z.txt", "z", "docs/a.txt", "a", "docs/ö.txt", "o",
		"docs/.git/c.txt", "c", "docs/.hidden.txt", "h", "docs/node_modules/p/readme.md", "r", "docs/empty.txt", " \n\f\n", "other.txt", "x",
	)
	r := walk(t, fsys, "docs", &load.Options{KeyPrefix: "m/", Meta: map[string]string{"team": "blue", "n": "3", "lang": "nl"}})
	if got := keys(r); got != "m/a/z.txt m/a.txt m/b.md m/ö.txt" {
		t.Errorf("keys %s", got)
	}
	want := "docs/.git: hidden, docs/.hidden.txt: hidden, docs/empty.txt: no text, docs/node_modules: node_modules"
	if got := strings.Join(r.skips, ", "); got != want {
		t.Errorf("skipped %s", got)
	}
	if got := metaText(r.docs[0]); got != "n=num 3; team=blue" || r.docs[0].Lang != "nl" {
		t.Errorf("metadata %s language %q", got, r.docs[0].Lang)
	}
	if r := walk(t, fsys, "docs/a/z.txt", nil); keys(r) != "z.txt" || r.docs[0].Path != "docs/a/z.txt" {
		t.Errorf("a file as PATH gave %s", keys(r))
	}
}

func TestInclude(t *testing.T) {
	fsys := files("a.md", "x", "b.txt", "x", "c.py", "x", "d/e.md", "x", "d/f/g.md", "x", "d/f/h.txt", "x", "p.md/q.txt", "x")
	for _, c := range []struct {
		name, format string
		include      []string
		want         string
	}{
		{"all", "", nil, "a.md b.txt d/e.md d/f/g.md d/f/h.txt p.md/q.txt"},
		{"base name", "", []string{"*.md"}, "a.md d/e.md d/f/g.md"},
		{"path", "", []string{"d/*.md"}, "d/e.md"},
		{"any depth", "", []string{"d/**/*.md"}, "d/e.md d/f/g.md"},
		{"everything below", "", []string{"d/**"}, "d/e.md d/f/g.md d/f/h.txt"},
		{"braces", "", []string{"d/**/*.{md,txt}"}, "d/e.md d/f/g.md d/f/h.txt"},
		{"leading", "", []string{"**/g.*"}, "d/f/g.md"},
		{"two", "", []string{"a.md", "**/h.txt"}, "a.md d/f/h.txt"},
		{"none", "", []string{"*.zip"}, ""},
		{"format", "md", nil, "a.md d/e.md d/f/g.md"},
		{"format and pattern", "txt", []string{"*.py"}, "c.py"},
		{"auto knows no python", "auto", []string{"*.py"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := walk(t, fsys, ".", &load.Options{Include: c.include, Format: c.format})
			if got := keys(r); got != c.want || len(r.bad) > 0 || r.err != nil {
				t.Errorf("keys %s, want %s; errors %v %v", got, c.want, r.bad, r.err)
			}
		})
	}
	if r := walk(t, fsys, "c.py", &load.Options{Format: "txt"}); keys(r) != "c.py" {
		t.Errorf("a file in a stated format gave %s %v", keys(r), r.bad)
	}
	if r := walk(t, fsys, "c.py", nil); len(r.bad) != 1 || !strings.Contains(r.bad[0].Reason, "tells no format") {
		t.Errorf("a file of no format gave %v", r.bad)
	}
}

func TestFatalErrors(t *testing.T) {
	fsys := files("a.txt", "x")
	for _, c := range []struct {
		name, root string
		o          load.Options
		want       error
	}{
		{"format", ".", load.Options{Format: "docx"}, load.ErrOption},
		{"limit", ".", load.Options{MaxDocBytes: -1}, load.ErrOption},
		{"pattern", ".", load.Options{Include: []string{"[a"}}, load.ErrOption},
		{"empty pattern", ".", load.Options{Include: []string{""}}, load.ErrOption},
		{"outside", "../x", load.Options{}, load.ErrOption},
		{"absolute", "/x", load.Options{}, load.ErrOption},
		{"missing", "b.txt", load.Options{}, fs.ErrNotExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := walk(t, fsys, c.root, &c.o)
			if !errors.Is(r.err, c.want) || len(r.docs)+len(r.bad) > 0 {
				t.Errorf("error %v, %d documents, %v", r.err, len(r.docs), r.bad)
			}
		})
	}
}

func TestTitleAndDigest(t *testing.T) {
	const rec = `{"id":"a","title":"T","text":"body","k":[1,2]}`
	d := one(t, "a.jsonl", rec, nil)
	if d.Text != "T\nbody" || len(d.Blocks) != 2 {
		t.Errorf("text %q in %d blocks", d.Text, len(d.Blocks))
	}
	n := one(t, "a.jsonl", rec, &load.Options{NoTitle: true})
	if n.Text != "body" || n.Title != "T" || len(n.Blocks) != 1 {
		t.Errorf("without title: text %q title %q in %d blocks", n.Text, n.Title, len(n.Blocks))
	}
	if m := one(t, "a.md", "# T\n\nbody", &load.Options{NoTitle: true}); m.Text != "body" || m.Title != "T" {
		t.Errorf("without title: text %q title %q", m.Text, m.Title)
	}
	same := one(t, "b.jsonl", "\n"+`{"k":[1,2],"text":"body","title":"T","id":"other"}`, &load.Options{KeyPrefix: "p/"})
	if same.Digest != d.Digest {
		t.Error("the digest depends on key or place")
	}
	for _, other := range []string{
		`{"id":"a","title":"T","text":"body."}`,
		`{"id":"a","title":"T","text":"body"}`,
		`{"id":"a","title":"T","text":"body","k":[1,3]}`,
		`{"id":"a","title":"T","text":"body","k":["1, 2"]}`,
		`{"id":"a","title":"T","text":"body","k":"1, 2"}`,
		`{"id":"a","title":"T","text":"body","j":[1,2]}`,
		`{"id":"a","title":"T","text":"body","k":[1,2],"lang":"en"}`,
		`{"id":"a","text":"T\nbody","k":[1,2]}`,
	} {
		if one(t, "a.jsonl", other, nil).Digest == d.Digest {
			t.Errorf("%s has the same digest", other)
		}
	}
}

func TestValueKinds(t *testing.T) {
	for in, want := range map[string]string{
		"": "string", "x": "string", "true": "bool", "True": "string",
		"0": "float64", "-1.5e3": "float64", "007": "string", "+1": "string", "1_0": "string",
		"0x10": "string", "NaN": "string", "1 ": "string", "1e999": "string", "-": "string",
		"2025-01-31": "time.Time", "2025-02-30": "string", "2025-01-31T10:00:00Z": "time.Time",
		"2025-01-31 10:00:00": "time.Time", "2025-01": "string", strings.Repeat("9", 70): "string",
	} {
		d := one(t, "a.txt", "x", &load.Options{Meta: map[string]string{"k": in}})
		v := d.Meta["k"]
		got := fmt.Sprintf("%T", v.Typed)
		if v.Typed == nil {
			got = "string"
		}
		if got != want || v.Text != in {
			t.Errorf("%q is a %s with text %q, want a %s", in, got, v.Text, want)
		}
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, s string) {
		t.Helper()
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("secret/key.txt", "secret")
	write("docs/a.txt", "a")
	write("docs/sub/b.txt", "b")
	for link, target := range map[string]string{
		"docs/key.txt": "../secret/key.txt", "docs/sub/up": "../..", "docs/loop": ".", "docs/dangling.md": "none.md", "docs/self.txt": "self.txt",
	} {
		if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skipf("this system makes no symbolic links: %v", err)
		}
	}
	r := walk(t, os.DirFS(filepath.Join(dir, "docs")), ".", nil)
	if got := keys(r); got != "a.txt sub/b.txt" || len(r.bad) > 0 || r.err != nil {
		t.Errorf("keys %s, errors %v %v", got, r.bad, r.err)
	}
	if got, want := strings.Join(r.skips, ", "), "dangling.md: symbolic link, key.txt: symbolic link, loop: symbolic link, self.txt: symbolic link, sub/up: symbolic link"; got != want {
		t.Errorf("skipped %s", got)
	}
	r = walk(t, os.DirFS(dir), "docs/key.txt", nil)
	if len(r.docs) > 0 || len(r.bad) != 1 || !errors.Is(r.bad[0], load.ErrMalformed) {
		t.Errorf("a link as PATH gave %s, errors %v", keys(r), r.bad)
	}
	r = walk(t, os.DirFS(dir), "docs/../secret", nil)
	if !errors.Is(r.err, load.ErrOption) {
		t.Errorf("a PATH with .. gave %s, error %v", keys(r), r.err)
	}
}

func TestIrregularFiles(t *testing.T) {
	fsys := fstest.MapFS{
		"pipe.txt":    {Data: []byte("x"), Mode: fs.ModeNamedPipe},
		"dev.txt":     {Data: []byte("x"), Mode: fs.ModeDevice},
		"dir.txt/a":   {Data: []byte("x")},
		"ok.txt":      {Data: []byte("x")},
		"bad\nna.txt": {Data: []byte("a\x00b")},
	}
	r := walk(t, fsys, ".", nil)
	if keys(r) != "ok.txt" || len(r.bad) != 1 || strings.Join(r.skips, ", ") != "dev.txt: no regular file, dir.txt/a: other format, pipe.txt: no regular file" {
		t.Errorf("keys %s, skipped %v, errors %v", keys(r), r.skips, r.bad)
	}
	if r := walk(t, fsys, "pipe.txt", nil); len(r.bad) != 1 || !errors.Is(r.bad[0], load.ErrMalformed) {
		t.Errorf("a pipe as PATH gave %v", r.bad)
	}
}
