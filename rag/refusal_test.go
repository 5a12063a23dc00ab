package rag_test

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/ragtest"
)

// twoFiles are the files of README.md, with headings.
var twoFiles = map[string]string{
	"ferry.md": "# The ferry\n\nThe ferry to Skarholm leaves Karrow at six in the morning.\nIt carries forty people and the mail.\n",
	"pump.md": "# The pump\n\nModel B has a warranty of two years from delivery.\nThe pump was designed by Ada Kestrel.\n\n" +
		"## Care {#care}\n\nThe filter is cleaned every month.\n",
}

// TestRefusals: what the documents do not say is refused, and the nearest
// passages are named; what they say is answered, with the heading above the
// sentence.
func TestRefusals(t *testing.T) {
	c := ragtest.Open(t)
	ragtest.Index(t, c, "naive", twoFiles)
	for question, want := range map[string]string{
		"How long is the warranty on model B?": "Model B has a warranty of two years from delivery. [1]",
		"How long is the warranty on model C?": "",
		"What is the price of model B?":        "",
		"Who designed the ferry?":              "",
		"Who designed the pump?":               "The pump was designed by Ada Kestrel. [1]",
		// Two sentences of a source have one mark.
		"Does model B have a warranty of two years?": "Model B has a warranty of two years from delivery. The pump was designed by Ada Kestrel. [1]",
	} {
		a := ragtest.Ask(t, c, "naive", question)
		if a.Text != want || a.Answered != (want != "") || a.Supported != nil {
			t.Errorf("%q: %q, want %q", question, a.Text, want)
		}
		if a.Answered {
			if len(a.Nearest) > 0 || a.Refusal != "" || len(a.Sources) != 1 {
				t.Errorf("%q: %+v", question, a)
			}
			continue
		}
		if len(a.Nearest) != 3 || a.Refusal == "" || len(a.Sources) > 0 || a.Trace == "" {
			t.Fatalf("%q: %+v", question, a)
		}
		for _, p := range a.Nearest {
			if p.Doc != "pump.md" && p.Doc != "ferry.md" || p.Bytes[1] <= p.Bytes[0] || p.Text == "" {
				t.Errorf("%q: %+v", question, p)
			}
		}
		kept, err := c.Trace(t.Context(), a.Trace)
		if err != nil || kept.Text != "" || kept.Answered || len(kept.Nearest) != 3 || kept.Nearest[0].Text != "" {
			t.Errorf("%q: trace %+v, %v", question, kept, err)
		}
	}
	a := ragtest.Ask(t, c, "naive", "How often is the filter cleaned?")
	if len(a.Sources) != 1 || a.Sources[0].Heading != "Care" || !strings.HasPrefix(a.Sources[0].Quote, "The filter") ||
		a.Sources[0].Sentence[1]-a.Sources[0].Sentence[0] != int64(len("The filter is cleaned every month.")) {
		t.Errorf("%q: %+v", a.Text, a.Sources)
	}
}

// TestSupported: the rules' judgement of a model's answer is a hint, and
// changes nothing else.
func TestSupported(t *testing.T) {
	c := ragtest.Open(t)
	model := ragtest.NewModel(t, c).On(llm.Answer, func(llm.Task) (any, error) { return "It is so. [1]", nil })
	c = ragtest.Use(c, model, ragtest.Embedder{})
	ragtest.Index(t, c, "naive", twoFiles)
	for question, want := range map[string]bool{
		"How long is the warranty on model B?": true,
		"How long is the warranty on model C?": false,
		"Who designed the ferry?":              false,
	} {
		a := ragtest.Ask(t, c, "naive", question)
		if !a.Answered || a.Text != "It is so. [1]" || len(a.Nearest) > 0 || a.Supported == nil || *a.Supported != want {
			t.Errorf("%q: %+v", question, a)
		}
	}
}
