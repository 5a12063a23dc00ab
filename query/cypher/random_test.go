package cypher_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

// TestSeed: sessions of one seed draw the same random numbers, those of another or of
// none others.
func TestSeed(t *testing.T) {
	draw := func(seed int64) []string {
		s := newSession(t, stores["memkv"], cypher.Options{Seed: seed})
		var all []string
		for range 2 {
			rows, _, err := outcome(s, "UNWIND range(1, 3) AS i RETURN rand(), randomUUID()", nil)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, rows...)
		}
		return all
	}
	one := draw(7)
	if again := draw(7); !slices.Equal(one, again) {
		t.Errorf("seed 7 gives %v, and then %v", one, again)
	}
	if slices.Equal(one[:4], one[4:]) {
		t.Errorf("two statements draw the same: %v", one)
	}
	for _, seed := range []int64{8, 0} {
		if other := draw(seed); slices.Equal(one, other) {
			t.Errorf("seed %d draws what seed 7 does", seed)
		}
	}
	if slices.Equal(draw(0), draw(0)) {
		t.Error("two sessions without a seed draw the same")
	}
}
