package functionword_test

import (
	"testing"

	"github.com/ragdb/ragdb/internal/functionword"
)

func TestIs(t *testing.T) {
	for _, c := range []struct {
		lang, word string
		want       bool
	}{
		{"de", "für", false}, {"de", "fur", true}, {"de", "wie", true}, {"fr", "les", true}, {"en", "the", true},
		{"en", "les", false}, {"xx", "the", false}, {"", "the", false}, {"de", "", false},
	} {
		if got := functionword.Is(c.lang, c.word); got != c.want {
			t.Errorf("%s: %q: %t", c.lang, c.word, got)
		}
	}
	if !functionword.Known("nl") || functionword.Known("xx") {
		t.Error("the languages with lists are not those that there are")
	}
}
