package mention

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/text"
)

// Said is what one part says of an entity or relation.
type Said struct {
	Part int
	// Target is the entity's key, or the keys of the relation's ends, the
	// first in order before the other.
	Target string
	engine.Contribution
	// Times is how many findings it unites.
	Times int
}

// Entities returns what the parts say of the entities that were found, one
// after the other: each is said by all parts that hold it. The count is how
// often a part does.
func (f *Finder) Entities(x llm.Extraction) []Said {
	var out []Said
	for _, e := range x.Entities {
		key := text.Key(e.Name)
		if key == "" {
			continue
		}
		for _, p := range f.Parts(key) {
			c := engine.Contribution{Count: uint32(max(1, f.Count(p, key))), Label: e.Name}
			if e.Description != "" {
				c.Texts = []string{e.Description}
			}
			out = append(out, Said{p, key, c, 1})
		}
	}
	return out
}

// Relations returns what the parts say of the relations that were found, one
// after the other. A relation is said by the first part that holds both ends,
// else by the first that holds the source; sep stands between the ends' keys.
// The weight is the strength, 1 where a model gives none.
func (f *Finder) Relations(x llm.Extraction, sep string) []Said {
	var out []Said
	for _, r := range x.Relations {
		from, to := text.Key(r.Source), text.Key(r.Target)
		if from == "" || to == "" || from == to {
			continue
		}
		c := engine.Contribution{Weight: float32(r.Strength), Count: 1}
		if c.Weight <= 0 {
			c.Weight = 1
		}
		if r.Description != "" {
			c.Texts = []string{r.Description}
		}
		out = append(out, Said{f.Shared(from, to), min(from, to) + sep + max(from, to), c, 1})
	}
	return out
}

// Unite makes one of what a part says of the same target, in order of target
// and part: weights are added, texts kept once, the count is the first's.
func Unite(all []Said) []Said {
	slices.SortStableFunc(all, func(a, b Said) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Part, b.Part))
	})
	var out []Said
	for _, s := range all {
		n := len(out)
		if n == 0 || out[n-1].Target != s.Target || out[n-1].Part != s.Part {
			out = append(out, s)
			continue
		}
		have := &out[n-1]
		have.Weight += s.Weight
		have.Times += s.Times
		for _, t := range s.Texts {
			if !slices.Contains(have.Texts, t) {
				have.Texts = append(slices.Clip(have.Texts), t)
			}
		}
	}
	return out
}
