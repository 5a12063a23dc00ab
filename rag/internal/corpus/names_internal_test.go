package corpus

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNameTerms(t *testing.T) {
	for _, c := range []struct {
		name, body string
		opensLine  bool
		want       string
	}{
		{"a title, a sentence, within one", "# The Tide Mill\n\nMira Voss built it. In Orsk they say that Mira Voss met Ada Kestrel.", true,
			"ada kestrel 1, mira voss 4, orsk 1, tide mill 4"},
		{"an article opens", "It burned.\n- The Paper Mill of Tarn burned.", true, "paper mill of tarn 4"},
		{"the chunk begins within a line", "Mira Voss built it. Then “The Gull” sank.", false, "gull 1, mira voss 2"},
		{"the chunk begins a line", "Mira Voss built it.", true, "mira voss 4"},
		{"a second sentence", "It was long ago. Mira Voss built it.", true, "mira voss 2"},
		{"no dates", "On 16 June 1891 it rained in Orsk, and in 1950.", true, "orsk 1"},
		{"a word that opens a sentence may be a name", "Ravens sank.", true, "ravens 4"},
		{"a common word is no name", "Slowly it rained. Visitors left. Look!", true, ""},
		{"nothing", "it rained.", true, ""},
		{"no text", "", true, ""},
		{"no key that long", strings.Repeat("M"+strings.Repeat("o", 60)+" ", 5) + "sank in Orsk.", true, "orsk 1"},
	} {
		got := map[string]int{}
		for _, term := range nameTerms(c.body, c.opensLine) {
			got[term.Text]++
		}
		var list []string
		for key, n := range got {
			list = append(list, fmt.Sprintf("%s %d", key, n))
		}
		slices.Sort(list)
		if s := strings.Join(list, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}
