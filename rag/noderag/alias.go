package noderag

import (
	"maps"
	"slices"

	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/noderag/schema"
)

// as returns what a chunk is taken apart to with names that are read as others, by
// key: entities of one thing are one, and so are the relationships of theirs.
func (d decomposed) as(aliases map[string]knowledge.Canonical) decomposed {
	named := func(key string) bool { _, ok := aliases[key]; return ok }
	if !slices.ContainsFunc(d.Entities, func(e mention) bool { return named(e.Key) }) {
		return d
	}
	key := func(key string) string {
		if c, ok := aliases[key]; ok {
			return c.Key
		}
		return key
	}
	out := decomposed{Chunk: d.Chunk, Tokens: d.Tokens}
	counted := map[string]int{}
	ends := map[string]string{} // keys of relationships, as they are read
	pairs := map[string]*stated{}
	for _, r := range d.Relations {
		from, to := key(r.From), key(r.To)
		from, to = min(from, to), max(from, to)
		ends[r.Key] = schema.RelationKey(from, to)
		have := pairs[ends[r.Key]]
		if have == nil {
			have = &stated{Key: ends[r.Key], From: from, To: to}
			pairs[have.Key] = have
		}
		for _, t := range r.Texts {
			if !slices.Contains(have.Texts, t) {
				have.Texts = append(have.Texts, t)
			}
		}
	}
	for _, u := range d.Units {
		made := unit{Text: u.Text, Entities: each(u.Entities, key), Ends: each(u.Ends, func(k string) string { return ends[k] })}
		for _, k := range made.Entities {
			counted[k]++
		}
		out.Units = append(out.Units, made)
	}
	labels := map[string]string{}
	for _, e := range d.Entities {
		k := key(e.Key)
		if c, ok := aliases[e.Key]; ok && labels[k] == "" {
			labels[k] = c.Name
		} else if !ok {
			labels[k] = e.Label // as the chunk itself writes it
		}
	}
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		out.Entities = append(out.Entities, mention{k, labels[k], counted[k]})
	}
	for _, k := range sorted(pairs) {
		out.Relations = append(out.Relations, *pairs[k])
	}
	return out
}

// each returns the keys that keys are read as, in order, each once.
func each(keys []string, as func(string) string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = as(k)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
