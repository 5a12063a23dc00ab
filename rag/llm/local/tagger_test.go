package local_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// spanList is a tagger that finds each text behind a type once: PER Ada.
type spanList []string

func (l spanList) Name() string { return "list" }

func (l spanList) Tag(_ context.Context, s string) (out []encoder.Span, _ error) {
	at := 0
	for _, x := range l {
		kind, name, _ := strings.Cut(x, " ")
		i := strings.Index(s[at:], name)
		if i < 0 {
			return nil, errors.New("the text lacks " + name)
		}
		at += i
		out = append(out, encoder.Span{Start: at, End: at + len(name), Type: kind, Score: .9})
		at += len(name)
	}
	return out, nil
}

// TestTaggedEntities says which entities a tagger adds to those of the rules.
func TestTaggedEntities(t *testing.T) {
	for name, c := range map[string]struct {
		text, tags, want string
	}{
		"types of the rules' names":   {"They met Ines Tolland and Otto Brandt in Orsk.", "PER Ines Tolland|LOC Orsk", "ines tolland=person, otto brandt=, orsk=location"},
		"parts of a person":           {"They met Ines Tolland in Orsk with Otto Brandt.", "GIVEN_NAME Ines|SURNAME Tolland|CITY Orsk", "ines tolland=person, orsk=city, otto brandt="},
		"parts apart":                 {"They met Ines, and Tolland, in Orsk with Otto.", "GIVEN_NAME Ines|SURNAME Tolland", "ines=person, tolland=person, orsk=, otto="},
		"inside a longer name":        {"They met Ines Tolland at Orsk Harbour Museum.", "PER Ines|LOC Orsk", "ines tolland=, orsk harbour museum="},
		"holds names of the rules":    {"They met Ines Tolland, Otto and Jem in Orsk.", "ORG Ines Tolland, Otto", "ines tolland otto=organization, jem=, orsk="},
		"across a name":               {"They met Ines Tolland, Otto and Jem in Orsk.", "PER Tolland, Otto", "ines tolland=, otto=, jem=, orsk="},
		"first word":                  {"Bread met Ines Tolland and Otto in Orsk.", "PER Bread", "bread=person, ines tolland=, otto=, orsk="},
		"what names nothing":          {"They met Ines Tolland and Otto in Orsk at ab@cd.ef or 555.", "EMAIL ab@cd.ef|PHONE 555", "ines tolland=, otto=, orsk="},
		"a date of the rules":         {"Ines Tolland met Otto Brandt on 3 March 1901 in Orsk.", "PER March", "ines tolland=, otto brandt=, orsk="},
		"no capital":                  {"The wood met Ines Tolland and Otto in Orsk.", "PER wood", "ines tolland=, otto=, orsk="},
		"what follows a name":         {"Bread flew with Ines Tolland and Otto to Orsk.", "PER Bread flew", "bread=person, ines tolland=, otto=, orsk="},
		"signs and possessives":       {"Bread's friends met Ines Tolland and Otto in Orsk.", "PER Bread's", "bread=person, ines tolland=, otto=, orsk="},
		"small letters":               {"the bread of ada kestrel is good.", "PER ada kestrel", "ada kestrel=person"},
		"one letter":                  {"E met Ines Tolland and Otto in Orsk.", "PER E", "ines tolland=, otto=, orsk="},
		"most frequent type":          {"Bread met Otto Brandt and Ines. Bread met Jem in Orsk. Bread met Jem Carrow at Karrow.", "LOC Bread|PER Bread|PER Bread", "bread=person, otto brandt=, ines=, jem=, orsk=, jem carrow=, karrow="},
		"beyond a sentence":           {"Ines met Otto and Jem in Orsk. Ada met Jem in Karrow.", "PER Orsk. Ada", "ines=, otto=, jem=, orsk=, ada=, karrow="},
		"a quotation may hold a name": {"作家林墨在《李明与海》中写过它。", "PER 李明", "李 明=person"},
	} {
		t.Run(name, func(t *testing.T) {
			p := local.New(local.Options{Tagger: spanList(strings.Split(c.tags, "|"))})
			in := llm.ExtractInput{Text: c.text}
			x := do[llm.Extraction](t, p, llm.Extract, in)
			var got []string
			for _, e := range x.Entities {
				if e.Type != "date" {
					got = append(got, text.Key(e.Name)+"="+e.Type)
				}
				if e.Description == "" {
					t.Errorf("%s has no description", e.Name)
				}
			}
			part := name == "small letters" || strings.HasPrefix(name, "a quotation") // there are terms beside it
			if s := strings.Join(got, ", "); s != c.want && !part || !strings.Contains(s, c.want) {
				t.Errorf("entities %s, want %s", s, c.want)
			}
			if again := do[llm.Extraction](t, p, llm.Extract, in); !reflect.DeepEqual(x, again) {
				t.Error("another extraction the second time")
			}
		})
	}
}

// TestEntityTypes says what the labels of published models become.
func TestEntityTypes(t *testing.T) {
	for tag, want := range map[string]string{
		"PER": "person", "PERSON": "person", "ORG": "organization", "LOC": "location", "GPE": "location", "MISC": "", "NORP": "norp",
		"WORK_OF_ART": "work of art", "CITY": "city", "STREET_NAME": "street", "GIVEN_NAME": "person+", "SURNAME": "person+", "event": "event",
		"COMPANY": "organization", "Disease": "disease",
	} {
		kind, part, ok := local.EntityType(tag)
		if part {
			kind += "+"
		}
		if !ok || kind != want {
			t.Errorf("%s is of the type %q, %v, want %q", tag, kind, ok, want)
		}
	}
	for _, tag := range []string{
		"EMAIL", "PHONE", "URL", "TAX_ID", "BANK_ACCOUNT", "ROUTING_NUMBER", "GOVERNMENT_ID", "PASSPORT", "DRIVERS_LICENSE",
		"BUILDING_NUMBER", "SECONDARY_ADDRESS", "ZIP_CODE", "DATE", "TIME", "PERCENT", "MONEY", "CARDINAL", "GENDER", "IP_ADDRESS", "", "7",
	} {
		if kind, _, ok := local.EntityType(tag); ok {
			t.Errorf("%s is the name of a %q", tag, kind)
		}
	}
}

// TestTaggerErrors says that the tagger's error is the task's, and that its name is
// part of the provider's.
func TestTaggerErrors(t *testing.T) {
	p := local.New(local.Options{Tagger: spanList{"PER nowhere"}})
	_, _, err := p.Do(t.Context(), llm.Task{Kind: llm.Extract, Input: llm.ExtractInput{Text: "Ada met Otto."}})
	if err == nil || !strings.Contains(err.Error(), "lacks nowhere") {
		t.Errorf("error %v", err)
	}
	if plain := local.New(local.Options{}).Name(); p.Name() != plain+"+list" {
		t.Errorf("the provider is called %s", p.Name())
	}
	wrong := local.New(local.Options{Tagger: wrongSpans{}})
	if x := do[llm.Extraction](t, wrong, llm.Extract, llm.ExtractInput{Text: "Ada met Otto."}); len(x.Entities) != 2 {
		t.Errorf("entities %v", x.Entities)
	}
}

// wrongSpans is a tagger of spans that no text has.
type wrongSpans struct{}

func (wrongSpans) Name() string { return "wrong" }

func (wrongSpans) Tag(_ context.Context, s string) ([]encoder.Span, error) {
	var out []encoder.Span
	for _, at := range [][2]int{{-4, 2}, {0, len(s) + 1}, {5, 4}, {2, 2}, {3, 4}} {
		out = append(out, encoder.Span{Start: at[0], End: at[1], Type: "PER", Score: 1})
	}
	return append(out, encoder.Span{Start: 4, End: 7, Type: "PER", Score: .1}), nil
}

// TestNamesOfTagger says that the names of a text are those of the rules with those
// that a tagger adds, each in its sentence.
func TestNamesOfTagger(t *testing.T) {
	const s = "They met Ines Tolland in 1901. Bread met Otto in Orsk."
	for name, c := range map[string]struct {
		tagger encoder.Tagger
		want   []string
	}{
		"rules":  {nil, []string{"0 ines tolland", "0 1901", "1 otto", "1 orsk"}},
		"tagger": {spanList{"PER Ines Tolland", "PER Bread"}, []string{"0 ines tolland", "0 1901", "1 bread", "1 otto", "1 orsk"}},
	} {
		names, err := local.New(local.Options{Tagger: c.tagger}).Names(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range names {
			got = append(got, fmt.Sprint(n.Sentence, " ", n.Key))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if _, err := local.New(local.Options{Tagger: spanList{"PER Nobody"}}).Names(t.Context(), s); err == nil {
		t.Error("a tagger that fails is not told of")
	}
}
