package methods_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestPlans writes down the operators, with their figures, by which the methods answer
// one question. A change of how a method retrieves changes testdata/plans.txt.
func TestPlans(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	docs := ragtest.Docs(77, 3)
	for _, spec := range []string{"noderag", "hirag", "ketrag", "archrag", "erarag", "linearrag"} {
		c.Index(t, spec, docs...)
	}
	m := c.OpenModels(t)
	var got strings.Builder
	for _, x := range []struct {
		spec   string
		budget int
	}{
		{"noderag", 2000}, {"noderag:order=paper,fill=on,quotas=shared", 12_000}, {"hirag", 2000}, {"hirag:order=paper,bridge=degree,fill=off", 60_000},
		{"ketrag", 12_000}, {"archrag", 2000}, {"archrag:relations=within,text=hits,descent=restart", 12_000}, {"erarag", 12_000}, {"linearrag", 12_000},
	} {
		plan, err := c.System(t, x.spec).Plan(t.Context(), m, method.Question{Text: "Who knew " + docs[1].Hero + "?", Budget: x.budget})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "== %s, %d tokens\n", x.spec, x.budget)
		if err := query.Explain(&got, plan.Op()); err != nil {
			t.Fatal(err)
		}
	}
	const golden = "testdata/plans.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	ragtest.Same(t, golden, got.String(), string(want))
}
