package erarag

import (
	"math"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
)

// TestCenter: with center=true vectors are hashed less the mean of those of all
// chunks. If half of the chunks say one thing and half another, that is half of each.
func TestCenter(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	const one, other = "Mira repaired the harbour bell.", "Tobias sold a red lantern."
	for _, text := range []string{one, other} {
		for i := range 4 {
			c.Index(t, "erarag:center=true", ragtest.Doc{Key: string(rune('a'+i)) + text[:4] + ".txt", Text: text})
		}
	}
	s := opened(t, c, "erarag:center=true")
	vecs, _, err := ragtest.Hashes{}.Embed(t.Context(), []string{one, other})
	if err != nil {
		t.Fatal(err)
	}
	var center []float32
	err = c.DB().View(t.Context(), func(snap *engine.Snapshot) (err error) {
		center, err = (&planeStage{s: s, model: ragtest.Hashes{}.Space()}).mean(t.Context(), snap)
		return err
	})
	if err != nil || len(center) != len(vecs[0]) {
		t.Fatalf("%d of %d elements, %v", len(center), len(vecs[0]), err)
	}
	length := 0.
	for i, x := range center {
		length += float64(x) * float64(x)
		if want := (vecs[0][i] + vecs[1][i]) / 2; math.Abs(float64(x-want)) > 1e-6 {
			t.Errorf("element %d is %g, want %g", i, x, want)
		}
	}
	if length == 0 || length > 1 {
		t.Errorf("the mean of vectors of length 1 has the square length %g", length)
	}
}
