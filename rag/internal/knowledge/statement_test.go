package knowledge_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/llm"
)

// TestSaid says which part of a text says what.
func TestSaid(t *testing.T) {
	t.Parallel()
	f := knowledge.NewFinder([]string{
		"Ada Fenn repaired the lamp.", "Adafenn is nobody. Brom met Ada Fenn; Ada Fenn left.", "Celia sold a lamp to Brom.",
	}, nil)
	x := llm.Extraction{
		Entities: []llm.Entity{
			{Name: "Ada Fenn", Description: "repairs"}, {Name: "ada fenn", Description: "left"}, {Name: "Brom", Description: "met"},
			{Name: "Celia"}, {Name: "Nowhere", Description: "is not said"}, {Name: "!"},
		},
		Relations: []llm.Relation{
			{Source: "Brom", Target: "Ada Fenn", Description: "met", Strength: 2},
			{Source: "Ada Fenn", Target: "Brom", Description: "left", Strength: 3},
			{Source: "Celia", Target: "Brom", Description: "sold"},
			{Source: "Ada Fenn", Target: "Celia", Description: "apart", Strength: 1},
			{Source: "Brom", Target: "brom", Description: "himself"},
			{Source: "Brom", Target: "", Description: "nobody"},
			{Source: "Ada Fenn", Target: "Dora", Description: "is unlisted"},
		},
	}
	type line struct {
		target string
		part   int
		count  uint32
		weight float32
		texts  string
	}
	check := func(what string, got []knowledge.Statement, want []line) {
		t.Helper()
		var lines []line
		for _, s := range got {
			text := ""
			for _, d := range s.Texts {
				text += d + ";"
			}
			lines = append(lines, line{s.Target, s.Part, s.Count, s.Weight, text})
		}
		if !slices.Equal(lines, want) {
			t.Errorf("%s:\n got %v\nwant %v", what, lines, want)
		}
	}
	check("entities", f.Entities(x), []line{
		{"ada fenn", 0, 1, 0, "repairs;left;"}, {"ada fenn", 1, 2, 0, "repairs;left;"},
		{"brom", 1, 1, 0, "met;"}, {"brom", 2, 1, 0, "met;"}, {"celia", 2, 1, 0, ""},
		{"dora", 0, 0, 0, "is unlisted;"},    // named by a relation only
		{"nowhere", 0, 1, 0, "is not said;"}, // the first part where none says it
	})
	check("relations", f.Relations(x), []line{
		{"ada fenn|brom", 1, 2, 5, "met;left;"}, // the part that has both
		{"ada fenn|celia", 0, 1, 1, "apart;"},   // none has both: the source's first
		{"ada fenn|dora", 0, 1, 1, "is unlisted;"},
		{"brom|celia", 2, 1, 1, "sold;"},
	})
}
