package local_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// retriever ranks texts by vectors and words together.
type retriever struct {
	texts   []string
	table   *local.Table
	vectors [][]float32
	words   *bm25
}

func newRetriever(tb testing.TB, texts []string) *retriever {
	table := train(tb, texts)
	return &retriever{texts, table, embedAll(table, texts), newBM25(texts)}
}

func (r *retriever) rank(q string) []int {
	v, _ := r.table.Embed(q)
	return ranking(zSum(cosines(v, r.vectors), r.words.scores(q)))
}

// marker is a citation.
var marker = regexp.MustCompile(` \[(\d+)\]`)

// TestAnswersCite measures how often the first sentence of an answer is from
// the one passage that answers the question, if that is among the five
// pieces of evidence.
func TestAnswersCite(t *testing.T) {
	passages := evaldata.Lines[passage](t, "zoomcamp_faq/corpus.jsonl.gz")
	questions := evaldata.Lines[question](t, "zoomcamp_faq/questions.jsonl.gz")
	var texts []string
	index := map[string]int{}
	var stats text.CaseStats
	for i, p := range passages {
		texts = append(texts, p.full())
		stats.Add(p.full())
		index[p.ID] = i
	}
	r := newRetriever(t, texts)
	p := local.New(local.Options{Names: &stats, Embedder: local.NewEmbedder(r.table)})
	held, answered, cited, top := 0, 0, 0, 0
	step := 16
	if *long {
		step = 1
	}
	for k := 0; k < len(questions); k += step {
		q := questions[k]
		in := llm.AnswerInput{Question: q.Question, MaxSentences: 1}
		right := 0
		for n, i := range r.rank(q.Question)[:5] {
			in.Evidence = append(in.Evidence, llm.Evidence{N: n + 1, Text: texts[i]})
			if i == index[q.Supporting[0]] {
				right = n + 1
			}
		}
		if right == 0 {
			continue
		}
		held++
		if right == 1 {
			top++
		}
		reply, _, err := p.Do(t.Context(), llm.Task{Kind: llm.Answer, Input: in})
		if errors.Is(err, llm.ErrNoEvidence) {
			continue // refused
		}
		if err != nil {
			t.Fatalf("%s: %v", q.ID, err)
		}
		answered++
		if m := marker.FindStringSubmatch(reply.Text); m[1] == string(rune('0'+right)) {
			cited++
		}
	}
	t.Logf("%d questions with evidence, the right passage ranked first in %d; %d answered, the right passage cited first in %d",
		held, top, answered, cited)
	if 100*cited < 85*answered || 4*answered < held {
		t.Errorf("of %d questions %d were answered, want a quarter; %d cite the right passage first, want 85 %% of the answers", held, answered, cited)
	}
}
