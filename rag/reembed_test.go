package rag_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// mixed opens chats over HTTP and the local embedding model.
func mixed(e endpoint) func(context.Context, *rag.Corpus) (*rag.Models, error) {
	return func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		far, err := e.open(ctx, c)
		if err != nil {
			return nil, err
		}
		p := far.Parts()
		return c.OpenLocal(ctx, true, rag.Parts{Provider: p.Provider, Fill: p.Fill, Workers: p.Workers})
	}
}

// spaceModels returns the models of all vector spaces, by graph.
func spaceModels(t *testing.T, c *rag.Corpus) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	names, err := c.Namespace().Graphs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		for _, name := range names {
			g, err := c.Graph(t.Context(), name)
			if err != nil {
				return err
			}
			for _, sp := range s.Graph(g).Spaces() {
				_, model, _ := strings.Cut(sp, "@")
				out[name] = append(out[name], model)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestReembed changes the embedding model from the local one to one over HTTP,
// to another and back. Each change is stopped on the way: questions are
// answered with the model before until the change is over, and nothing of it
// is left then.
func TestReembed(t *testing.T) {
	t.Parallel()
	specs := []string{"ketrag:beta=1", "naive"} // the core is not of the vectors
	all := methods.All()
	s := newModelServer(t, llmtest.Options{})
	c := ragtest.OpenIn(t, newReference(t).db)
	docs := ragtest.Docs(61, 40)
	far := endpoint{URL: s.URL}
	c = c.With(rag.Options{Models: mixed(far)})
	indexRemote(t, c, all, specs, docs...)
	systems, err := openSystems(t.Context(), c, all, specs...)
	if err != nil {
		t.Fatal(err)
	}
	// ask asks with models and says who they are.
	ask := func(models func(context.Context, *rag.Corpus) (*rag.Models, error)) error {
		t.Helper()
		m, err := models(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.CheckModel(t.Context(), m); err != nil {
			return err
		}
		d := docs[7]
		for _, sys := range systems {
			ev, err := c.Retrieve(t.Context(), sys, m, method.Question{Text: "What did " + d.Hero + " do at " + d.Place + "?"})
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, it := range ev.Items() {
				found = found || strings.Contains(it.Text, d.Hero)
			}
			if !found {
				t.Errorf("%s does not find %s", sys.Instance(), d.Hero)
			}
		}
		return nil
	}
	own := func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, false, rag.Parts{})
	}
	steps := []struct {
		name      string
		index     func(context.Context, *rag.Corpus) (*rag.Models, error)
		questions func(context.Context, *rag.Corpus) (*rag.Models, error)
		words     bool // are learnt
	}{
		{"embed-1", far.open, far.open, false},
		{"embed-2", endpoint{URL: s.URL, Embed: "embed-2"}.open, endpoint{URL: s.URL, Embed: "embed-2"}.open, false},
		{local.ModelName, mixed(far), own, true},
	}
	before := own
	for _, step := range steps {
		c = c.With(rag.Options{Models: step.index, NoWords: !step.words})
		// Without leave nothing is changed.
		x := rag.Indexer{Corpus: c, Methods: all, Systems: systems}
		var other *rag.ModelError
		if _, err := x.Run(t.Context(), nil); !errors.As(err, &other) || other.Want.Model != step.name {
			t.Fatalf("%s: %v", step.name, err)
		}
		x.Options.Reembed = true
		// Stopped after more and more work, until it is done.
		stops := 0
		for limit := 3; ; limit *= 4 {
			ctx, cancel := context.WithCancel(t.Context())
			events := 0
			x.Options.Notify = func(rag.Event) {
				if events++; events == limit {
					cancel()
				}
			}
			_, err := x.Run(ctx, nil)
			cancel()
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", step.name, err)
			}
			stops++
			if err := ask(before); err != nil {
				t.Errorf("%s, stopped %d times: the model before: %v", step.name, stops, err)
			}
			if err := ask(step.questions); !errors.Is(err, rag.ErrModel) {
				t.Errorf("%s, stopped %d times: the model to come: %v", step.name, stops, err)
			}
			ragtest.Check(t, c.DB())
		}
		if stops == 0 {
			t.Errorf("%s: never stopped", step.name)
		}
		if err := ask(step.questions); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if err := ask(before); !errors.Is(err, rag.ErrModel) {
			t.Errorf("%s: the model before: %v", step.name, err)
		}
		for graph, models := range spaceModels(t, c) {
			for _, m := range models {
				if m != step.name && !(step.words && strings.HasPrefix(m, "local/")) {
					t.Errorf("%s: the graph %s has vectors of %s", step.name, graph, m)
				}
			}
		}
		if left := bucketsOf(t, c, step.name); len(left) > 0 {
			t.Errorf("%s: there are buckets %v", step.name, left)
		}
		ragtest.Check(t, c.DB())
		before = step.questions
	}
	// There and back again is where it began, but for what words it learnt of.
	at := ragtest.OpenIn(t, newReference(t).db)
	at = at.With(rag.Options{Models: mixed(far)})
	indexRemote(t, at, all, specs, docs...)
	ragtest.Same(t, "there and back", ragtest.Export(t, c.DB(), rag.CanonicalExport()), ragtest.Export(t, at.DB(), rag.CanonicalExport()))
}

// bucketsOf returns the buckets that are named by a model over HTTP that is not
// the given one.
func bucketsOf(t *testing.T, c *rag.Corpus, model string) (out []string) {
	t.Helper()
	for line := range strings.Lines(ragtest.Export(t, c.DB(), engine.ExportOptions{})) {
		for _, other := range []string{"embed-1", "embed-2"} {
			if name := "@" + other + `"`; other != model && strings.Contains(line, `"entry"`) && strings.Contains(line, name) {
				out = append(out, fmt.Sprintf("%.120s", line))
			}
		}
	}
	return out[:min(len(out), 3)]
}

// TestReembedKilled changes the embedding model in processes that are killed.
func TestReembedKilled(t *testing.T) {
	ragtest.NeedsDirectory(t)
	t.Parallel()
	s := newModelServer(t, llmtest.Options{})
	j := remoteJob{endpoint: endpoint{URL: s.URL}, Dir: filepath.Join(t.TempDir(), "db"), Seed: 62, Docs: 30,
		Specs: []string{"ketrag:beta=1", "naive"}, Reembed: true}
	run := func() bool {
		cmd, out := j.start(t)
		var once sync.Once
		at := s.Counters().Embeddings + 2*j.Run // none of them in run 0
		s.onRequest(func(int) {
			if j.Run > 0 && s.Counters().Embeddings >= at {
				once.Do(func() { cmd.Process.Kill() })
			}
		})
		done, _ := end(t, cmd, out)
		s.settle(t)
		return done
	}
	if !run() {
		t.Fatal("killed")
	}
	old := j.endpoint
	for j.Run, j.Embed = 1, "embed-2"; !run(); j.Run++ {
		db, err := engine.Open(t.Context(), j.Dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := ragtest.OpenIn(t, db)
		m, err := old.open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.CheckModel(t.Context(), m); err != nil {
			t.Errorf("after %d kills: %v", j.Run, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if j.Run < 3 {
		t.Errorf("only %d kills", j.Run-1)
	}
	db, err := engine.Open(t.Context(), j.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ragtest.Check(t, db)
	c := ragtest.OpenIn(t, db)
	for graph, models := range spaceModels(t, c) {
		if slices.Contains(models, embedName) {
			t.Errorf("the graph %s has vectors of %s", graph, embedName)
		}
	}
	want := ragtest.OpenIn(t, newReference(t).db)
	indexRemote(t, j.corpus(want), methods.All(), j.Specs, ragtest.Docs(j.Seed, j.Docs)...)
	ragtest.Same(t, "canonical export", ragtest.Export(t, db, rag.CanonicalExport()), ragtest.Export(t, want.DB(), rag.CanonicalExport()))
}
