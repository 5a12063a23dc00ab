package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/eval"
)

// The figures of an index that lacks items must not pass for those of the method.
func TestEvalTellsFailedItems(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	a := newApp(nil, strings.NewReader(""), &stdout, &stderr)
	a.printEval(&eval.Report{Methods: []eval.Figure{
		{Name: "naive", Index: &eval.IndexCost{}}, {Name: "noderag", Index: &eval.IndexCost{Failed: 71}}, {Name: "recorded"},
	}}, 1)
	const want = "noderag: 71 items of its index failed, and its figures lack them; with --db ragdb status says why\n"
	if got := stderr.String(); !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("it says %q, want %q", got, want)
	}
}
