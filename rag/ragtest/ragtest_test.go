package ragtest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/ragtest"
)

var docs = map[string]string{
	"pump.md":  "# The pump\n\nModel B has a warranty of two years from delivery.\n",
	"ferry.md": "# The ferry\n\nThe ferry to Skarholm leaves Karrow at six in the morning.\n",
}

// TestScript asks with a scripted answer and a scripted failure.
func TestScript(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t)
	model := ragtest.NewModel(t, c).On(llm.Answer, func(task llm.Task) (any, error) {
		in := task.Input.(llm.AnswerInput)
		if !strings.Contains(in.Evidence[0].Text, "two years") {
			t.Errorf("the first evidence is %q", in.Evidence[0].Text)
		}
		return "It is two years [1].", nil
	})
	c = ragtest.Use(c, model, ragtest.Embedder{})
	if r := ragtest.Index(t, c, "naive", docs); r.Added != 2 {
		t.Errorf("added %d documents", r.Added)
	}
	a := ragtest.Ask(t, c, "naive", "How long is the warranty on Model B?")
	if a.Text != "It is two years [1]." || len(a.Sources) != 1 || a.Sources[0].Doc != "pump.md" {
		t.Errorf("answer %q from %+v", a.Text, a.Sources)
	}
	if n := len(model.Asked(llm.Answer)); n != 1 {
		t.Errorf("asked %d times", n)
	}

	broken := errors.New("the model is out")
	model.On(llm.Answer, func(llm.Task) (any, error) { return nil, broken })
	m, err := c.Options().Models(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Ask(t.Context(), ragtest.System(t, c, "naive"), m, method.Question{Text: "When does the ferry leave?"})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// TestRules indexes by a method that reads entities, with its replies scripted
// for one kind and made by rules for the others.
func TestRules(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t)
	model := ragtest.NewModel(t, c).On(llm.Extract, func(llm.Task) (any, error) {
		return llm.Extraction{
			Entities:  []llm.Entity{{Name: "Model B"}, {Name: "Karrow"}},
			Relations: []llm.Relation{{Source: "Model B", Target: "Karrow", Description: "is made in", Strength: 1}},
		}, nil
	})
	c = ragtest.Use(c, model, ragtest.Embedder{Dim: 32})
	r := ragtest.Index(t, c, "ketrag:beta=1", docs)
	if asked := len(model.Asked(llm.Extract)); asked != 2 {
		t.Errorf("asked to extract %d times", asked)
	}
	if r.Usage.Calls == 0 {
		t.Error("no calls were counted")
	}
}

// TestEmbedder holds that shared words make texts near.
func TestEmbedder(t *testing.T) {
	t.Parallel()
	v, usage, err := ragtest.Embedder{Dim: 128}.Embed(t.Context(), []string{"the red pump", "a red pump", "ferry timetable", "..."})
	if err != nil || usage.Calls != 1 || v[3] != nil {
		t.Fatal(v, usage, err)
	}
	dot := func(a, b []float32) (sum float32) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near <= far {
		t.Errorf("texts with shared words score %v, without %v", near, far)
	}
}
