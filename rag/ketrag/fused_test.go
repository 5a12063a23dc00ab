package ketrag_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/vecindex"
)

// chunksOf returns the chunks of a section, in order.
func chunksOf(ev *rag.Evidence, name string) (out []string) {
	for _, it := range section(ev, name) {
		if it.Kind == "chunk" {
			out = append(out, it.Chunks[0])
		}
	}
	return out
}

// TestFused: by default the context has the chunks that it has in the paper's order, in
// that of 1/(2+rank) in the text part and a fifth of 1/(2+rank) among the sources, before
// the same tables.
func TestFused(t *testing.T) {
	t.Parallel()
	a := newAsked(t, 67, 24, "ketrag")
	moved := 0
	for _, budget := range []int{300, 1000, 3000, 12000} {
		for _, q := range a.questions {
			what := fmt.Sprintf("%q within %d", q, budget)
			paper, fused := a.retrieve(t, "ketrag:order=paper", q, budget), a.retrieve(t, "ketrag", q, budget)
			if x, y := written(paper, "graph"), written(fused, "graph"); x != y || paper.Tokens != fused.Tokens {
				t.Errorf("%s: tables of %d tokens\n%s\nand of %d\n%s", what, paper.Tokens, x, fused.Tokens, y)
			}
			// The sources are in the order of the seeds in an evidence of sources alone.
			text := chunksOf(a.retrieve(t, "ketrag:theta=0", q, 200_000), "text")
			sources := chunksOf(a.retrieve(t, "ketrag:theta=1,order=paper", q, 200_000), "sources")
			score := func(ch string) (x float64) {
				if i := slices.Index(text, ch); i >= 0 {
					x += 1 / float64(3+i)
				}
				if i := slices.Index(sources, ch); i >= 0 {
					x += .2 / float64(3+i)
				}
				return x
			}
			got := chunksOf(fused, "text")
			all := slices.Concat(chunksOf(paper, "text"), chunksOf(paper, "sources"), chunksOf(paper, "more text"))
			if x, y := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(all)); !slices.Equal(x, y) {
				t.Errorf("%s: chunks %v, want %v", what, x, y)
			}
			if !slices.IsSortedFunc(got, func(x, y string) int { return cmp.Compare(score(y), score(x)) }) {
				t.Errorf("%s: chunks are not by the sum of their votes: %v", what, got)
			}
			if !slices.Equal(got, all) {
				moved++
			}
		}
	}
	if moved == 0 {
		t.Error("no source ever moved a chunk")
	}
}

// normal brings scores to mean 0 and deviation 1, and returns the least of them.
func normal(scores map[string]float64) (out map[string]float64, least float64) {
	mean, dev := 0.0, 0.0
	for _, k := range slices.Sorted(maps.Keys(scores)) {
		mean += scores[k] / float64(len(scores))
	}
	for _, k := range slices.Sorted(maps.Keys(scores)) {
		dev += (scores[k] - mean) * (scores[k] - mean) / float64(len(scores))
	}
	out, least = map[string]float64{}, math.Inf(1)
	for k, x := range scores {
		out[k] = (x - mean) / math.Sqrt(dev)
		least = min(least, out[k])
	}
	return out, least
}

// TestHybridRank: by default the text part are the chunks of the nearest keywords, by the
// sum of cosine and BM25, each at mean 0 and deviation 1 over the chunks that it finds, in
// turn with those by cosine alone.
func TestHybridRank(t *testing.T) {
	t.Parallel()
	a := newAsked(t, 68, 24, "ketrag")
	set, left := "cl100k/300/0/paragraph", 0
	for _, q := range a.questions[:4] {
		vec, err := a.m.EmbedQuestion(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		words := map[string]float64{}
		err = a.DB().View(t.Context(), func(s *engine.Snapshot) error {
			v := s.Graph(a.Base())
			hits, err := v.Terms("text:"+set, a.Analyze(q), engine.TermsOptions{Beside: []engine.FieldWeight{{Field: "path:" + set, Weight: 0.4}}})
			for _, h := range hits {
				n, err := v.Node(h.ID)
				if err != nil {
					return err
				}
				words[n.Key] = h.Score
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		a.Corpus.View(t, "ketrag", func(v *engine.View) error {
			cosines, ids := map[string]float64{}, map[string]engine.NodeID{}
			hits := func(space string, k int) ([]vecindex.Hit, error) {
				vecs, err := v.Vectors(space)
				if err != nil {
					return nil, err
				}
				return vecs.Search(t.Context(), vecindex.Search{Vector: vec, K: k, Exact: true}, nil)
			}
			all, err := hits("chunk@hashes", 1000)
			if err != nil {
				return err
			}
			for _, h := range all {
				n, err := v.Node(engine.NodeID(h.ID))
				if err != nil {
					return err
				}
				cosines[n.Key], ids[n.Key] = float64(h.Score), engine.NodeID(h.ID)
			}
			x, _ := normal(cosines)
			y, least := normal(words)
			// The model is none of words: its order and the sum take turns.
			bySum := slices.SortedFunc(maps.Keys(ids), func(a, b string) int {
				sum := func(k string) float64 {
					if w, ok := y[k]; ok {
						return x[k] + w
					}
					return x[k] + least
				}
				return cmp.Or(cmp.Compare(sum(b), sum(a)), cmp.Compare(ids[a], ids[b]))
			})
			var order []string
			for i, h := range all {
				n, err := v.Node(engine.NodeID(h.ID))
				if err != nil {
					return err
				}
				for _, key := range []string{bySum[i], n.Key} {
					if !slices.Contains(order, key) {
						order = append(order, key)
					}
				}
			}
			contains, _ := v.EdgeType("contains")
			for _, probe := range []int{1, 4, 1000} {
				near, err := hits("keyword@hashes", probe)
				if err != nil {
					return err
				}
				has := map[string]bool{}
				for _, h := range near {
					found, err := v.NeighborSet(engine.NodeID(h.ID), engine.EdgeFilter{Types: []engine.EdgeType{contains}})
					if err != nil {
						return err
					}
					for key, id := range ids {
						has[key] = has[key] || found.Contains(uint32(id))
					}
				}
				want := slices.DeleteFunc(slices.Clone(order), func(key string) bool { return !has[key] })
				got := chunksOf(a.retrieve(t, fmt.Sprintf("ketrag:theta=0,probe=%d", probe), q, 200_000), "text")
				if !slices.Equal(got, want) || len(got) == 0 {
					t.Errorf("%q, %d keywords: chunks %v, want %v", q, probe, got, want)
				}
				left += len(ids) - len(got)
			}
			return nil
		})
	}
	if left == 0 {
		t.Error("the keywords never left a chunk out")
	}
}
