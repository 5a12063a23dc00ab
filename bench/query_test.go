package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestQuery runs the statements on a small graph: they must say what the plans
// in Go say.
func TestQuery(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	if err := run(t.Context(), []string{"query", "-texts", "40", "-rounds", "30", "-dir", t.TempDir()}, &out, &log); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"point match with one hop, p99", "two-hop count, over the plan in Go", "graph.ppr over 20 seeds, p99", "parse and plan, p50"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}
