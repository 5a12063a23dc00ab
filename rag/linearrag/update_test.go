package linearrag_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/linearrag"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
)

func open(t testing.TB) *ragtest.Corpus {
	t.Helper()
	c := ragtest.Open(t, method.Methods{linearrag.Name: linearrag.Open}, rag.Encodings()...)
	c.Use(ragtest.Fixed)
	return c
}

// index indexes documents with so many workers.
func index(t testing.TB, c *ragtest.Corpus, workers int, docs ...ragtest.Doc) {
	t.Helper()
	x := rag.Indexer{
		Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, "linearrag")}, Options: rag.IndexOptions{Workers: workers},
	}
	if _, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(docs...)}}); err != nil {
		t.Fatal(err)
	}
}

// TestAddAndRemove says that documents which come and go again leave nothing, and that
// documents which come one by one make what they make at once: the canonical exports
// are equal to the byte.
func TestAddAndRemove(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(23, 12)
	var stay, gone []ragtest.Doc
	for i, d := range docs {
		if i%3 == 1 {
			gone = append(gone, d)
		} else {
			stay = append(stay, d)
		}
	}
	want := open(t)
	want.Index(t, "linearrag", stay...)
	other := open(t)
	for _, d := range docs {
		other.Index(t, "linearrag", d)
	}
	for _, d := range gone {
		other.Remove(t, d.Key)
	}
	ragtest.Same(t, "one by one, some removed", other.Canonical(t), want.Canonical(t))
	other.Index(t, "linearrag")
	ragtest.Same(t, "after another run", other.Canonical(t), want.Canonical(t))
	ragtest.Check(t, other.DB())
}

// TestWorkers says that the database, with the vectors of words and all marks, does not
// depend on how many workers made it.
func TestWorkers(t *testing.T) {
	t.Parallel()
	var all [2]string
	for i, workers := range []int{1, 5} {
		c := open(t)
		c.Use(func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
			return c.OpenLocal(ctx, true, rag.Parts{})
		})
		index(t, c, workers, ragtest.Docs(24, 12)...)
		all[i] = ragtest.Export(t, c.DB(), engine.ExportOptions{
			Canonical: true,
			Bucket: func(_, bucket string) bool {
				// Runs have times; the others hold for one database alone.
				return bucket != "runs" && bucket != "frontiers" && bucket != "idle"
			},
		})
	}
	ragtest.Same(t, "five workers", all[1], all[0])
}

// TestDocumentCostsItsOwn says that a document which comes has its own chunks read, its
// sentences embedded, and the names that no other document has.
func TestDocumentCostsItsOwn(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Index(t, "linearrag", ragtest.Docs(25, 8)...)
	r := c.Index(t, "linearrag", ragtest.Doc{Key: "new.txt", Text: "Wilma Quist met Otto Brandt in Karrow. Wilma Quist left."})
	done := map[string]int{}
	for _, s := range r.Stages {
		done[s.Stage] = s.Done
	}
	if done["names"] != 1 || done["embed sentences"] != 1 || done["embed name"] < 1 || done["embed name"] > 3 {
		t.Errorf("one document: %v", done)
	}
	r = c.Index(t, "linearrag")
	for _, s := range r.Stages {
		if s.Done > 0 {
			t.Errorf("without news %d items of %s are done", s.Done, s.Stage)
		}
	}
}

// hops are documents in which a question about a harbour, whose keeper only one of them
// names, is answered by another one.
func hops() []ragtest.Doc {
	docs := []ragtest.Doc{
		{Key: "harbour.txt", Text: "The harbour of Karrow is kept by Ines Tolland."},
		{Key: "answer.txt", Text: "Ines Tolland plays the cello at night."},
	}
	for i := range 12 {
		docs = append(docs, ragtest.Doc{Key: fmt.Sprintf("other%d.txt", i), Text: fmt.Sprintf("Number %d is kept behind the harbour wall at night.", i)})
	}
	return docs
}

const hopQuestion = "Who keeps the harbour of Karrow?"

func place(ev *rag.Evidence, doc string) int {
	return slices.IndexFunc(ev.Items(), func(it rag.Cited) bool { return method.DocOf(it.Keys[0]) == doc })
}

// TestTwoHops finds a document that shares no name with the question, says why, and
// finds it only while the document between may be seen.
func TestTwoHops(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Index(t, "linearrag", hops()...)
	const spec = "linearrag:threshold=0.1"
	ev := c.Evidence(t, spec, method.Question{Text: hopQuestion})
	if place(ev, "harbour.txt") != 0 || place(ev, "answer.txt") != 1 {
		t.Fatalf("harbour has place %d, the answer %d", place(ev, "harbour.txt"), place(ev, "answer.txt"))
	}
	over := false
	for _, step := range ev.Items()[1].Why {
		if step.Op == "neighbour" && step.From.Graph == c.System(t, spec).Graph().ID() {
			over = true
		}
	}
	if !over {
		t.Errorf("the answer is there because of %+v", ev.Items()[1].Why)
	}
	if ev := c.Evidence(t, spec+",rounds=0", method.Question{Text: hopQuestion}); ev.Items()[1].Score >= ev.Items()[0].Score {
		t.Error("the harbour is not first without activation")
	}
	where, err := cypher.ParseWhere(`key <> "harbour.txt"`)
	if err != nil {
		t.Fatal(err)
	}
	ev = c.Evidence(t, spec, method.Question{Text: hopQuestion, Where: where})
	if place(ev, "harbour.txt") >= 0 {
		t.Error("a refused document is found")
	}
	if place(ev, "answer.txt") == 0 {
		t.Error("a refused document leads to another one")
	}
	without := c.Evidence(t, spec+",rounds=0", method.Question{Text: hopQuestion, Where: where})
	at, before := place(ev, "answer.txt"), place(without, "answer.txt")
	if got, want := ev.Items()[at].Score, without.Items()[before].Score; got != want {
		t.Errorf("the answer scores %v, and %v without activation: the refused document leads to it", got, want)
	}
}

// TestNoNames says that a question without names has the chunks that are most like it.
func TestNoNames(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Index(t, "linearrag", hops()...)
	ev := c.Evidence(t, "linearrag", method.Question{Text: "who plays the cello at night?"})
	if place(ev, "answer.txt") != 0 {
		t.Errorf("the answer has place %d", place(ev, "answer.txt"))
	}
	for _, op := range ev.Trace.Ops {
		if op.Op == "PPR" {
			t.Error("there is a walk")
		}
	}
}

// TestNoModelIsAsked indexes and asks without any model that answers.
func TestNoModelIsAsked(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.NewModels(rag.Parts{Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}}), nil
	})
	c.Index(t, "linearrag", hops()...)
	if ev := c.Evidence(t, "linearrag", method.Question{Text: hopQuestion}); place(ev, "harbour.txt") != 0 {
		t.Error("the harbour is not found")
	}
}

// counting is an embedder that counts the tokens that it is given.
type counting struct {
	ragtest.Hashes
	tokens func(string) int
}

func (p counting) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	out, u, err := p.Hashes.Embed(ctx, texts)
	for _, s := range texts {
		u.InTokens += p.tokens(s)
	}
	return out, u, err
}

// TestEstimate says that an estimate counts the tokens that a run then pays for, and no
// call of a chat model.
func TestEstimate(t *testing.T) {
	t.Parallel()
	in := []rag.Input{{FS: ragtest.Files(ragtest.Docs(26, 7)...)}}
	indexer := func() *rag.Indexer {
		c := open(t)
		c.Learn(false)
		c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
			e := counting{tokens: c.Tokens().Count}
			return c.NewModels(rag.Parts{Provider: local.New(local.Options{}), Documents: e, Questions: e}), nil
		})
		return &rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, "linearrag")}}
	}
	e, err := indexer().Estimate(t.Context(), in, cost.EstimateOptions{Chat: "chat", Space: ragtest.Hashes{}.Space()})
	if err != nil {
		t.Fatal(err)
	}
	estimated, paid := 0, 0
	for _, s := range e.Stages {
		estimated += s.InTokens
		if s.Model == "chat" {
			t.Errorf("%s asks the chat model %d times", s.Stage, s.Calls)
		}
	}
	r, err := indexer().Run(t.Context(), in) // an estimate leaves a corpus of no use
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Spent {
		paid += s.InTokens
	}
	if paid != estimated || paid == 0 {
		t.Errorf("%d tokens are paid, estimated were %d", paid, estimated)
	}
}
