package encoder_test

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// retrievalSet is what bench/models/reference.py retrieval wrote: texts, and their
// vectors by onnxruntime.
type retrievalSet struct {
	Passages  []string `json:"passages"`
	Questions []string `json:"questions"`
	Gold      [][]int  `json:"gold"` // numbers of the passages that answer a question
	vectors   [][]float32
}

func readRetrievalSet(t *testing.T, file string) *retrievalSet {
	t.Helper()
	s := &retrievalSet{}
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, s)
	}
	if err != nil {
		t.Fatal(err)
	}
	if b, err = os.ReadFile(strings.TrimSuffix(file, ".json") + ".f32"); err != nil {
		t.Fatal(err)
	}
	n := len(s.Passages) + len(s.Questions)
	all := make([]float32, len(b)/4)
	if _, err := binary.Decode(b, binary.LittleEndian, all); err != nil || len(all)%n != 0 {
		t.Fatalf("%d numbers for %d texts: %v", len(all), n, err)
	}
	s.vectors = slices.Collect(slices.Chunk(all, len(all)/n))
	return s
}

// figures searches the passages exactly, and returns recall@5 and nDCG@10 in
// points.
func (s *retrievalSet) figures(passages, questions [][]float32) (recall, ndcg float64) {
	order, score := make([]int, len(passages)), make([]float64, len(passages))
	for q, v := range questions {
		for p, w := range passages {
			dot := 0.
			for j, x := range w {
				dot += float64(x) * float64(v[j])
			}
			order[p], score[p] = p, dot
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(score[b], score[a]), a-b) })
		found, gain, best := 0., 0., 0.
		for i, p := range order[:10] {
			at := 1 / math.Log2(float64(i+2))
			if slices.Contains(s.Gold[q], p) {
				if gain += at; i < 5 {
					found++
				}
			}
			if i < len(s.Gold[q]) {
				best += at
			}
		}
		recall += found / float64(len(s.Gold[q]))
		ndcg += gain / best
	}
	n := float64(len(questions)) / 100
	return recall / n, ndcg / n
}

// TestRetrieval holds what real models find to what they find by onnxruntime's
// vectors: recall@5 and nDCG@10 differ by .2 points at most in float32, and by .7
// in 8 bits. It runs with -long, for minutes.
func TestRetrieval(t *testing.T) {
	files := realModels(t, "reference/retrieval")
	if !*long {
		t.Skip("-long embeds thousands of passages")
	}
	for _, dir := range files {
		sets, err := filepath.Glob(filepath.Join(dir, "reference", "retrieval", "*.json"))
		if err != nil || len(sets) == 0 {
			t.Fatalf("%s has no sets: %v", dir, err)
		}
		for _, file := range sets {
			t.Run(filepath.Base(dir)+"/"+strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
				s := readRetrievalSet(t, file)
				recall, ndcg := s.figures(s.vectors[:len(s.Passages)], s.vectors[len(s.Passages):])
				t.Logf("onnxruntime, %d passages, %d questions: recall@5 %.2f, nDCG@10 %.2f", len(s.Passages), len(s.Questions), recall, ndcg)
				for _, form := range []struct {
					name string
					int8 bool
					most float64
				}{{"float32", false, .2}, {"8 bits", true, .7}} {
					m := openModel(t, dir, &encoder.Options{Int8: form.int8})
					r, n := s.figures(embed(t, m, s.Passages, encoder.Passage), embed(t, m, s.Questions, encoder.Query))
					t.Logf("%s: recall@5 %.2f (%+.2f), nDCG@10 %.2f (%+.2f)", form.name, r, r-recall, n, n-ndcg)
					if math.Abs(r-recall) > form.most || math.Abs(n-ndcg) > form.most {
						t.Errorf("%s differs by more than %v points", form.name, form.most)
					}
				}
			})
		}
	}
}
