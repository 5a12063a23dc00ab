package noderag

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
)

// TestDecomposeRest: what belongs to no unit makes one unit of its own, a sentence for
// each relation, and what the unit says already is not said again. An entity that
// stands nowhere goes to the first unit that holds one of its words, else to the
// first; a stop word is no such word.
func TestDecomposeRest(t *testing.T) {
	d := decompose("Ada slept in the mill. Brom woke.", 9, llm.Extraction{
		Entities: []llm.Entity{{Name: "Ada"}, {Name: "Brom Kerr"}, {Name: "in Karrow"}, {Name: "of the Quill"}},
		Relations: []llm.Relation{
			{Source: "Celia", Target: "Dorn", Description: "knew Celia and Dorn."},
			{Source: "Edda", Target: "Falk", Description: "Edda paid Falk", Sentence: "Not here."},
			{Source: "Dorn", Target: "Celia", Description: "Celia and Dorn"}, // the first one says it
		},
	})
	var units []string
	for _, u := range d.Units {
		units = append(units, fmt.Sprintf("%s %v %v", u.Text, u.Entities, u.Ends))
	}
	want := []string{
		"Ada slept in the mill. [ada in karrow of the quill] []",
		"Brom woke. [brom kerr] []",
		"knew Celia and Dorn. Edda paid Falk. [celia dorn edda falk] [celia|dorn edda|falk]",
	}
	if !slices.Equal(units, want) {
		t.Errorf("units\n%q\nwant\n%q", units, want)
	}
	// Without units there is none to place an entity in.
	if d := decompose("", 0, llm.Extraction{Entities: []llm.Entity{{Name: "Ada"}}}); len(d.Units) != 0 || len(d.Entities) != 0 {
		t.Errorf("of nothing: %+v", d)
	}
}
