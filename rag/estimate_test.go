package rag_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/methods"
	"github.com/ragdb/ragdb/rag/prompts"
)

// What the models of the tests cost.
var (
	chatPrice  = cost.Price{In: 1, Out: 4}
	embedPrice = cost.Price{In: .1}
)

// estimate counts what indexing files would cost a corpus. The corpus is of no
// use afterwards.
func estimate(t *testing.T, c *rag.Corpus, spec string, files fstest.MapFS) *cost.Estimate {
	t.Helper()
	return estimateFitted(t, c, spec, files, nil)
}

// estimateFitted is estimate for a model whose context fits tells.
func estimateFitted(t *testing.T, c *rag.Corpus, spec string, files fstest.MapFS, fits func(context.Context, llm.Task) (int, error)) *cost.Estimate {
	t.Helper()
	all := methods.All()
	systems, err := openSystems(t.Context(), c, all, spec)
	if err != nil {
		t.Fatal(err)
	}
	set, err := prompts.Default()
	if err != nil {
		t.Fatal(err)
	}
	c = c.With(rag.Options{NoWords: true})
	x := rag.Indexer{Corpus: c, Methods: all, Systems: systems}
	e, err := x.Estimate(t.Context(), []rag.Input{{FS: files, Root: "."}}, cost.EstimateOptions{
		Chat: chatName, Space: llm.SpaceInfo{Model: embedName, Dim: ragtest.Dim}, Fill: set.Fill, Fits: fits,
		Prices: cost.Prices{chatName: chatPrice, embedName: embedPrice},
	})
	if err != nil && (fits == nil || !errors.Is(err, rag.ErrPartial)) {
		t.Fatal(err)
	}
	return e
}

// stage returns what an estimate says of a stage, by the beginning of its name.
func stage(t *testing.T, e *cost.Estimate, name string) (sum cost.EstimatedStage) {
	t.Helper()
	for _, s := range e.Stages {
		if strings.HasPrefix(s.Stage, name) {
			sum.Calls, sum.InTokens, sum.OutTokens = sum.Calls+s.Calls, sum.InTokens+s.InTokens, sum.OutTokens+s.OutTokens
		}
	}
	if sum.Calls == 0 {
		t.Fatalf("there is no stage %s in %+v", name, e.Stages)
	}
	return sum
}

// off returns by how much a differs from b, as a part of b.
func off(a, b int) float64 { return math.Abs(float64(a)-float64(b)) / float64(b) }

// prose returns long documents: what is said once in a document costs little
// beside its text.
func prose(seed uint64, n, parts int) fstest.MapFS {
	files := fstest.MapFS{}
	docs := ragtest.Docs(seed, n*parts)
	for i := range n {
		var b strings.Builder
		for _, d := range docs[i*parts : (i+1)*parts] {
			_, body, _ := strings.Cut(d.Text, "\n\n# ")
			_, body, _ = strings.Cut(body, "\n\n")
			b.WriteString(body)
		}
		files[fmt.Sprintf("%03d.md", i)] = &fstest.MapFile{Data: []byte(b.String())}
	}
	return files
}

// TestEstimateOfBeta holds the estimates of smaller cores against that of the
// whole corpus: what extraction reads is beta times as much. That is so where
// documents are long and chunks of one size: of several chunks of a short one
// the core has some, and what a prompt says beside them is read for each
// document.
func TestEstimateOfBeta(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name  string
		files func(t *testing.T) fstest.MapFS
	}{
		{"generated", func(*testing.T) fstest.MapFS { return prose(91, 1, 240) }},
		{"musique", musique},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			files := x.files(t)
			whole := stage(t, estimate(t, ragtest.OpenIn(t, newReference(t).db), "ketrag:profile=paper,beta=1", files), "extract")
			for _, beta := range []float64{.8, .4} {
				e := stage(t, estimate(t, ragtest.OpenIn(t, newReference(t).db), fmt.Sprintf("ketrag:profile=paper,beta=%v", beta), files), "extract")
				want := int(math.Round(beta * float64(whole.InTokens)))
				t.Logf("beta %v: %d calls, %d tokens; %v times all %d is %d: %.2f %% off; calls %.2f %% off", beta, e.Calls, e.InTokens,
					beta, whole.InTokens, want, 100*off(e.InTokens, want), 100*off(e.Calls, int(beta*float64(whole.Calls))))
				if off(e.InTokens, want) > .02 {
					t.Errorf("beta %v: %d tokens, want %d", beta, e.InTokens, want)
				}
			}
		})
	}
}

// musique returns the passages of a data set as the one document that the
// paper's method reads: all of them with -long, else the first.
func musique(t *testing.T) fstest.MapFS {
	var b strings.Builder
	for i, p := range evaldata.Lines[struct{ Text string }](t, "ketrag_musique/corpus.jsonl.gz") {
		if !*long && i == 600 {
			break
		}
		b.WriteString(p.Text + "\n")
	}
	return fstest.MapFS{"document.txt": &fstest.MapFile{Data: []byte(b.String())}}
}

// ruled is a server's model that answers by the rules that estimates are made
// with, so that a run comes to what its estimate was of.
type ruled struct {
	mu    sync.Mutex
	tasks map[string]llm.Task // by prompt
	rules llm.Provider
}

func promptOf(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Content + "\x00")
	}
	return b.String()
}

func (r *ruled) answer(c llmtest.Chat) (string, bool) {
	r.mu.Lock()
	task, ok := r.tasks[promptOf(c.Messages)]
	rules := r.rules
	r.mu.Unlock()
	if !ok {
		return "", false
	}
	reply, _, err := rules.Do(context.Background(), task)
	return reply.Text, err == nil
}

// noting notes the tasks that are asked, for the server's model.
type noting struct {
	llm.Provider
	r *ruled
}

// Do implements [llm.Provider].
func (p noting) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	p.r.mu.Lock()
	p.r.tasks[promptOf(t.Prompt)] = t
	p.r.mu.Unlock()
	return p.Provider.Do(ctx, t)
}

// ruledCorpora returns a server whose model answers by the rules, and what makes
// corpora that use it by a method, with some documents.
func ruledCorpora(t *testing.T, spec string, o llmtest.Options, far endpoint) (*modelServer, func(docs ...ragtest.Doc) *rag.Corpus) {
	r := &ruled{tasks: map[string]llm.Task{}}
	o.Answer, o.NoUsage = r.answer, true
	s := newModelServer(t, o)
	far.URL = s.URL
	open := func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		m, err := far.open(ctx, c)
		if err != nil {
			return nil, err
		}
		rules, err := c.Rules(ctx)
		r.mu.Lock()
		r.rules = rules
		r.mu.Unlock()
		return ragtest.Provide(m, noting{m.Provider(), r}), err
	}
	return s, func(docs ...ragtest.Doc) *rag.Corpus {
		c := ragtest.OpenIn(t, newReference(t).db)
		c = c.With(rag.Options{Models: open, NoWords: true})
		if docs != nil {
			indexRemote(t, c, methods.All(), []string{spec}, docs...)
		}
		return c
	}
}

// TestEstimateOfContext holds an estimate against the run that it is of if prompts have
// to be divided, because the context is given or the server tells a short one.
func TestEstimateOfContext(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		spec   string
		far    endpoint
		server llmtest.Options
	}{
		"given":           {methods.Default, endpoint{Context: 1600}, llmtest.Options{}},
		"learnt":          {methods.Default, endpoint{LearnContext: true}, llmtest.Options{Models: []string{chatName, embedName}, ContextLength: 1600}},
		"another method":  {"archrag", endpoint{Context: 1400}, llmtest.Options{}},
		"long enough":     {methods.Default, endpoint{Context: 100_000}, llmtest.Options{}},
		"not even a line": {methods.Default + ":describe=always", endpoint{Context: 300}, llmtest.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, corpus := ruledCorpora(t, x.spec, x.server, x.far)
			var docs []ragtest.Doc // of more than a chunk each
			for name, file := range prose(93, 4, 8) {
				docs = append(docs, ragtest.Doc{Key: name, Text: string(file.Data)})
			}
			x.far.URL = s.URL
			c := corpus()
			chat, _, err := x.far.models(c)
			if err != nil {
				t.Fatal(err)
			}
			whole := estimate(t, corpus(), x.spec, ragtest.Files(docs...))
			e := estimateFitted(t, corpus(), x.spec, ragtest.Files(docs...), chat.Fits)
			s.clear()
			r := indexRemote(t, c, methods.All(), []string{x.spec}, docs...)
			got := s.counted(t, c.Tokens().Count)
			chats := 0 // which texts share a request of the embedder is up to time
			for _, u := range r.Spent {
				if u.Model == chatName {
					chats += u.Calls
				}
			}
			t.Logf("estimate %d calls, %d tokens read, without the context %d and %d; run %d calls, %d tokens, %d failed", chatsOf(e), e.InTokens, chatsOf(whole), whole.InTokens, chats, got.in, r.Failed)
			if d := chatsOf(e) - chats; d < -4 || d > 4 {
				t.Errorf("%d calls, the run makes %d", chatsOf(e), chats)
			}
			if d := off(e.InTokens, got.in); d > .05 {
				t.Errorf("%.1f %% off in tokens read", 100*d)
			}
			if name == "long enough" {
				if chatsOf(e) != chatsOf(whole) {
					t.Errorf("%d calls, %d if the context is not known", chatsOf(e), chatsOf(whole))
				}
				return
			}
			if d := chatsOf(whole) - chats; -10 < d && d < 10 {
				t.Errorf("the context makes no difference: the run makes %d calls", chats)
			}
		})
	}
}

// TestEstimateOfRun holds an estimate against the run that it is of, as the
// server counts it: calls, and tokens by the same tokenizer.
func TestEstimateOfRun(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{methods.Default, "naive", "noderag:profile=paper"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			s, corpus := ruledCorpora(t, spec, llmtest.Options{}, endpoint{})
			docs := ragtest.Docs(92, 160)
			if strings.HasPrefix(spec, "noderag") { // its own task for each chunk
				docs = docs[:40]
			}
			for _, x := range []struct {
				name  string
				there []ragtest.Doc
			}{{"new", nil}, {"half is there", docs[:len(docs)/2]}} {
				e := estimate(t, corpus(x.there...), spec, ragtest.Files(docs...))
				c := corpus(x.there...)
				s.clear()
				indexRemote(t, c, methods.All(), []string{spec}, docs...)
				got := s.counted(t, c.Tokens().Count)
				t.Logf("%s: estimate %d calls, %d tokens read, %d written; run %+v", x.name, callsOf(e), e.InTokens, e.OutTokens, got)
				// Whatever is read of documents is known. What comes of it is
				// as good as the rules are like the model; where a part of the
				// corpus is there, its core may change in another way. Which texts
				// of the run share a request is up to time.
				most, requests, embedded := .05, 4.0, .4
				if x.there != nil {
					most = .15
				}
				if strings.HasPrefix(spec, "noderag") {
					// Its stages embed little at a time: some twenty of a hundred
					// requests more or fewer, and a text in two requests at once.
					requests, embedded = 30, 1
				}
				if d := off(callsOf(e), got.calls); d > most && math.Abs(float64(callsOf(e)-got.calls)) > requests {
					t.Errorf("%s: %.1f %% off in calls", x.name, 100*d)
				}
				if d := off(e.InTokens, got.in); d > most {
					t.Errorf("%s: %.1f %% off in tokens read", x.name, 100*d)
				}
				if d := off(embedTokens(e), got.embedded); d > most*embedded {
					t.Errorf("%s: %d tokens embedded, estimate %d", x.name, got.embedded, embedTokens(e))
				}
				usd := (float64(got.in-got.embedded)*chatPrice.In + float64(got.out)*chatPrice.Out + float64(got.embedded)*embedPrice.In) / 1e6
				if r := *e.USDRange; usd < r[0] || usd > r[1] {
					t.Errorf("%s: it cost %v, estimate %v", x.name, usd, r)
				}
				if e.Documents != len(docs) || e.Added != len(docs)-len(x.there) || (e.CachedChunks > 0) != (x.there != nil) {
					t.Errorf("%s: %+v", x.name, e)
				}
			}
		})
	}
}

// TestEstimateTwice: an estimate is the same each time, requests for vectors included.
func TestEstimateTwice(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{methods.Default, "archrag", "noderag:profile=paper"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			_, corpus := ruledCorpora(t, spec, llmtest.Options{}, endpoint{})
			docs := ragtest.Docs(94, 24)
			timeless := func() *cost.Estimate {
				e := estimate(t, corpus(), spec, ragtest.Files(docs...))
				for _, s := range e.Stages {
					if s.Whole != nil {
						s.Whole.CPUSeconds = 0 // what it took on this machine
					}
				}
				return e
			}
			want := timeless()
			for range 3 {
				if got := timeless(); !reflect.DeepEqual(got, want) {
					t.Fatalf("%+v, at first %+v", got, want)
				}
			}
		})
	}
}

func callsOf(e *cost.Estimate) (n int) {
	for _, s := range e.Stages {
		n += s.Calls
	}
	return n
}

func chatsOf(e *cost.Estimate) (n int) {
	for _, s := range e.Stages {
		if s.Model == chatName {
			n += s.Calls
		}
	}
	return n
}

func embedTokens(e *cost.Estimate) (n int) {
	for _, s := range e.Stages {
		if s.Model == embedName {
			n += s.InTokens
		}
	}
	return n
}
