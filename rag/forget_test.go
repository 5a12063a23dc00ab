package rag_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// families returns the families of some formatted keys.
func families(keys []string) map[string]bool {
	out := map[string]bool{}
	for _, k := range keys {
		name, _, _ := strings.Cut(k, "(")
		out[name] = true
	}
	return out
}

// quoting is a provider that fails on extractions of a text with a word, and
// whose unusable reply quotes the text.
type quoting struct {
	llm.Provider
	word string
}

// Do implements [llm.Provider].
func (p quoting) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	if in, ok := t.Input.(llm.ExtractInput); ok && strings.Contains(in.Text, p.word) {
		return llm.Reply{}, llm.Usage{}, &llm.ReplyError{Kind: t.Kind, Raw: in.Text, Why: "no JSON"}
	}
	return p.Provider.Do(ctx, t)
}

// TestRemovedLeavesNoWord removes a document and then looks for its words in
// every key and every value of the store: postings and sums, property indexes,
// keywords, entities, word table, queue, paid replies and traces.
func TestRemovedLeavesNoWord(t *testing.T) {
	t.Parallel()
	free := func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, true, rag.Parts{})
	}
	for _, x := range []struct {
		name   string
		models func(*ragtest.Doc) func(context.Context, *rag.Corpus) (*rag.Models, error)
		fails  bool
	}{
		{name: "free", models: func(*ragtest.Doc) func(context.Context, *rag.Corpus) (*rag.Models, error) { return free }},
		{name: "paid", models: func(*ragtest.Doc) func(context.Context, *rag.Corpus) (*rag.Models, error) { return paid(io.Discard) }},
		{name: "failed", fails: true, models: func(d *ragtest.Doc) func(context.Context, *rag.Corpus) (*rag.Models, error) {
			return func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
				m, err := c.OpenLocal(ctx, true, rag.Parts{})
				if err != nil {
					return nil, err
				}
				return c.NewModels(rag.Parts{Provider: quoting{m.Provider(), d.Code}, Documents: m.Documents(), Questions: m.Questions()}), nil
			}
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			c := ragtest.Open(t, methods.All(), methods.Encodings()...)
			docs := ragtest.Docs(21, 24)
			gone := docs[8]
			c.Use(x.models(&gone))
			systems := []*method.System{c.System(t, "ketrag"), c.System(t, "ketrag:beta=0.4"), c.System(t, "naive")}
			index := func(in ...rag.Input) {
				t.Helper()
				ix := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: systems}
				if _, err := ix.Run(t.Context(), in); err != nil && !x.fails {
					t.Fatal(err)
				}
			}
			// The later documents come to a table that does not know them.
			index(rag.Input{FS: ragtest.Files(docs[:18]...), Root: "."})
			index(rag.Input{FS: ragtest.Files(docs...), Root: "."})
			m := c.OpenModels(t)
			for _, sys := range systems {
				a, err := c.Ask(t.Context(), sys, m, method.Question{Text: "What did " + gone.Hero + " do at " + gone.Place + "?"})
				if err != nil {
					t.Fatal(err)
				}
				if !a.Answered || !strings.Contains(a.Text, gone.Place) {
					t.Fatalf("%s: answer %q", sys.Instance(), a.Text)
				}
			}
			before := families(ragtest.Find(t, c.Store, gone.Code))
			for _, want := range []string{"postings", "lexsum", "set", "node", "key", "bucket"} {
				if !before[want] {
					t.Errorf("before the removal the code is in %v, not in %s", before, want)
				}
			}
			c.Remove(t, gone.Key)
			if x.name == "free" {
				// Only what is corpus-wide is left to the next run.
				for _, k := range ragtest.Find(t, c.Store, gone.Code) {
					if !strings.HasPrefix(k, "bucket(") {
						t.Errorf("right after the removal: %s", k)
					}
				}
			}
			index()
			if left := ragtest.Find(t, c.Store, gone.Code, gone.Hero, gone.Place); len(left) > 0 {
				t.Errorf("%d keys tell of the document, the first are %v", len(left), left[:min(len(left), 8)])
			}
			if kept := ragtest.Find(t, c.Store, docs[9].Code); len(kept) == 0 {
				t.Error("nothing tells of a document that stays")
			}
			ragtest.Check(t, c.DB())
		})
	}
}

// TestReplacedLeavesNoWord is the same for what a new version no longer says.
func TestReplacedLeavesNoWord(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(22, 20)
	files := ragtest.Files(docs...)
	old, now := docs[3], strings.ReplaceAll(docs[3].Text, docs[3].Code, "xqnewq")
	now = strings.ReplaceAll(now, strings.ToUpper(docs[3].Code[:1])+docs[3].Code[1:], "Xqnewq")
	delete(files, old.Key)
	files["west/plain.md"] = &fstest.MapFile{Data: []byte(old.Text)}
	c.IndexFS(t, "ketrag", files, true)
	if len(ragtest.Find(t, c.Store, old.Code)) == 0 {
		t.Fatal("nothing tells of the first version")
	}
	files["west/plain.md"] = &fstest.MapFile{Data: []byte(now)}
	if r := c.IndexFS(t, "ketrag", files, true); r.Replaced != 1 || r.Unchanged != 19 || r.Added != 0 {
		t.Fatalf("result %+v", r)
	}
	if left := ragtest.Find(t, c.Store, old.Code); len(left) > 0 {
		t.Errorf("%d keys tell of the first version, the first are %v", len(left), left[:min(len(left), 8)])
	}
	if len(ragtest.Find(t, c.Store, "xqnewq")) == 0 {
		t.Error("nothing tells of the second version")
	}
	ragtest.Check(t, c.DB())
}

// TestRemoveAll removes every document: then no document, chunk, derived node,
// term or vector is left, and the corpus can be indexed and asked again.
func TestRemoveAll(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(23, 18)
	c.Index(t, "ketrag", docs...)
	derived := 0
	for _, d := range docs {
		dry, err := c.Corpus.Remove(t.Context(), c.Methods, d.Key, rag.RemoveOptions{DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		r := c.Remove(t, d.Key)
		if dry.Derived != r.Derived || dry.Chunks != r.Chunks {
			t.Errorf("dry run says %+v, removal %+v", dry, r)
		}
		derived += r.Derived
	}
	if derived == 0 {
		t.Error("no derived node went")
	}
	c.Index(t, "ketrag")
	it, err := c.Store.Iter(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		tag, _, err := layout.KeyTag(it.Key())
		if err != nil {
			t.Fatal(err)
		}
		switch tag {
		case layout.TagNode, layout.TagExternalKey, layout.TagText, layout.TagEdge, layout.TagEdgeBlock, layout.TagContribution, layout.TagSources,
			layout.TagSetIndex, layout.TagPostings, layout.TagLexSum, layout.TagTermsOf, layout.TagSlotOf:
			t.Errorf("%s is left", layout.Schema().Format(it.Key()))
		}
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	ragtest.Check(t, c.DB())
	if r := c.Index(t, "ketrag", docs...); r.Added != len(docs) || r.Documents != len(docs) {
		t.Errorf("indexed again: %+v", r)
	}
	ragtest.Check(t, c.DB())
}

// TestDocuments follows documents that are added, unchanged, replaced and
// removed through the counts of a run.
func TestDocuments(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(24, 6)
	counts := func(r *rag.IndexResult) [4]int { return [4]int{r.Added, r.Replaced, r.Unchanged, r.Documents} }
	if got := counts(c.Index(t, "naive", docs[:4]...)); got != [4]int{4, 0, 0, 4} {
		t.Errorf("added, replaced, unchanged, documents: %v", got)
	}
	epoch := c.DB().Epoch()
	if r := c.Index(t, "naive", docs[:4]...); counts(r) != [4]int{0, 0, 4, 4} || len(r.Stages) != 0 {
		t.Errorf("again: %+v", r)
	}
	if now := c.DB().Epoch(); now != epoch {
		t.Errorf("a run that had nothing to do made %d commits", now-epoch)
	}
	docs[2] = ragtest.Document(24, 2, 1)
	if got := counts(c.Index(t, "naive", docs...)); got != [4]int{2, 1, 3, 6} {
		t.Errorf("added, replaced, unchanged, documents: %v", got)
	}
	if r := c.Remove(t, docs[0].Key); len(r.Documents) != 1 || r.Chunks == 0 {
		t.Errorf("removed %+v", r)
	}
	if _, err := c.Corpus.Remove(t.Context(), c.Methods, docs[0].Key, rag.RemoveOptions{}); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("removed again: %v", err)
	}
	if r := c.Index(t, "naive"); r.Documents != 5 {
		t.Errorf("%d documents are left", r.Documents)
	}
	// What is there is what was last read, each document once.
	err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		v := s.Graph(c.Base())
		for _, d := range docs[1:] {
			doc, err := c.Document(v, d.Key)
			if err != nil {
				return err
			}
			sets, err := c.ChunksOf(v, doc)
			if err != nil {
				return err
			}
			full, err := v.Text(doc.ID, "_text")
			if err != nil {
				return err
			}
			var words []string
			for _, ch := range sets[method.ChunkType(text.ChunkSet{})] {
				words = append(words, strings.Fields(ch.Text)...)
			}
			if len(sets) != 1 || !slices.Equal(words, strings.Fields(full)) {
				t.Errorf("%s: its chunks are not its text", d.Key)
			}
			parts := strings.SplitAfter(strings.TrimSpace(d.Text), ". ")
			if last := parts[len(parts)-1]; !strings.Contains(full, last) {
				t.Errorf("%s: the text lacks %q", d.Key, last)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
