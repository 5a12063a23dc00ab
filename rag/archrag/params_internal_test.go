package archrag

import (
	"strings"
	"testing"
)

// TestParams says what is read, what profiles set, and what is refused.
func TestParams(t *testing.T) {
	t.Parallel()
	p, r := parse(nil)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	// The recommended defaults of the specification.
	if p.Percentile != 0.8 || p.Scale != 1 || p.Search != 1.5 || p.Cap != 15 || p.Resolution != 1 || p.Levels != 6 ||
		p.MinClusters != 10 || p.CommunityShare != 0.3 || p.CommunityCut != 0.7 || p.Map != "parts" || p.Next != "relations" || p.M != 32 || p.K != 5 || p.Ef != 40 || p.MaxLayer != 6 || p.RelationK != 10 || p.FilterTokens != 4000 || p.CoT {
		t.Errorf("defaults %+v", p)
	}
	code, r := parse(map[string]string{"profile": "code", "k": "7"})
	if err := r.Err(); err != nil || code.MaxLayer != 1 || code.Descent != "restart" || code.Relations != "any" || !code.CoT || code.K != 7 || code.Chunks.Size != 600 {
		t.Errorf("code %+v, %v", code, err)
	}
	paper, r := parse(map[string]string{"profile": "paper"})
	if err := r.Err(); err != nil || paper.MaxLayer != 6 || paper.Relations != "within" || paper.Text != "none" || paper.Map != "layer" || paper.Next != "augmented" || paper.Describe != "always" {
		t.Errorf("paper %+v, %v", paper, err)
	}
	single, r := parse(map[string]string{"levels": "1"})
	if err := r.Err(); err != nil || single.MaxLayer != 1 {
		t.Errorf("single %+v, %v", single, err)
	}
	for _, bad := range []struct{ key, val, want string }{
		{"colour", "red", "there are profile, answer"},
		{"profile", "none", "code, default, paper"},
		{"augment", "yes", "knn, codicil, off"},
		{"cap", "1", "from 2"},
		{"percentile", "2", "to 1"},
		{"percentile", "NaN", "to 1"},
		{"chunks", "x", "chunks=x"},
	} {
		_, r := parse(map[string]string{bad.key: bad.val})
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s=%s: %v, want %q", bad.key, bad.val, err, bad.want)
		}
	}
}
