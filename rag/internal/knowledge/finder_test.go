package knowledge_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/llm"
)

func TestFinder(t *testing.T) {
	t.Parallel()
	f := knowledge.NewFinder([]string{
		"Ada met Ada Kestrel. ADA ada!",
		"Kestrel, Ada: a falcon and an engineer.",
		"Nothing of her, but of Adam.",
	}, nil)
	for key, want := range map[string][]int{
		"ada": {0, 1}, "ada kestrel": {0}, "kestrel": {0, 1}, "adam": {2}, "nobody": {0},
	} {
		if got := f.Parts(key); !slices.Equal(got, want) {
			t.Errorf("%q stands in %v, want %v", key, got, want)
		}
		if got := f.Parts(key); !slices.Equal(got, want) {
			t.Errorf("%q stands in %v when asked again, want %v", key, got, want)
		}
	}
	if n := f.Count(0, "ada"); n != 4 {
		t.Errorf("ada stands %d times, not 4", n)
	}
	if n := f.Count(2, "ada"); n != 0 {
		t.Errorf("ada stands %d times in adam", n)
	}
	for _, c := range []struct {
		r    llm.Relation
		want int
	}{
		{llm.Relation{Source: "Falcon", Target: "Ada"}, 1},
		{llm.Relation{Source: "Kestrel", Target: "engineer"}, 1},
		{llm.Relation{Source: "Adam", Target: "Kestrel"}, 2},
		{llm.Relation{Source: "Ada", Target: "Kestrel"}, 0},
		{llm.Relation{Source: "Ada", Target: "Kestrel", Sentence: "Kestrel, Ada: a falcon and an engineer."}, 1},
		{llm.Relation{Source: "Nobody", Target: "Adam"}, 0}, // no part has it: the first
	} {
		if got := f.Relation(c.r); got != c.want {
			t.Errorf("part %d states %+v, want %d", got, c.r, c.want)
		}
	}
}

// TestFinderWanted finds in the second and third of three parts only.
func TestFinderWanted(t *testing.T) {
	t.Parallel()
	f := knowledge.NewFinder([]string{"Ada met Brom.", "Brom met Celia. Then Ada left.", "Dora stayed."}, []bool{false, true, true})
	for key, want := range map[string][]int{
		"ada": {1}, "brom": {1}, "dora": {2}, "nobody": {1}, "met brom": nil,
	} {
		if got := f.Parts(key); !slices.Equal(got, want) {
			t.Errorf("%q stands in %v, want %v", key, got, want)
		}
	}
	for _, c := range []struct {
		r    llm.Relation
		want int
	}{
		{llm.Relation{Source: "Brom", Target: "Celia"}, 1},
		{llm.Relation{Source: "Ada", Target: "Brom"}, -1}, // the first part, which is not wanted, says it
		{llm.Relation{Source: "Ada", Target: "Brom", Sentence: "Brom met Celia."}, 1},
		{llm.Relation{Source: "Dora", Target: "Ada"}, 2},
	} {
		if got := f.Relation(c.r); got != c.want {
			t.Errorf("part %d states %+v, want %d", got, c.r, c.want)
		}
	}
	x := llm.Extraction{
		Entities:  []llm.Entity{{Name: "Ada"}, {Name: "Dora"}},
		Relations: []llm.Relation{{Source: "Brom", Target: "Celia"}, {Source: "Ada", Target: "Brom"}},
		Units:     []llm.Unit{{Text: "Ada and Brom met."}, {Text: "Brom and Celia met before Ada left."}},
	}
	got := f.Part(1, x)
	if len(got.Entities) != 1 || len(got.Relations) != 1 || len(got.Units) != 1 || got.Units[0] != x.Units[1] {
		t.Errorf("the second part says %+v", got)
	}
	if out := f.Part(0, x); len(out.Entities)+len(out.Relations)+len(out.Units) > 0 {
		t.Errorf("the part that is not wanted says %+v", out)
	}
}
