package main

import (
	"testing"

	"github.com/ragdb/ragdb/rag/cost"
)

// TestWholeStages: the line names the stages, the most that one reads, and what all take.
func TestWholeStages(t *testing.T) {
	var w wholeStages
	check := func(want string) {
		t.Helper()
		if got := w.line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	w.add("extract", nil)
	check("")
	w.add("core", &cost.Whole{Nodes: 1, CPUSeconds: 0.034})
	check("core looks at the whole graph when documents come or go: up to 1 node, 0.03 s of CPU when last measured")
	w.add("near", &cost.Whole{Nodes: 1200, Edges: 30, CPUSeconds: 13})
	w.add("match", &cost.Whole{Nodes: 7, Edges: 4000, CPUSeconds: 1})
	check("core, near and match look at the whole graph when documents come or go: up to 1,200 nodes and 4,000 edges, 14 s of CPU when last measured")
}
