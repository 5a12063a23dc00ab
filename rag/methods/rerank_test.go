package methods_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// shortFirst is a reranker that likes short texts.
type shortFirst struct {
	calls atomic.Int64
	slow  bool
}

func (r *shortFirst) Name() string { return "short-first" }

func (r *shortFirst) Rerank(ctx context.Context, _ string, passages []string) ([]float64, llm.Usage, error) {
	r.calls.Add(1)
	if r.slow {
		<-ctx.Done()
		return nil, llm.Usage{}, ctx.Err()
	}
	out := make([]float64, len(passages))
	for i, s := range passages {
		out[i] = -float64(len(s))
	}
	return out, llm.Usage{Calls: 1, InTokens: len(passages)}, nil
}

// TestRerankers has each method ask with a reranker: what is packed stands in the
// reranker's order, and nothing is lost that fits. A reranker that is too slow
// changes nothing.
func TestRerankers(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for i := range 12 {
		files[fmt.Sprintf("note%02d.txt", i)] = &fstest.MapFile{Data: []byte(fmt.Sprintf(
			"Ada Kestrel built mill number %d at Tarn. Bob Lark of Orsk paid for it%s.", i, strings.Repeat(" and again", (i*7)%12)))}
	}
	const question = "Who paid for the mill that Ada Kestrel built at Tarn?"
	for name := range methods.All() {
		if slices.Contains([]string{"zeroshot", "cot"}, name) { // they retrieve nothing
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := index(t, name, files, ".")
			retrieve := func(r llm.Reranker, within time.Duration) *rag.Evidence {
				t.Helper()
				ev, err := a.Retrieve(t.Context(), a.sys, a.models.With(rag.Parts{Reranker: r, RerankWithin: within}), method.Question{Text: question, Budget: 100_000})
				if err != nil {
					t.Fatal(err)
				}
				return ev
			}
			plain := retrieve(nil, 0)
			r := &shortFirst{}
			got := retrieve(r, 0)
			if r.calls.Load() == 0 && len(plain.Items()) > 0 && !strings.Contains(explained(t, plain.Plan), "Tables") {
				t.Fatal("the reranker was not asked")
			}
			if !strings.Contains(explained(t, got.Plan), "Rerank(model=short-first, top=50)") && r.calls.Load() > 0 {
				t.Errorf("the plan does not show it:\n%s", explained(t, got.Plan))
			}
			if a, b := refs(plain), refs(got); !slices.Equal(a, b) {
				t.Errorf("other items:\n%v\n%v", a, b)
			}
			for _, s := range got.Sections {
				reranked := 0
				for i, it := range s.Items {
					if !slices.ContainsFunc(it.Why, func(x query.Step) bool { return x.Op == "rerank" }) {
						break
					}
					if reranked++; i > 0 && len(s.Items[i-1].Text) > len(it.Text) && s.Items[i-1].Score != it.Score {
						t.Errorf("%s: %q stands before %q", s.Name, s.Items[i-1].Text, it.Text)
					}
				}
			}
			slow := retrieve(&shortFirst{slow: true}, time.Nanosecond)
			for i, s := range slow.Sections {
				for k, it := range s.Items {
					if w := plain.Sections[i].Items[k]; it.Ref() != w.Ref() || it.Text != w.Text {
						t.Fatalf("a slow reranker: %s %d is %q, was %q", s.Name, k, it.Text, w.Text)
					}
				}
			}
		})
	}
}

func explained(t *testing.T, p *method.Plan) string {
	t.Helper()
	var b strings.Builder
	if err := query.Explain(&b, p.Op()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// refs returns the names of the items of evidence, sorted.
func refs(ev *rag.Evidence) []string {
	var out []string
	for _, it := range ev.Items() {
		out = append(out, fmt.Sprint(it.Ref()))
	}
	slices.Sort(out)
	return out
}
