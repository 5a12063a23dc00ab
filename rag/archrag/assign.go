package archrag

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/mention"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/text"
)

// said is what one part of a unit says of an entity or relation.
type said struct {
	part   int
	target string // key of the entity or of the relation's node
	engine.Contribution
}

// assigner tells which parts of a unit say what was found in it.
type assigner struct{ *mention.Finder }

func newAssigner(texts []string) *assigner { return &assigner{mention.New(texts)} }

// entities returns what each part says of each entity, in order of key and
// part.
func (a *assigner) entities(x llm.Extraction) []said {
	var out []said
	for _, e := range x.Entities {
		key := text.Key(e.Name)
		if key == "" {
			continue
		}
		for _, p := range a.Parts(key) {
			c := engine.Contribution{Count: 1, Label: e.Name}
			if e.Description != "" {
				c.Texts = []string{e.Description}
			}
			out = append(out, said{p, key, c})
		}
	}
	return united(out)
}

// relations returns what each part says of each relation. It is said by the
// first part that holds both ends, else by the first that holds the source.
func (a *assigner) relations(x llm.Extraction) []said {
	var out []said
	for _, r := range x.Relations {
		from, to := text.Key(r.Source), text.Key(r.Target)
		if from == "" || to == "" || from == to {
			continue
		}
		p := a.Shared(from, to)
		if from > to {
			from, to = to, from
		}
		c := engine.Contribution{Weight: float32(r.Strength), Count: 1}
		if c.Weight <= 0 {
			c.Weight = 1
		}
		if r.Description != "" {
			c.Texts = []string{r.Description}
		}
		out = append(out, said{p, relationKey(from, to), c})
	}
	return united(out)
}

// united makes one contribution of those of one part to one target, in order
// of target and part.
func united(all []said) []said {
	slices.SortStableFunc(all, func(a, b said) int {
		return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.part, b.part))
	})
	var out []said
	for _, s := range all {
		n := len(out)
		if n == 0 || out[n-1].target != s.target || out[n-1].part != s.part {
			out = append(out, s)
			continue
		}
		have := &out[n-1]
		have.Weight += s.Weight
		have.Count += s.Count
		for _, t := range s.Texts {
			if !slices.Contains(have.Texts, t) {
				have.Texts = append(slices.Clip(have.Texts), t)
			}
		}
	}
	return out
}
