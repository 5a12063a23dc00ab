package noderag

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// insightful gives so many insights on whatever it is asked, and notes what that was.
type insightful struct {
	name  string
	gives int
	long  int // words of a description
	asked []llm.InsightsInput
}

func (p *insightful) Name() string        { return p.name }
func (p *insightful) Can(k llm.Kind) bool { return k == llm.Insights }
func (p *insightful) Do(_ context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	in := t.Input.(llm.InsightsInput)
	p.asked = append(p.asked, in)
	out := llm.InsightList{}
	for i := range p.gives {
		out.Insights = append(out.Insights, llm.Insight{Title: fmt.Sprint("t", len(p.asked), i), Description: fmt.Sprint(len(p.asked), " ", i, strings.Repeat(" word", p.long))})
	}
	b, err := json.Marshal(out)
	return llm.Reply{Text: string(b)}, llm.Usage{Calls: 1}, err
}

// TestInsights: a community of a page is one call; of several pages one for each and one
// for what they come to together, and all of it is read; many long insights take rounds.
func TestInsights(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	c.Use(ragtest.Fixed)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	page := func(name string) []llm.Entity { return []llm.Entity{{Name: name, Description: name + " is."}} }
	for _, x := range []struct {
		name              string
		pages, most       int
		p                 insightful
		calls, of, wanted int // of: calls that read insights
	}{
		{"one page", 1, 9, insightful{gives: 4}, 1, 0, 4},
		{"fewer wanted than given", 1, 3, insightful{gives: 4}, 1, 0, 3},
		{"three pages", 3, 9, insightful{gives: 4}, 4, 1, 4},
		{"no more than a task is asked for", 1, 1000, insightful{gives: 50}, 1, 0, maxInsights},
		{"nothing found", 2, 9, insightful{}, 2, 0, 0},
		// 24 insights of 4,000 tokens are more than a model reads at once.
		{"rounds", 6, 9, insightful{gives: 4, long: 3990}, 0, 0, 4},
	} {
		p := x.p
		p.name = x.name // replies are kept by the model's name
		var pages [][]llm.Entity
		for i := range x.pages {
			pages = append(pages, page(fmt.Sprint("E", i)))
		}
		m := ragtest.Provide(c.OpenModels(t), &p)
		got, err := s.insights(t.Context(), m, "community:1", nil, pages, x.most)
		if err != nil || len(got) != x.wanted {
			t.Errorf("%s: %d insights, want %d; %v", x.name, len(got), x.wanted, err)
		}
		read, of := map[string]bool{}, 0
		for _, in := range p.asked {
			if in.Most < 1 || in.Most > maxInsights {
				t.Errorf("%s: %d insights are asked for", x.name, in.Most)
			}
			for _, e := range in.Entities {
				read[e.Name] = true
			}
			if len(in.Insights) > 0 {
				of++
			}
			if n := c.Tokens().Count(fmt.Sprint(in)); n > summaryTokens*11/10 {
				t.Errorf("%s: a task of %d tokens", x.name, n)
			}
		}
		if len(read) != x.pages {
			t.Errorf("%s: %d of %d pages are read", x.name, len(read), x.pages)
		}
		if x.calls > 0 && (len(p.asked) != x.calls || of != x.of) {
			t.Errorf("%s: %d calls, %d on insights, want %d and %d", x.name, len(p.asked), of, x.calls, x.of)
		}
		if x.name == "rounds" && (of < 3 || len(p.asked) > 30) {
			t.Errorf("rounds: %d calls, %d on insights", len(p.asked), of)
		}
	}
}

// TestPager: pages hold all that is said, in order, none more than a model reads, and what
// goes on on the next page stands under the same name.
func TestPager(t *testing.T) {
	p := pager{count: func(s string) int { return len(s) }}
	long := strings.Repeat("x", summaryTokens/2-1)
	p.add("A", []string{long + "1", long + "2", long + "3"})
	p.add("B", []string{"b"})
	p.add("C", nil)
	p.add("D", []string{strings.Repeat("d", summaryTokens+5), "e"})
	var got []string
	for _, page := range p.pages {
		line := ""
		for _, e := range page {
			line += fmt.Sprintf("%s:%d ", e.Name, len(e.Description))
		}
		got = append(got, line)
	}
	n := summaryTokens / 2
	want := []string{fmt.Sprintf("A:%d ", 2*n+1), fmt.Sprintf("A:%d B:1 ", n), fmt.Sprintf("D:%d ", summaryTokens+5), "D:1 "}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("pages %q, want %q", got, want)
	}
}

// TestByTurns: the first of each list, then the second of each.
func TestByTurns(t *testing.T) {
	i := func(s string) llm.Insight { return llm.Insight{Title: s} }
	got := byTurns([][]llm.Insight{{i("a"), i("b"), i("c")}, {}, {i("d")}})
	if s := fmt.Sprint(got); s != "[{a } {d } {b } {c }]" {
		t.Error(s)
	}
}
