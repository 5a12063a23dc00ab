package rag_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/methods"
)

// paidModels are models of which replies and vectors are kept. The provider has
// a key, as one over the network does.
func paidModels(log io.Writer) func(context.Context, *rag.Corpus) (*rag.Models, error) {
	return func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		m, err := c.OpenLocal(ctx, true, rag.Parts{})
		if err != nil {
			return nil, err
		}
		p := struct {
			*counted
			Key string
		}{&counted{Provider: named{m.Provider(), "paid/1"}, log: log}, "sk-secret"}
		return c.NewModels(rag.Parts{Provider: p, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}}), nil
	}
}

// named is a provider with another name.
type named struct {
	llm.Provider
	name string
}

func (n named) Name() string { return n.name }

// cacheOf returns an export of a corpus's cache.
func cacheOf(t *testing.T, c *ragtest.Corpus) string {
	t.Helper()
	var b bytes.Buffer
	n, err := c.Ledger().Export(t.Context(), &b)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(b.String(), "\n"); lines != n {
		t.Fatalf("%d lines, and %d entries", lines, n)
	}
	return b.String()
}

// cacheStats returns a corpus's counts.
func cacheStats(t *testing.T, c *ragtest.Corpus) *ledger.Stats {
	t.Helper()
	s, err := c.Ledger().Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCacheRoundTrip carries a cache to another corpus: the same documents are
// indexed there without a call, to the same bytes, also by replies alone.
func TestCacheRoundTrip(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(31, 12)
	var asked bytes.Buffer
	first := ragtest.Open(t, methods.All(), methods.Encodings()...)
	first.Use(paidModels(&asked))
	first.Index(t, "ketrag", docs...)
	cache := cacheOf(t, first)
	calls := strings.Count(asked.String(), "\n")
	s := cacheStats(t, first)
	replies, vectors := 0, 0
	for _, r := range s.Rows {
		switch {
		case r.Kind == replay.KindEmbedding && r.Model == "":
			vectors += r.Entries
		case r.Model == "paid/1" && r.Kind.Known():
			replies += r.Entries
		default:
			t.Errorf("row %+v", r)
		}
	}
	if replies != calls || calls == 0 || vectors == 0 || s.Total.Unused != 0 || s.Total.Entries != replies+vectors ||
		s.Total.Usage.Calls != calls || s.Total.Bytes == 0 {
		t.Errorf("%d calls, %+v", calls, s)
	}
	if strings.Contains(cache, "sk-secret") {
		t.Error("a key is exported")
	}

	for name, models := range map[string]func(context.Context, *rag.Corpus) (*rag.Models, error){
		"imported": paidModels(&asked),
		"without a model": func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
			m, err := c.OpenLocal(ctx, true, rag.Parts{})
			if err != nil {
				return nil, err
			}
			none := replay.NewEmbedder(ragtest.Hashes{}.Space())
			return c.NewModels(rag.Parts{Provider: refusing{named{m.Provider(), "paid/1"}}, Documents: none, Questions: none}), nil
		},
		"replies": func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
			p := kept{}
			for e, err := range replay.Read(strings.NewReader(cache)) {
				if err != nil {
					return nil, err
				}
				p[e.Digest] = e.Reply
			}
			return c.NewModels(rag.Parts{Provider: p, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}}), nil
		},
	} {
		asked.Reset()
		other := ragtest.Open(t, methods.All(), methods.Encodings()...)
		other.Use(models)
		if name != "replies" {
			in, err := other.Ledger().Import(t.Context(), strings.NewReader(cache))
			if err != nil || in.Added != replies+vectors || in.Known != 0 {
				t.Fatalf("%s: %+v, %v", name, in, err)
			}
			if s := cacheStats(t, other); s.Total.Unused != s.Total.Entries {
				t.Errorf("%s: %+v used before there are documents", name, s.Total)
			}
			// Again, it changes nothing.
			state := func() string {
				_, lines, _ := strings.Cut(ragtest.Export(t, other.DB(), engine.ExportOptions{}), "\n") // the first has the time
				return lines
			}
			before := state()
			in, err = other.Ledger().Import(t.Context(), strings.NewReader(cache))
			if err != nil || in.Added != 0 || in.Known != replies+vectors {
				t.Fatalf("%s: again: %+v, %v", name, in, err)
			}
			ragtest.Same(t, name, state(), before)
		}
		other.Index(t, "ketrag", docs...)
		if asked.Len() > 0 {
			t.Errorf("%s: %d calls", name, strings.Count(asked.String(), "\n"))
		}
		ragtest.Same(t, name, other.Canonical(t), first.Canonical(t))
		if name != "replies" {
			ragtest.Same(t, name+": cache", cacheOf(t, other), cache)
			for _, r := range cacheStats(t, other).Rows {
				if want := map[bool]int{true: r.Entries}[r.Kind == replay.KindEmbedding]; r.Unused != want {
					t.Errorf("%s: %+v", name, r)
				}
			}
		}
		ragtest.Check(t, other.DB())
	}
}

// refusing is a provider that answers nothing.
type refusing struct{ llm.Provider }

// Can implements [llm.Provider], for a chat model.
func (refusing) Can(k llm.Kind) bool { return k.Known() }

func (refusing) Do(context.Context, llm.Task) (llm.Reply, llm.Usage, error) {
	return llm.Reply{}, llm.Usage{}, replay.ErrNotRecorded
}

// TestPruneCache removes what no document uses, and no more.
func TestPruneCache(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(32, 10)
	var asked bytes.Buffer
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(paidModels(&asked))
	c.Index(t, "ketrag", docs...)
	if p, err := c.Ledger().Prune(t.Context(), ledger.PruneOptions{}); err != nil || *p != (ledger.Pruned{}) {
		t.Fatalf("all is used, and %+v goes, %v", p, err)
	}
	whole := cacheOf(t, c)
	imported := `{"digest":"` + strings.Repeat("ab", 32) + `","kind":"answer","model":"m","reply":"x","api_key":"sk-other"}` + "\n"
	if _, err := c.Ledger().Import(t.Context(), strings.NewReader(imported)); err != nil {
		t.Fatal(err)
	}
	if got := ragtest.Find(t, c.Store, "sk-other"); len(got) > 0 {
		t.Errorf("a key was imported into %v", got)
	}
	// An embedding of a question belongs to no document.
	m := c.OpenModels(t)
	if _, err := m.EmbedQuestion(t.Context(), "who keeps the lighthouse"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Corpus.Remove(t.Context(), c.Methods, docs[3].Key, rag.RemoveOptions{KeepCache: true}); err != nil {
		t.Fatal(err)
	}
	before := cacheStats(t, c)
	if before.Total.Unused < 3 { // the import, the question, what the document had alone
		t.Fatalf("%+v", before.Total)
	}
	if p, err := c.Ledger().Prune(t.Context(), ledger.PruneOptions{DryRun: true}); err != nil || p.Replies+p.Embeddings != before.Total.Unused ||
		cacheStats(t, c).Total != before.Total {
		t.Errorf("dry: %+v, %v", p, err)
	}
	p, err := c.Ledger().Prune(t.Context(), ledger.PruneOptions{})
	after := cacheStats(t, c)
	if err != nil || p.Replies == 0 || p.Embeddings == 0 || after.Total.Unused != 0 || after.Total.Entries != before.Total.Entries-before.Total.Unused {
		t.Errorf("%+v, %v: %+v became %+v", p, err, before.Total, after.Total)
	}
	left := cacheOf(t, c)
	for _, line := range strings.Split(strings.TrimSpace(left), "\n") {
		if !strings.Contains(whole, line) {
			t.Errorf("%.80s is new", line)
		}
	}
	p, err = c.Ledger().Prune(t.Context(), ledger.PruneOptions{Embeddings: true})
	if err != nil || p.Replies != 0 || p.Embeddings == 0 || strings.Contains(cacheOf(t, c), `"embedding"`) {
		t.Errorf("%+v, %v", p, err)
	}
	ragtest.Check(t, c.DB())
}

// TestCacheBadLine keeps what came before a line that is no entry.
func TestCacheBadLine(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	good := `{"digest":"` + strings.Repeat("ab", 32) + `","kind":"answer","model":"m","reply":"x","usage":{"calls":1,"in_tok":2,"out_tok":3}}` + "\n"
	in, err := c.Ledger().Import(t.Context(), strings.NewReader(good+"{}\n"+good))
	var bad *replay.LineError
	if !errors.As(err, &bad) || bad.Line != 2 || in.Added != 1 {
		t.Errorf("%+v, %v", in, err)
	}
	if got := cacheOf(t, c); got != good {
		t.Errorf("%q", got)
	}
}

// kept is a provider that has the replies of paid/1 by the digests of their tasks,
// and no others.
type kept map[replay.Digest]string

func (kept) Name() string { return "paid/1" }

func (kept) Can(k llm.Kind) bool { return k.Known() }

func (p kept) Do(_ context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	digest, err := t.Digest(p.Name())
	if err != nil {
		return llm.Reply{}, llm.Usage{}, err
	}
	reply, ok := p[digest]
	if !ok {
		return llm.Reply{}, llm.Usage{}, replay.ErrNotRecorded
	}
	return llm.Reply{Text: reply}, llm.Usage{}, nil
}
