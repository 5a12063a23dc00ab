package knowledge

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// Statement is what one part of a text says of an entity or relation.
type Statement struct {
	Part int
	// Target is the entity's key, or the keys of the relation's ends with | between
	// them, the first in order before the other.
	Target string
	// Contribution has count 0 if the entity was named as the end of a relation only.
	engine.Contribution
}

// separator stands between the keys of a relation's ends. Keys hold words and
// blanks only.
const separator = "|"

// RelationKey is the key of the node of the relation of two entities.
func RelationKey(a, b string) string { return min(a, b) + separator + max(a, b) }

// Entities returns what the parts say of the entities that were found, in order
// of key and part. Each entity is said by all wanted parts that hold it, and the
// count is how often a part does. The end of a relation that is not listed is an
// entity with count 0, which the relations describe. Names that are read as one are
// one entity.
func (f *Finder) Entities(x llm.Extraction) []Statement {
	var out []Statement
	listed := map[string]bool{}
	for _, e := range x.Entities {
		key := text.Key(e.Name)
		if key == "" {
			continue
		}
		listed[key] = true
		for _, p := range f.Parts(key) {
			out = append(out, statement(p, key, e.Name, e.Description, max(1, f.Count(p, key))))
		}
	}
	for _, r := range x.Relations {
		from, to := text.Key(r.Source), text.Key(r.Target)
		part := f.Relation(r)
		if part < 0 || from == "" || to == "" || from == to {
			continue
		}
		for _, end := range [][2]string{{from, r.Source}, {to, r.Target}} {
			if !listed[end[0]] || len(f.Parts(end[0])) == 0 {
				out = append(out, statement(part, end[0], end[1], r.Description, 0))
			}
		}
	}
	return f.joined(unite(out))
}

func statement(part int, key, label, description string, count int) Statement {
	s := Statement{Part: part, Target: key, Contribution: engine.Contribution{Count: uint32(count), Label: label}}
	if description != "" {
		s.Texts = []string{description}
	}
	return s
}

// Relations returns what the parts say of the relations that were found, in order
// of key and part. The weight is the sum of the strengths, 1 for each that a model
// gives none; the count is how many relations it unites.
func (f *Finder) Relations(x llm.Extraction) []Statement {
	var out []Statement
	for _, r := range x.Relations {
		from, to := text.Key(r.Source), text.Key(r.Target)
		part := f.Relation(r)
		if part < 0 || from == "" || to == "" || from == to {
			continue
		}
		if from, to = f.as(from), f.as(to); from == to {
			continue // of two names of one thing
		}
		s := statement(part, RelationKey(from, to), "", r.Description, 1)
		if s.Weight = float32(r.Strength); s.Weight <= 0 {
			s.Weight = 1
		}
		out = append(out, s)
	}
	return unite(out)
}

// unite makes one statement of those of a part about the same target, in order of
// target and part. Weights and counts of relations are added; texts are kept once;
// the label and the count of an entity are the first's.
func unite(all []Statement) []Statement {
	slices.SortStableFunc(all, func(a, b Statement) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Part, b.Part))
	})
	var out []Statement
	for _, s := range all {
		n := len(out)
		if n == 0 || out[n-1].Target != s.Target || out[n-1].Part != s.Part {
			out = append(out, s)
			continue
		}
		have := &out[n-1]
		if s.Weight > 0 {
			have.Weight += s.Weight
			have.Count += s.Count
		}
		for _, t := range s.Texts {
			if !slices.Contains(have.Texts, t) {
				have.Texts = append(slices.Clip(have.Texts), t)
			}
		}
	}
	return out
}

// kinds counts what kinds the parts say that each entity is of.
func (f *Finder) kinds(x llm.Extraction) map[place]map[string]int {
	out := map[place]map[string]int{}
	for _, e := range x.Entities {
		key, kind := text.Key(e.Name), text.Key(e.Type)
		if key == "" || kind == "" {
			continue
		}
		for _, p := range f.Parts(key) {
			at := place{p, f.as(key)}
			if out[at] == nil {
				out[at] = map[string]int{}
			}
			out[at][kind]++
		}
	}
	return out
}

// place is where an entity is spoken of.
type place struct {
	part int
	key  string
}
