package rag_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// openPlain opens a database whose tables are not compressed.
func openPlain(t *testing.T, dir string) *engine.DB {
	t.Helper()
	db, err := engine.Open(t.Context(), dir, &engine.Options{Encodings: methods.Encodings(), OpenStore: func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
		// Small tables and logs, so that there are several.
		return pebblekv.Open(ctx, path, s, &pebblekv.Options{NoCompression: true, MemtableBytes: 256 << 10})
	}})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// holding returns the files of a closed database that hold one of some strings,
// in whatever case and also in compressed texts, with the strings.
func holding(t *testing.T, dir string, words []string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b = bytes.ToLower(append(b, unpacked(t, b)...))
		for _, w := range words {
			if bytes.Contains(b, []byte(strings.ToLower(w))) {
				out[filepath.Base(path)] = append(out[filepath.Base(path)], w)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// unpacked returns what the zstd frames in a file hold.
func unpacked(t *testing.T, b []byte) (out []byte) {
	t.Helper()
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	for {
		i := bytes.Index(b, magic)
		if i < 0 {
			return out
		}
		b = b[i:]
		// What follows the frame is an error, after all of the frame.
		if err := d.Reset(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		var frame bytes.Buffer
		d.WriteTo(&frame)
		out = append(out, frame.Bytes()...)
		b = b[len(magic):]
	}
}

// onlyIn returns the words of a document and its runs of four words that no
// other document holds.
func onlyIn(d ragtest.Doc, others []ragtest.Doc) (out []string) {
	var all strings.Builder
	for _, o := range others {
		all.WriteString(strings.ToLower(o.Key+" "+o.Text) + " ")
	}
	rest := all.String()
	words := strings.Fields(d.Text)
	for n := 1; n <= 4; n += 3 {
		for i := 0; i+n <= len(words); i++ {
			s := strings.ToLower(strings.Trim(strings.Join(words[i:i+n], " "), "#-.,"))
			if len(s) > 5 && !strings.Contains(rest, s) && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return append(out, d.Key)
}

// TestPurge removes a document as ragdb rm --purge does: then no file of the
// closed database holds what only that document held, neither in keys nor in
// texts, logs or lists of files. Before it they do.
func TestPurge(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, llmtest.Options{Seed: 7, Plan: []llmtest.Fault{{Failure: llmtest.BadJSON, Share: .1, Text: "response_format"}}})
	docs := ragtest.Docs(71, 100)
	gone := docs[20]
	all, specs := methods.All(), []string{methods.Default, "naive"}
	// do works on the database from its opening to its closing.
	do := func(dir string, fn func(c *rag.Corpus)) {
		t.Helper()
		db := openPlain(t, dir)
		fn(endpoint{URL: s.URL}.corpus(ragtest.OpenIn(t, db)))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	made := filepath.Join(t.TempDir(), "made")
	do(made, func(c *rag.Corpus) { indexRemote(t, c, all, specs, docs[:40]...) })
	do(made, func(c *rag.Corpus) {
		indexRemote(t, c, all, specs, docs...)
		systems, err := openSystems(t.Context(), c, all, specs...)
		if err != nil {
			t.Fatal(err)
		}
		m, err := c.Options().Models(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, sys := range systems {
			if a, err := c.Ask(t.Context(), sys, m, method.Question{Text: "What did " + gone.Hero + " do at " + gone.Place + "?"}); err != nil || !a.Answered {
				t.Fatalf("%+v %v", a, err)
			}
		}
	})
	words := onlyIn(gone, slices.Delete(slices.Clone(docs), 20, 21))
	met := map[string]bool{}
	for _, of := range holding(t, made, words) {
		for _, w := range of {
			met[w] = true
		}
	}
	// Markup and metadata are not kept as they stand in the file.
	words = slices.DeleteFunc(words, func(w string) bool { return !met[w] })
	if len(words) < 30 || !met[gone.Key] {
		t.Fatalf("before the removal the files hold %d of the document's strings", len(words))
	}
	remove := func(c *rag.Corpus) {
		if _, err := c.RemoveAll(t.Context(), all, []string{gone.Key}, rag.RemoveOptions{Asked: []string{gone.Key}, Purge: true}); err != nil {
			t.Fatal(err)
		}
		indexRemote(t, c, all, specs)
	}
	purge := func(c *rag.Corpus) {
		if err := c.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if owed := owedBy(t, c); owed != nil {
			t.Errorf("%+v is owed", owed)
		}
	}
	for _, x := range []struct {
		name string
		work []func(c *rag.Corpus)
	}{
		{"purged at once", []func(c *rag.Corpus){func(c *rag.Corpus) { remove(c); purge(c) }}},
		{"purged later", []func(c *rag.Corpus){remove, purge}},
		{"indexed, removed and purged at once", []func(c *rag.Corpus){func(c *rag.Corpus) {
			indexRemote(t, c, all, append(specs, "ketrag:beta=0.4"))
			remove(c)
			purge(c)
		}}},
	} {
		t.Run(x.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "db")
			if err := os.CopyFS(dir, os.DirFS(made)); err != nil {
				t.Fatal(err)
			}
			for _, fn := range x.work {
				do(dir, fn)
			}
			if left := holding(t, dir, words); len(left) > 0 {
				t.Errorf("%d files hold strings of the document: %s", len(left), summary(left))
			}
			if kept := holding(t, dir, []string{docs[21].Code}); len(kept) == 0 {
				t.Error("nothing tells of a document that stays")
			}
		})
	}
}

// summary tells which files hold how many strings.
func summary(left map[string][]string) string {
	var out []string
	for file, words := range left {
		out = append(out, fmt.Sprintf("%s: %q and %d more", file, words[0], len(words)-1))
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}
