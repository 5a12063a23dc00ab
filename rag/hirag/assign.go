package hirag

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/mention"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/text"
)

// said is what one chunk says of an entity or relation.
type said struct {
	part   int
	target string // entity key, or the relation's two
	engine.Contribution
	kinds map[string]int // votes
}

// assigner tells which chunks of a unit say what was found in it.
type assigner struct{ *mention.Finder }

func newAssigner(texts []string) *assigner { return &assigner{mention.New(texts)} }

// entities returns what each chunk says of each entity, in order of key and
// chunk. The ends of relations that are not listed are entities without a
// count, described by their relations: the reference calls them UNKNOWN.
func (a *assigner) entities(x llm.Extraction) []said {
	var out []said
	listed := map[string]bool{}
	for _, e := range x.Entities {
		key := text.Key(e.Name)
		if key == "" {
			continue
		}
		listed[key] = true
		for _, p := range a.Parts(key) {
			s := said{part: p, target: key}
			s.Contribution = engine.Contribution{Count: uint32(max(1, a.Count(p, key))), Label: e.Name}
			if e.Description != "" {
				s.Texts = []string{e.Description}
			}
			if k := kindOf(e.Type); k != "" {
				s.kinds = map[string]int{k: 1}
			}
			out = append(out, s)
		}
	}
	for _, r := range x.Relations {
		for _, name := range []string{r.Source, r.Target} {
			key := text.Key(name)
			if key == "" || listed[key] || text.Key(r.Source) == text.Key(r.Target) {
				continue
			}
			s := said{part: a.Parts(key)[0], target: key, Contribution: engine.Contribution{Label: name}}
			if r.Description != "" {
				s.Texts = []string{r.Description}
			}
			out = append(out, s)
		}
	}
	return united(out)
}

// relations returns what each chunk says of each relation. It is said by the
// first chunk that holds both ends, else by the first that holds the source.
// Its weight is the sum of the strengths of all mentions.
func (a *assigner) relations(x llm.Extraction) []said {
	var out []said
	for _, r := range x.Relations {
		from, to := text.Key(r.Source), text.Key(r.Target)
		if from == "" || to == "" || from == to {
			continue
		}
		p := a.Shared(from, to)
		s := said{part: p, target: min(from, to) + "\x00" + max(from, to)}
		s.Contribution = engine.Contribution{Weight: float32(strength(r)), Count: 1}
		if r.Description != "" {
			s.Texts = []string{r.Description}
		}
		out = append(out, s)
	}
	return united(out)
}

// strength is 1 where a model gives none.
func strength(r llm.Relation) float64 {
	if r.Strength <= 0 {
		return 1
	}
	return r.Strength
}

// united makes one contribution of those of one chunk to one target, in order
// of target and chunk.
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
		have.Count = max(have.Count, s.Count)
		for _, t := range s.Texts {
			if !slices.Contains(have.Texts, t) {
				have.Texts = append(slices.Clip(have.Texts), t)
			}
		}
		for k, n := range s.kinds {
			if have.kinds == nil {
				have.kinds = map[string]int{}
			}
			have.kinds[k] += n
		}
	}
	return out
}
