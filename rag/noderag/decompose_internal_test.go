package noderag

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
)

// TestDecompose goes through the rules by which an extraction becomes units.
func TestDecompose(t *testing.T) {
	body := "The Mill\nAda Fenn bought the mill in 1900. Nothing happened then. She sold it to Brom, and Ada left."
	d := decompose(body, 21, llm.Extraction{
		Entities: []llm.Entity{{Name: "Ada Fenn"}, {Name: "The Mill"}, {Name: "Brom"}, {Name: "1900"}, {Name: "Ada"}, {Name: "ada"}, {Name: "Left Bank"}, {Name: "..."}},
		Relations: []llm.Relation{
			{Source: "Ada Fenn", Target: "mill", Description: "Ada Fenn bought the mill"},
			{Source: "The Mill", Target: "Ada Fenn", Description: "was sold by", Sentence: "She sold it to Brom, and Ada left."},
			{Source: "Brom", Target: "Carla", Description: "married"}, // in no sentence
			{Source: "Brom", Target: "Brom", Description: "was"},
			{Source: "!", Target: "Brom", Description: "was"},
		},
	})
	var units []string
	for _, u := range d.Units {
		units = append(units, fmt.Sprintf("%s %v %v", u.Text, u.Entities, u.Ends))
	}
	want := []string{
		// A heading and an empty sentence: the one holds an entity.
		"The Mill [mill] []",
		"Ada Fenn bought the mill in 1900. [1900 ada ada fenn mill] [ada fenn|mill]",
		// The relation's sentence is named, so it is here, and its ends with it;
		// "Left Bank" stands nowhere, but one of its words does.
		"She sold it to Brom, and Ada left. [ada ada fenn brom left bank mill] [ada fenn|mill brom|brom]",
		"Brom married Carla. [brom carla] [brom|carla]",
	}
	if !slices.Equal(units, want) {
		t.Errorf("units\n%q\nwant\n%q", units, want)
	}
	var entities []string
	for _, e := range d.Entities {
		entities = append(entities, fmt.Sprintf("%s=%s %d", e.Key, e.Label, e.Count))
	}
	if want := []string{"1900=1900 1", "ada=Ada 2", "ada fenn=Ada Fenn 2", "brom=Brom 2", "carla=Carla 1", "left bank=Left Bank 1", "mill=The Mill 3"}; !slices.Equal(entities, want) {
		t.Errorf("entities %q, want %q", entities, want)
	}
	var relations []string
	for _, r := range d.Relations {
		relations = append(relations, fmt.Sprintf("%s %q", r.Key, r.Texts))
	}
	if want := []string{
		`ada fenn|mill ["Ada Fenn bought the mill" "The Mill was sold by Ada Fenn"]`,
		`brom|brom ["Brom was Brom"]`,
		`brom|carla ["Brom married Carla"]`,
	}; !slices.Equal(relations, want) {
		t.Errorf("relations %q, want %q", relations, want)
	}
}

// TestDecomposeUnits takes the units that a model gives in place of the sentences.
func TestDecomposeUnits(t *testing.T) {
	d := decompose("Ada bought the mill. It was sold.", 9, llm.Extraction{
		Entities: []llm.Entity{{Name: "Ada"}, {Name: "mill"}},
		Units: []llm.Unit{
			{Text: "Ada bought the mill.", Time: "1900"}, {Text: "The mill  was sold in 1901.", Time: "1901"}, {Text: " "}, {Text: "It rained."},
		},
	})
	var units []string
	for _, u := range d.Units {
		units = append(units, fmt.Sprintf("%s %v", u.Text, u.Entities))
	}
	if want := []string{"Ada bought the mill. (1900) [ada mill]", "The mill was sold in 1901. [mill]"}; !slices.Equal(units, want) {
		t.Errorf("units %q, want %q", units, want)
	}
}

// TestMalformed says which relations are given to a model for repair.
func TestMalformed(t *testing.T) {
	known := map[string]bool{"karrow norway": true}
	for _, x := range []struct {
		r    llm.Relation
		want bool
	}{
		{llm.Relation{Source: "Ada", Target: "Brom"}, false},
		{llm.Relation{Source: "Ada", Target: ""}, true},
		{llm.Relation{Source: "--", Target: "Brom"}, true},
		{llm.Relation{Source: "Ada", Target: "Karrow, Norway"}, false}, // an entity
		{llm.Relation{Source: "Ada", Target: "in Karrow, Norway"}, true},
	} {
		if got := malformed(x.r, known); got != x.want {
			t.Errorf("%+v: %t", x.r, got)
		}
	}
}
