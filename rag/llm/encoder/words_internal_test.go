package encoder

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestWordEnds(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Ada", "Ada"},
		{"Smith, Jane", "Smith|,"},
		{"O'Brien's", "O|'|Brien|'|s"},
		{"e\u0301te\u0301!", "e\u0301te\u0301|!"},
		{"北京ab", "北|京|ab"},
		{"\xffa", "\xff|a"},
		{"3.5km", "3|.|5km"},
		{strings.Repeat("a", 300), strings.Repeat("a", 256)},
	} {
		ends := wordEnds(c.text)
		var got []string
		for i, end := range ends {
			start := 0
			if i > 0 {
				start = ends[i-1]
			}
			got = append(got, c.text[start:end])
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q has the words %q, want %s", c.text, got, c.want)
		}
	}
}

// TestWindows says of windows of random words that each word is kept once, none has
// more tokens than there is room for, and a word in the middle of a long text is
// kept where it stands away from the ends.
func TestWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		room := 2 + rng.IntN(40)
		var words []taggedWord
		at := 0
		for range rng.IntN(120) {
			n := 1 + rng.IntN(max(1, min(room/2, 6)))
			words = append(words, taggedWord{from: at, to: at + n})
			at += n
		}
		kept := 0
		all := windows(words, room)
		for i, w := range all {
			if w.keepFrom != kept || w.keepTo < w.keepFrom || w.keepFrom < w.from || w.keepTo > w.to {
				t.Fatalf("window %+v behind word %d", w, kept)
			}
			kept = w.keepTo
			if words[w.to-1].to-words[w.from].from > room {
				t.Fatalf("window %+v has more than %d tokens", w, room)
			}
			if i > 0 && room >= 24 {
				if shared := words[all[i-1].to-1].to - words[w.from].from; all[i-1].to <= w.from || shared < room/4-6 || shared > room/4 {
					t.Fatalf("windows %+v and %+v of %d tokens share %d", all[i-1], w, room, shared)
				}
			}
		}
		if kept != len(words) || slices.ContainsFunc(all[min(1, len(all)):], func(w window) bool { return w.from == 0 }) {
			t.Fatalf("%d of %d words are kept", kept, len(words))
		}
	}
}
