package link

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/text"
)

func named(s string) *name {
	key := text.Key(s)
	return &name{key: key, words: strings.Fields(key), marks: marksOf(key)}
}

// TestCompare says which names may be names of one thing, by their words alone.
func TestCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want likeness
	}{
		{"Stage 1", "Stage 2", unlike},
		{"Stage One", "Stage 2", unlike},
		{"World War II", "Second World War", sameWords},
		{"World War I", "World War II", unlike},
		{"Francis I", "Francis", unlike},
		{"1924 Summer Olympics", "1928 Summer Olympics", unlike},
		{"June", "July", unlike},
		{"North Ostmark", "South Ostmark", unlike},
		{"Northern Ostmark", "North Ostmark", sameWords},
		{"John Fenn Sr.", "John Fenn Jr.", unlike},
		{"University of Karrow", "University of Selby", unlike},
		{"University of Karrow", "Karrow", unlike},
		{"Facebook", "Face book", sameWords},
		{"Prize for Physics", "Prize in Physics", sameWords},
		{"Fenn, Ada", "Ada Fenn", sameWords},
		{"Ada Fenn", "Fenn", contained},
		{"Tarn Corporation", "Tarn", contained},
		{"Tarn Valley", "Tarn", unlike},
		{"NYC", "New York City", byInitials},
		{"U.N.", "United Nations", byInitials},
		{"USA", "United States of America", byInitials},
		{"J. K. Rowling", "Joanne K. Rowling", byInitials},
		{"A. Fenn", "Brom Fenn", unlike},
		{"Tchaikovsky", "Chaikovsky", bySpelling},
		{"Chess Olympiad", "Chess Olympiads", bySpelling},
		{"Trade Parties", "Trade Party", bySpelling},
		{"Communism", "Communist", unlike},
		{"Archaeological Society", "Archeological Society", bySpelling},
		{"Iran", "Iraq", unlike},
		{"America", "American", unlike},
		{"Holland", "Netherlands", byMeaning},
		{"Москва", "Москва-река", unlike},
		{"", "Tarn", unlike},
	} {
		if got := compare(named(c.a), named(c.b)); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.a, c.b, got.reason(), c.want.reason())
		}
		if got := compare(named(c.b), named(c.a)); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.b, c.a, got.reason(), c.want.reason())
		}
	}
}

// TestClosest says what a misspelled name was meant to be.
func TestClosest(t *testing.T) {
	t.Parallel()
	all := []string{"tarn", "karrow", "quarrow", "new york city"}
	for _, c := range [][2]string{{"karow", "karrow"}, {"new yrok city", "new york city"}, {"xyzzyplugh", ""}, {"", ""}} {
		if got, _ := Closest(c[0], all); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}
