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
			{Text: "Ada bought the mill.", Time: "3 May, 1900"}, {Text: "The mill  was sold in 1901.", Time: "1901"}, {Text: " "}, {Text: "It rained."},
			{Text: "The mill burnt down.", Time: "long ago"},
		},
	})
	var units []string
	for _, u := range d.Units {
		units = append(units, fmt.Sprintf("%s %v", u.Text, u.Entities))
	}
	if want := []string{
		"Ada bought the mill. (1900-05-03) [1900 05 03 ada mill]", "The mill was sold in 1901. [1901 mill]", "The mill burnt down. (long ago) [mill]",
	}; !slices.Equal(units, want) {
		t.Errorf("units %q, want %q", units, want)
	}
}

// TestDecomposeRelation: a relation that names no sentence belongs to the unit with both
// ends that has most of its words, the first of equals.
func TestDecomposeRelation(t *testing.T) {
	x := llm.Extraction{
		Entities: []llm.Entity{{Name: "Ada"}, {Name: "Brom"}, {Name: "Celia"}},
		Relations: []llm.Relation{
			{Source: "Ada", Target: "Brom", Description: "Ada married Brom."},
			{Source: "Brom", Target: "Ada", Description: "Brom left Ada."},
			{Source: "Ada", Target: "Celia", Description: "Ada taught Celia."},
		},
		Units: []llm.Unit{{Text: "Ada met Brom and Celia."}, {Text: "Ada married Brom in spring."}, {Text: "Brom left Ada for a ship."}},
	}
	var got []string
	for _, u := range decompose("-", 1, x).Units {
		got = append(got, fmt.Sprint(u.Text, u.Ends))
	}
	// The pair's second relation belongs to another unit than the first.
	if want := []string{"Ada met Brom and Celia.[ada|celia]", "Ada married Brom in spring.[ada|brom]", "Brom left Ada for a ship.[ada|brom]"}; !slices.Equal(got, want) {
		t.Errorf("units %q, want %q", got, want)
	}
}

// TestEvents takes what a model took apart: an event has its own entities, times and
// relations, whether or not they stand in its text.
func TestEvents(t *testing.T) {
	d := events(7, llm.Decomposition{Units: []llm.Event{
		{Text: "Ada  bought the mill from her uncle.", Entities: []string{"Ada Fenn", "Tide Mill", "May 1900", " "},
			Relations: []llm.Stated{{Source: "Ada Fenn", Relation: "bought", Target: "Tide Mill"}, {Source: "Tide Mill", Relation: "was sold to", Target: "ada fenn"}}},
		{Text: "Brom burnt it down.", Entities: []string{"Brom", "Tide Mill"}, Relations: []llm.Stated{{Source: "Brom", Relation: "burnt", Target: "Karrow"}}},
		{Text: " "}, {Text: "It rained.", Relations: []llm.Stated{{Source: "!", Relation: "r", Target: "Brom"}}},
	}})
	var got []string
	for _, u := range d.Units {
		got = append(got, fmt.Sprint(u.Text, u.Entities, u.Ends))
	}
	if want := []string{
		"Ada bought the mill from her uncle.[1900 05 ada fenn tide mill] [ada fenn|tide mill]",
		"Brom burnt it down.[brom karrow tide mill] [brom|karrow]",
	}; !slices.Equal(got, want) {
		t.Errorf("units %q, want %q", got, want)
	}
	got = nil
	for _, r := range d.Relations {
		got = append(got, fmt.Sprintf("%s %q", r.Key, r.Texts))
	}
	if want := []string{`ada fenn|tide mill ["Ada Fenn bought Tide Mill" "Tide Mill was sold to ada fenn"]`, `brom|karrow ["Brom burnt Karrow"]`}; !slices.Equal(got, want) {
		t.Errorf("relations %q, want %q", got, want)
	}
	for _, e := range d.Entities {
		if e.Key == "1900 05" && e.Label != "1900-05" || e.Key == "tide mill" && (e.Count != 2 || e.Label != "Tide Mill") {
			t.Errorf("entity %+v", e)
		}
	}
	if d.Tokens != 7 || len(d.Entities) != 5 {
		t.Errorf("%d entities, %d tokens", len(d.Entities), d.Tokens)
	}
}

// TestNormalTime writes times as 1931-04-12, as much as is known, and leaves the others.
func TestNormalTime(t *testing.T) {
	for s, want := range map[string]string{
		"1931": "1931", "April 1931": "1931-04", "Apr. 1931": "1931-04", "12 April 1931": "1931-04-12", "April 12,  1931": "1931-04-12",
		"12th april 1931": "1931-04-12", "2nd May 1931": "1931-05-02", "1931-4": "1931-04", "1931-04-12": "1931-04-12", "29 February 2024": "2024-02-29", "29 February 2000": "2000-02-29",
	} {
		if got, ok := normalTime(s); !ok || got != want {
			t.Errorf("%q is %q, %t, want %q", s, got, ok, want)
		}
	}
	for _, s := range []string{
		"", "spring", "April", "12 April", "12 1931", "1930s", "29 February 2023", "29 February 1900", "31 April 1931", "1931-13", "1931-04-32", "1931 April 12 1932", "0931",
		"between 1930 and 1931", "12 Aprils 1931", "1931-04-12-1", "in 1931", "Ada", "1900 Summer Olympics", "-1931", "1931-", "32 May 1931", "May May 1931", "1931-0", "1931-05-00",
	} {
		if got, ok := normalTime(s); ok || got != s {
			t.Errorf("%q is %q, %t", s, got, ok)
		}
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
