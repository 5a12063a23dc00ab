package mention_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/mention"
)

func TestFinder(t *testing.T) {
	t.Parallel()
	f := mention.New([]string{
		"Ada met Ada Kestrel. ADA ada!",
		"Kestrel, Ada: a falcon and an engineer.",
		"Nothing of her, but of Adam.",
	})
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
		a, b string
		want int
	}{{"falcon", "ada", 1}, {"kestrel", "engineer", 1}, {"adam", "kestrel", 2}, {"ada", "kestrel", 0}} {
		if got := f.Shared(c.a, c.b); got != c.want {
			t.Errorf("%s and %s share part %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
