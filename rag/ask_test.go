package rag_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// checkCitations holds an answer's sources against the stored documents.
func checkCitations(t *testing.T, c *ragtest.Corpus, a *rag.Answer) {
	t.Helper()
	var order []int
	for _, m := range regexp.MustCompile(`\[(\d+)\]`).FindAllStringSubmatch(a.Text, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		if n < 1 || n > len(a.Sources) {
			t.Errorf("%q: [%d] names none of %d sources", a.Text, n, len(a.Sources))
		}
		if !slices.Contains(order, n) {
			order = append(order, n)
		}
	}
	if !slices.Equal(order, upTo(len(a.Sources) + 1)[1:]) {
		t.Errorf("%q: the markers appear in the order %v of %d sources", a.Text, order, len(a.Sources))
	}
	err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		v := s.Graph(c.Base())
		seen := map[string]bool{}
		for i, src := range a.Sources {
			if src.N != i+1 || seen[src.Chunk] || method.DocOf(src.Chunk) != src.Doc {
				t.Errorf("%q: source %+v at %d", a.Text, src, i+1)
			}
			seen[src.Chunk] = true
			d, err := c.Document(v, src.Doc)
			if err != nil {
				return err
			}
			full, err := v.Text(d.ID, "_text")
			if err != nil {
				return err
			}
			part := strings.Join(strings.Fields(full[src.Bytes[0]:src.Bytes[1]]), " ")
			quote := strings.TrimSuffix(src.Quote, " …")
			if quote == "" || !strings.Contains(part, quote) {
				t.Errorf("%q: %s has at %v no %q", a.Text, src.Doc, src.Bytes, src.Quote)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAsk asks about each document by each method.
func TestAsk(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(41, 16)
	for _, spec := range []string{"ketrag", "naive", "bm25"} {
		c.Index(t, spec, docs...)
		m, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
		if err != nil {
			t.Fatal(err)
		}
		sys := c.System(t, spec)
		right := 0
		for _, d := range docs {
			a, err := c.Ask(t.Context(), sys, m, method.Question{Text: fmt.Sprintf("Who knew the %sium of %s?", d.Code, d.Place)})
			if err != nil {
				t.Fatal(err)
			}
			if !a.Answered || len(a.Sources) == 0 {
				t.Errorf("%s: %s: no answer", spec, a.Question)
				continue
			}
			if a.Sources[0].Doc == d.Key {
				right++
			}
			if a.Trace == "" || a.Usage.Calls != 1 {
				t.Errorf("%s: trace %q, usage %+v", spec, a.Trace, a.Usage)
			}
			checkCitations(t, c, a)
		}
		if right < len(docs)-2 {
			t.Errorf("%s: %d of %d answers cite the right document", spec, right, len(docs))
		}
		a, err := c.Ask(t.Context(), sys, m, method.Question{Text: "Wherefore glorp zibble quuxes?"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Answered || a.Text != "" || len(a.Sources) > 0 {
			t.Errorf("%s: what nothing speaks of is answered: %q %+v", spec, a.Text, a.Sources)
		}
	}
}

// saying is a provider that answers as told.
type saying struct {
	llm.Provider
	text string
}

// Can implements [llm.Provider], for a chat model.
func (*saying) Can(k llm.Kind) bool { return k.Known() }

// Do implements [llm.Provider].
func (p *saying) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	if t.Kind == llm.Answer {
		return llm.Reply{Text: p.text}, llm.Usage{Calls: 1}, nil
	}
	return p.Provider.Do(ctx, t)
}

// Name implements [llm.Provider].
func (p *saying) Name() string { return "saying/" + p.text }

// TestMarkers says what becomes of the markers of a reply.
func TestMarkers(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	docs := ragtest.Docs(42, 12)
	c.Index(t, "naive", docs...)
	m, err := ragtest.Fixed(t.Context(), c.Corpus)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, reply, want string
		dropped           int
	}{
		{"in order", "One [1]. Two [2].", "One [1]. Two [2].", 0},
		{"numbered by appearance", "One [5]. Two [2]. Three [5].", "One [1]. Two [2]. Three [1].", 0},
		{"a list", "One [3, 1].", "One [1][2].", 0},
		{"unknown", "One [99]. Two [0]. Three [2].", "One . Two . Three [1].", 2},
		{"unknown in a list", "One [4,99].", "One [1].", 1},
		{"too great a number", "One [99999999999999999999].", "One .", 1},
		{"no marker", "One [a] [] [ 1].", "One [a] [] [ 1].", 0},
		{"none", "One.", "One.", 0},
		{"adjacent", "One [2][1].", "One [1][2].", 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := &saying{m.Provider(), x.reply}
			models := c.Corpus.NewModels(rag.Parts{Provider: p, Documents: m.Documents(), Questions: m.Questions()})
			a, err := c.Ask(t.Context(), c.System(t, "naive"), models, method.Question{Text: "Who knew " + docs[3].Hero + "?"})
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Evidence.Items()) < 5 {
				t.Fatalf("%d items of evidence", len(a.Evidence.Items()))
			}
			if !a.Answered || a.Text != x.want || a.Dropped != x.dropped {
				t.Errorf("%q with %d dropped, want %q with %d", a.Text, a.Dropped, x.want, x.dropped)
			}
			if x.name == "no marker" {
				return
			}
			checkCitations(t, c, a)
		})
	}
}

// TestPaidAnswer says that the same answer is paid once, and forgotten with
// any document that it was made from.
func TestPaidAnswer(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(43, 16)
	var log strings.Builder
	c.Use(paid(&log))
	c.Index(t, "naive", docs...)
	m := c.OpenModels(t)
	ask := func() *rag.Answer {
		t.Helper()
		a, err := c.Ask(t.Context(), c.System(t, "naive"), m, method.Question{Text: "Who knew " + docs[3].Hero + "?", Budget: 400})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	calls := func() int { return strings.Count(log.String(), "\n") }
	first := ask()
	if calls() != 1 || first.Usage.Calls != 1 {
		t.Fatalf("%d calls, usage %+v", calls(), first.Usage)
	}
	if again := ask(); calls() != 1 || again.Text != first.Text || again.Usage.Calls != 0 {
		t.Errorf("again: %d calls, usage %+v, %q", calls(), again.Usage, again.Text)
	}
	var other string
	for _, it := range first.Evidence.Items() {
		if d := method.DocOf(it.Chunks[0]); d != docs[3].Key {
			other = d
		}
	}
	if other == "" {
		t.Fatal("the evidence is of one document")
	}
	if len(replies(t, c.DB())) != 1 {
		t.Fatal("the reply is not kept")
	}
	c.Remove(t, other)
	if len(replies(t, c.DB())) != 0 {
		t.Error("the reply outlives a document that it was made from")
	}
}

// TestAskedAtOnce says that a task which several ask at once is paid once.
func TestAskedAtOnce(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	var log strings.Builder
	c.Use(paid(&log))
	m := c.OpenModels(t)
	slow := &slowly{Provider: m.Provider(), start: make(chan struct{}), release: make(chan struct{})}
	m = ragtest.Provide(m, slow)
	task := llm.Task{Kind: llm.Keywords, Input: llm.QuestionInput{Question: "Where is Karrow?"}}
	done := make(chan error)
	for i := range 8 {
		go func() {
			_, err := m.Do(t.Context(), fmt.Sprint(i), []string{"d"}, task)
			done <- err
		}()
	}
	<-slow.start
	// One that gives up does not wait for the reply.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Do(ctx, "x", []string{"d"}, task); err == nil {
		t.Error("a cancelled call has a reply")
	}
	close(slow.release)
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("paid %d times", n)
	}
}

// slowly is a provider whose reply waits.
type slowly struct {
	llm.Provider
	start, release chan struct{}
}

// Can implements [llm.Provider], for a chat model.
func (*slowly) Can(k llm.Kind) bool { return k.Known() }

// Do implements [llm.Provider].
func (p *slowly) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	close(p.start)
	<-p.release
	return p.Provider.Do(ctx, t)
}

// TestCiteKinds cites every item of a context, rows of tables too: what is
// quoted stands in the document where the source says.
func TestCiteKinds(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	docs := ragtest.Docs(44, 12)
	c.Index(t, "ketrag", docs...)
	m, err := ragtest.Fixed(t.Context(), c.Corpus)
	if err != nil {
		t.Fatal(err)
	}
	q := method.Question{Text: "Who knew " + docs[3].Hero + " of " + docs[3].Place + "?", Budget: 4000}
	ev, err := c.Retrieve(t.Context(), c.System(t, "ketrag"), m, q)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	var reply strings.Builder
	for i, it := range ev.Items() {
		kinds[it.Kind]++
		words := strings.Fields(strings.ReplaceAll(it.Text, "|", " "))
		fmt.Fprintf(&reply, "Of %s [%d]. ", strings.Join(words[len(words)/2:], " "), i+1)
	}
	for _, k := range []string{"entity", "relation", "chunk"} {
		if kinds[k] == 0 {
			t.Errorf("the context has no %s: %v", k, kinds)
		}
	}
	a, err := c.Ask(t.Context(), c.System(t, "ketrag"), c.Corpus.NewModels(rag.Parts{Provider: &saying{m.Provider(), reply.String()}, Documents: m.Documents(), Questions: m.Questions()}), q)
	if err != nil {
		t.Fatal(err)
	}
	if a.Dropped > 0 || len(a.Sources) == 0 {
		t.Errorf("%d markers dropped, %d sources", a.Dropped, len(a.Sources))
	}
	checkCitations(t, c, a)
}
