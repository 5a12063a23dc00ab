package rag_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// wordBucket returns what the corpus keeps of words.
func wordBucket(t *testing.T, c *ragtest.Corpus) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		for e, err := range s.Graph(c.Base()).Bucket("words").Scan(nil, nil) {
			if err != nil {
				return err
			}
			out[string(e.Key)] = string(e.Value)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sameWords compares what is kept of words, key by key.
func sameWords(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	keys := maps.Clone(got)
	maps.Copy(keys, want)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if got[k] != want[k] {
			t.Errorf("%s: %q differs (%d bytes, want %d)", what, k, len(got[k]), len(want[k]))
		}
	}
}

// liveWord returns the word in the key of a live row.
func liveWord(key string) (word string, ok bool) {
	version, word, ok := strings.Cut(key, "/row/")
	return word, ok && len(version) == 8
}

// rows returns the rows of the words that begin with a code.
func rows(t *testing.T, c *ragtest.Corpus, code string) (out []local.Row) {
	t.Helper()
	for k, v := range wordBucket(t, c) {
		word, ok := liveWord(k)
		if !ok || !strings.HasPrefix(word, code) {
			continue
		}
		r, err := local.DecodeRow(word, []byte(v))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// TestWordsAreExact says that documents which come and go again leave the live
// rows, the case statistics and the table to the byte as they were.
func TestWordsAreExact(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(71, 22)
	c.Index(t, "naive", docs[:16]...)
	before := wordBucket(t, c)
	c.Index(t, "naive", docs...)
	if got := rows(t, c, docs[20].Code); len(got) == 0 || got[0].Texts < 1 {
		t.Errorf("rows of an added document: %v", got)
	}
	for _, d := range docs[16:] {
		c.Remove(t, d.Key)
	}
	c.Index(t, "naive")
	sameWords(t, "added and removed", wordBucket(t, c), before)
	// A document of the training leaves its own words alone.
	c.Remove(t, docs[3].Key)
	c.Index(t, "naive")
	if got := rows(t, c, docs[3].Code); len(got) > 0 {
		t.Errorf("rows of a removed document: %v", got)
	}
	if got := rows(t, c, docs[4].Code); len(got) == 0 {
		t.Error("no rows of a document that stays")
	}
	without := wordBucket(t, c)
	// Back it comes as a document that the table does not know.
	c.Index(t, "naive", docs[:16]...)
	if got := rows(t, c, docs[3].Code); len(got) == 0 {
		t.Error("no rows of a document that is back")
	}
	c.Remove(t, docs[3].Key)
	c.Index(t, "naive")
	sameWords(t, "and gone again", wordBucket(t, c), without)
}

// TestWordsOfLateChunks says that words are counted of documents that came
// while another chunk set was wanted.
func TestWordsOfLateChunks(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(72, 18)
	c.Index(t, "naive", docs[:15]...)
	before := wordBucket(t, c)
	c.Index(t, "naive:chunks=cl100k/60/0/paragraph", docs...)
	if got := rows(t, c, docs[16].Code); len(got) > 0 {
		t.Errorf("rows of another chunk set: %v", got)
	}
	c.Index(t, "naive") // cuts the late ones
	if got := rows(t, c, docs[16].Code); len(got) == 0 {
		t.Error("no rows of the late chunks")
	}
	for _, d := range docs[15:] {
		c.Remove(t, d.Key)
	}
	c.Index(t, "naive")
	after := wordBucket(t, c)
	sameWords(t, "late chunks removed", after, before)
	for k, v := range after {
		if word, ok := liveWord(k); ok {
			if r, err := local.DecodeRow(word, []byte(v)); err != nil || r.Texts < 1 {
				t.Errorf("row of %q counts %d texts: %v", word, r.Texts, err)
			}
		}
	}
}

// TestModelsOfRemoval says that documents are taken out with the models that
// they were indexed with.
func TestModelsOfRemoval(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	docs := ragtest.Docs(73, 6)
	c.Index(t, "ketrag", docs...)
	sums := func() (n int) {
		t.Helper()
		g := c.System(t, "ketrag").Graph()
		err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
			for _, err := range s.Graph(g).Bucket(method.SumsBucket("hashes")).Scan(nil, nil) {
				if err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if sums() == 0 {
		t.Fatal("there are no sums")
	}
	for _, d := range docs {
		c.Remove(t, d.Key)
	}
	if n := sums(); n != 0 {
		t.Errorf("%d sums are left", n)
	}
}

// TestCasesOfReplaced says that a local model which stays open reads the case statistics
// again when documents took the place of as many others.
func TestCasesOfReplaced(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Index(t, "naive", ragtest.Docs(11, 3)...)
	long := words.NewLocal(c.Docs())
	cases := func(l *words.Local) (out map[string][2]int64) {
		t.Helper()
		err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
			now, err := l.Read(s.Graph(c.Base()), false)
			if err != nil {
				return err
			}
			out = map[string][2]int64{}
			for w := range now.Cases.Words() {
				out[w] = [2]int64{now.Cases.Lower(w), now.Cases.Upper(w)}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, name := range []string{"Halvard", "Ingrid", "Halvard"} {
		c.IndexFS(t, "naive", fstest.MapFS{"one.md": {Data: []byte("The ferry was built by " + name + " at the old harbour.")}}, true)
		if got, want := cases(long), cases(words.NewLocal(c.Docs())); !maps.Equal(got, want) {
			t.Fatalf("after %s: %d words of other counts", name, len(got))
		}
	}
}
