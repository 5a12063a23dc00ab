package hirag

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/mention"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/text"
)

// entities returns what each chunk says of each entity, in order of key and
// chunk. The ends of relations that are not listed are entities without a
// count, described by their relations: the reference calls them UNKNOWN.
func entities(names *mention.Finder, x llm.Extraction) []mention.Said {
	out := names.Entities(x)
	listed := map[string]bool{}
	for _, s := range out {
		listed[s.Target] = true
	}
	for _, r := range x.Relations {
		for _, name := range []string{r.Source, r.Target} {
			key := text.Key(name)
			if key == "" || listed[key] || text.Key(r.Source) == text.Key(r.Target) {
				continue
			}
			s := mention.Said{Part: names.Parts(key)[0], Target: key, Contribution: engine.Contribution{Label: name}}
			if r.Description != "" {
				s.Texts = []string{r.Description}
			}
			out = append(out, s)
		}
	}
	return mention.Unite(out)
}

// place is where an entity is spoken of.
type place struct {
	part int
	key  string
}

// kindsOf counts what kinds each chunk says that entities are of.
func kindsOf(names *mention.Finder, x llm.Extraction) map[place]map[string]int {
	out := map[place]map[string]int{}
	for _, e := range x.Entities {
		key, kind := text.Key(e.Name), kindOf(e.Type)
		if key == "" || kind == "" {
			continue
		}
		for _, p := range names.Parts(key) {
			at := place{p, key}
			if out[at] == nil {
				out[at] = map[string]int{}
			}
			out[at][kind]++
		}
	}
	return out
}

// kindOf returns the key of a kind, "" for none.
func kindOf(s string) string { return text.Key(s) }

// strength is 1 where a model gives none.
func strength(r llm.Relation) float64 {
	if r.Strength <= 0 {
		return 1
	}
	return r.Strength
}
