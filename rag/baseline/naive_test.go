package baseline_test

import (
	"context"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestNaiveKeepsPlacesForTheModel: with a model's vectors the nearest passages are
// among the first of naive, however few words they share with the question: the
// nearest n among the first 2n. With ragdb's own vectors, of words, they are not all.
func TestNaiveKeepsPlacesForTheModel(t *testing.T) {
	docs := ragtest.Docs(3, 40)
	question := method.Question{Text: "The old harbour, its bridges and who built the tower " + docs[7].Text[:60]}
	kept := func(c *ragtest.Corpus) bool {
		c.Index(t, "naive", docs...)
		keys := func(spec string) (out []string) {
			for _, it := range retrieve(t, c, spec, question).Items() {
				out = append(out, it.Keys[0])
			}
			return out
		}
		dense, naive := keys("dense"), keys("naive")
		if len(dense) < 10 || len(naive) < 20 {
			t.Fatalf("%d and %d passages are too few to compare", len(dense), len(naive))
		}
		for n := 1; n <= 10; n++ {
			for _, k := range dense[:n] {
				if !slices.Contains(naive[:2*n], k) {
					return false
				}
			}
		}
		return true
	}
	model := ragtest.Open(t, all(), encodings()...)
	model.Use(ragtest.Fixed)
	if !kept(model) {
		t.Error("the model's nearest passages are not among the first")
	}
	words := ragtest.Open(t, all(), encodings()...)
	words.Use(func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, true, rag.Parts{})
	})
	if kept(words) {
		t.Error("ragdb's own vectors got places, which changes the order of naive without a model")
	}
}
