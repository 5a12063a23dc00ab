package knowledge

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// Canonical is the name that an alias is read as.
type Canonical struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

// canonical returns what the names in an extraction are read as, by key, those that
// are read as others.
func canonical(all corpus.Aliases, x llm.Extraction) map[string]Canonical {
	if len(all) == 0 {
		return nil
	}
	out := map[string]Canonical{}
	add := func(name string) {
		key := text.Key(name)
		if into, last, ok := all.Of(key); ok {
			out[key] = Canonical{into, last.Into}
		}
	}
	for _, e := range x.Entities {
		add(e.Name)
	}
	for _, r := range x.Relations {
		add(r.Source)
		add(r.Target)
	}
	return out
}

// as returns the key that a key is read as.
func (f *Finder) as(key string) string {
	if c, ok := f.aliases[key]; ok {
		return c.Key
	}
	return key
}

// joined returns statements about entities as they are read: those about names that
// are read as one are one statement of each part. What texts list counts before what
// relations say of their ends.
func (f *Finder) joined(all []Statement) []Statement {
	if len(f.aliases) == 0 {
		return all
	}
	for i := range all {
		if c, ok := f.aliases[all[i].Target]; ok {
			all[i].Target, all[i].Label = c.Key, c.Name
		}
	}
	slices.SortStableFunc(all, func(a, b Statement) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Part, b.Part), cmp.Compare(min(b.Count, 1), min(a.Count, 1)))
	})
	var out []Statement
	for _, s := range all {
		n := len(out)
		if n == 0 || out[n-1].Target != s.Target || out[n-1].Part != s.Part {
			out = append(out, s)
			continue
		}
		have := &out[n-1]
		if have.Count > 0 && s.Count == 0 {
			continue
		}
		have.Count += s.Count
		for _, t := range s.Texts {
			if !slices.Contains(have.Texts, t) {
				have.Texts = append(slices.Clip(have.Texts), t)
			}
		}
	}
	return out
}
