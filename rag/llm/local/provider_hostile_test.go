package local_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

func TestLimits(t *testing.T) {
	tok := text.NewCL100K()
	p := local.New(local.Options{Tokens: tok.Count})
	var in llm.ReportInput
	var evidence []llm.Evidence
	for i, e := range evaldata.Lines[passage](t, "mine_essays/corpus.jsonl.gz")[:6] {
		x := do[llm.Extraction](t, p, llm.Extract, llm.ExtractInput{Text: e.full(), Title: e.Title})
		in.Entities = append(in.Entities, x.Entities...)
		in.Relations = append(in.Relations, x.Relations...)
		evidence = append(evidence, llm.Evidence{N: i + 1, Text: e.full()})
	}
	for _, limit := range []int{20, 100, 400, 2000} {
		in.MaxTokens = limit
		r := do[llm.Report](t, p, llm.CommunityReport, in)
		n := tok.Count(r.Title) + tok.Count(r.Summary) + tok.Count(r.Reason)
		for _, f := range r.Findings {
			n += tok.Count(f.Summary) + tok.Count(f.Explanation)
		}
		if n > limit+tok.Count(r.Reason) || limit >= 400 && len(r.Findings) < 3 || r.Rating != 10 {
			t.Errorf("limit %d: %d tokens, %d findings, rating %v", limit, n, len(r.Findings), r.Rating)
		}
		a, u, err := p.Do(t.Context(), llm.Task{Kind: llm.Answer, MaxTokens: limit, Input: llm.AnswerInput{
			Question: "How does music influence mood and emotions?", Evidence: evidence, MaxSentences: 50}})
		if err != nil || u.OutTokens > limit || u.OutTokens != tok.Count(a.Text) {
			t.Errorf("limit %d: answer of %d tokens, %v", limit, u.OutTokens, err)
		}
	}
}

func TestAnswersVerbatim(t *testing.T) {
	essays := evaldata.Lines[passage](t, "mine_essays/corpus.jsonl.gz")[:10]
	p := local.New(local.Options{})
	in := llm.AnswerInput{MaxSentences: 3}
	for i, e := range essays {
		in.Evidence = append(in.Evidence, llm.Evidence{N: i + 1, Text: e.full()})
	}
	answered := 0
	for _, q := range evaldata.Lines[question](t, "mine_essays/questions.jsonl.gz")[:60] {
		in.Question = q.Question
		r, _, err := p.Do(t.Context(), llm.Task{Kind: llm.Answer, Input: in})
		if errors.Is(err, llm.ErrNoEvidence) {
			continue // refused
		}
		answered++
		if err != nil {
			t.Fatal(err)
		}
		rest := r.Text
		for rest != "" {
			m := marker.FindStringSubmatchIndex(rest)
			if m == nil {
				t.Fatalf("%q: no citation behind %q", q.Question, rest)
			}
			n := 0
			if _, err := fmt.Sscan(rest[m[2]:m[3]], &n); err != nil || n < 1 || n > len(essays) {
				t.Fatalf("%q cites %q", r.Text, rest[m[2]:m[3]])
			}
			if s := rest[:m[0]]; !strings.Contains(strings.Join(strings.Fields(essays[n-1].full()), " "), s) {
				t.Errorf("%q is not in evidence %d", s, n)
			}
			rest = strings.TrimPrefix(rest[m[1]:], " ")
		}
	}
	t.Logf("%d of 60 questions answered", answered)
	if answered < 6 {
		t.Errorf("%d of 60 questions were answered, want a tenth", answered)
	}
}

func FuzzProvider(f *testing.F) {
	f.Add(turing, "Who was Turing?")
	f.Add("He met [1] her.[2] \x00\u202e", "[3]?")
	f.Add("漢字。仮名。", "漢字?")
	p := local.New(local.Options{})
	f.Fuzz(func(t *testing.T, s, q string) {
		entity := []llm.Entity{{Name: q, Description: s}, {Name: "b", Description: s}}
		for k, in := range map[llm.Kind]any{
			llm.Extract:         llm.ExtractInput{Text: s, Title: q},
			llm.RepairRelation:  llm.RepairInput{Relation: s, Entities: []string{q, "a"}},
			llm.Attribute:       llm.AttributeInput{Name: q, Units: []string{s}, MaxTokens: 3},
			llm.CommunityReport: llm.ReportInput{Entities: entity, Reports: []string{s}},
			llm.Summarise:       llm.SummariseInput{Texts: []string{s, q}, MaxTokens: 5},
			llm.SummaryEntities: llm.SummaryEntitiesInput{Entities: entity},
			llm.QueryElements:   llm.QuestionInput{Question: q},
			llm.Keywords:        llm.QuestionInput{Question: q},
			llm.FilterPoints:    llm.AnswerInput{Question: q, Evidence: []llm.Evidence{{N: 1, Text: s}}},
			llm.Answer:          llm.AnswerInput{Question: q, Evidence: []llm.Evidence{{N: 1, Text: s}}},
		} {
			r, _, err := p.Do(t.Context(), llm.Task{Kind: k, Input: in})
			if err != nil && !errors.Is(err, llm.ErrNoEvidence) && !errors.Is(err, llm.ErrReply) {
				t.Errorf("%s: %v", k, err)
			}
			var decoded any
			if json.Unmarshal([]byte(r.Text), &decoded) == nil {
				r.Text = fmt.Sprint(decoded)
			}
			if strings.ContainsFunc(r.Text, unicode.IsControl) {
				t.Errorf("%s: control characters in %q", k, r.Text)
			}
		}
	})
}

func BenchmarkExtract(b *testing.B) {
	texts := benchTexts(b)
	var stats text.CaseStats
	for _, s := range texts {
		stats.Add(s)
	}
	p := local.New(local.Options{Names: &stats})
	bytes, k := 0, 0
	for b.Loop() {
		if _, _, err := p.Do(b.Context(), llm.Task{Kind: llm.Extract, Input: llm.ExtractInput{Text: texts[k%len(texts)]}}); err != nil {
			b.Fatal(err)
		}
		bytes += len(texts[k%len(texts)])
		k++
	}
	b.ReportMetric(float64(bytes)/1e6/b.Elapsed().Seconds(), "MB/s")
}

func BenchmarkSummarise(b *testing.B) {
	p := local.New(local.Options{})
	in := llm.SummariseInput{Texts: benchTexts(b)[:65], MaxTokens: 400}
	for b.Loop() {
		if _, _, err := p.Do(b.Context(), llm.Task{Kind: llm.Summarise, Input: in}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	texts := benchTexts(b)
	p := local.New(local.Options{Embedder: local.NewEmbedder(train(b, texts))})
	in := llm.AnswerInput{Question: "In 1900, what was the population of the city in the same county as Allen?"}
	for i, s := range texts[:30] {
		in.Evidence = append(in.Evidence, llm.Evidence{N: i + 1, Text: s})
	}
	for b.Loop() {
		if _, _, err := p.Do(b.Context(), llm.Task{Kind: llm.Answer, Input: in}); err != nil && !errors.Is(err, llm.ErrNoEvidence) {
			b.Fatal(err)
		}
	}
}
