package local

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// maxSummaries bounds the entities that sum a cluster up.
const maxSummaries = 3

// summaryEntities implements the kind summary-entities: up to three entities for the
// cluster, each called by a term or name that several members share, with a relation
// from each of these. If they share none, one entity is called by the first members,
// and these are related to it. Its type is the most frequent one of its members, if
// that is one of the types wanted.
func (p *Provider) summaryEntities(ctx context.Context, in llm.SummaryEntitiesInput, limit int) (llm.Extraction, []string, error) {
	out := llm.Extraction{Entities: []llm.Entity{}, Relations: []llm.Relation{}}
	if len(in.Entities) == 0 {
		return out, nil, nil
	}
	var read []string
	for _, e := range in.Entities {
		if err := ctx.Err(); err != nil {
			return out, nil, err
		}
		read = append(read, closed(clean(e.Description)))
	}
	shared := p.sharedTerms(in.Entities)
	if len(shared) == 0 {
		group := sharedTerm{surface: "Group of "}
		for i, e := range in.Entities[:min(len(in.Entities), titleNames)] {
			if i > 0 {
				group.surface += ", "
			}
			group.surface += clean(e.Name)
			group.members = append(group.members, i)
		}
		shared = []sharedTerm{group}
	}
	for _, term := range shared {
		some := llm.SummaryEntitiesInput{Types: in.Types}
		var said []string
		for _, i := range term.members {
			some.Entities = append(some.Entities, in.Entities[i])
			said = append(said, read[i])
			member := clean(in.Entities[i].Name)
			out.Relations = append(out.Relations, llm.Relation{
				Source: member, Target: term.surface, Description: member + " belongs to " + term.surface, Strength: 1})
		}
		description, err := p.summary(ctx, said, limit/len(shared))
		if err != nil {
			return out, nil, err
		}
		out.Entities = append(out.Entities, llm.Entity{Name: term.surface, Type: sharedType(some), Description: description})
	}
	return out, read, nil
}

// sharedTerm is a term or name that several entities share.
type sharedTerm struct {
	surface string
	members []int // places of the entities, ascending
	digits  int   // of how often its rarest word is in the corpus
}

// sharedTerms returns up to three terms or names that members of a cluster share and
// that are no member's name. A term has to be a name, to have two words, or to be a
// word of the members' own names: "born" sums nothing up. The first is the one for
// which
//
//	members / binary digits of how often its rarest word is in the corpus
//
// is greatest, the longer and then the earlier of equals; the next ones count the
// members alone that have none of those before, of which there have to be two.
func (p *Provider) sharedTerms(entities []llm.Entity) []sharedTerm {
	own := map[string]bool{}
	words := map[string]int{} // of names: how many members have it
	for _, e := range entities {
		key := text.Key(e.Name)
		own[key] = true
		for _, w := range slices.Compact(slices.Sorted(strings.FieldsSeq(key))) {
			words[w]++
		}
	}
	var keys []string
	terms := map[string]*sharedTerm{}
	for i, e := range entities {
		seen := map[string]bool{}
		names := text.Names(e.Description, p.names)
		for k, n := range append(names, text.Terms(e.Description, names)...) {
			single := k >= len(names) && !strings.Contains(n.Key, " ") && words[n.Key] < 2
			if own[n.Key] || seen[n.Key] || single || n.Kind == text.Date {
				continue
			}
			seen[n.Key] = true
			t := terms[n.Key]
			if t == nil {
				t = &sharedTerm{surface: clean(n.Surface), digits: p.digits(n.Key)}
				terms[n.Key] = t
				keys = append(keys, n.Key)
			}
			t.members = append(t.members, i)
		}
	}
	var out []sharedTerm
	covered := map[int]bool{}
	for range maxSummaries {
		best, most := "", 0
		for _, k := range keys {
			n := 0
			for _, i := range terms[k].members {
				if !covered[i] {
					n++
				}
			}
			if n < 2 {
				continue
			}
			// n/digits is compared crosswise, without fractions.
			if b := terms[best]; b == nil || n*b.digits > most*terms[k].digits || n*b.digits == most*terms[k].digits && len(k) > len(best) {
				best, most = k, n
			}
		}
		if best == "" {
			break
		}
		out = append(out, *terms[best])
		for _, i := range terms[best].members {
			covered[i] = true
		}
		delete(terms, best)
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == best })
	}
	return out
}

// digits returns the number of binary digits of how often the rarest word of a key
// is in the corpus, 1 at least.
func (p *Provider) digits(key string) int {
	least := -1
	for w := range strings.FieldsSeq(key) {
		if n := int(p.names.Lower(w) + p.names.Upper(w)); least < 0 || n < least {
			least = n
		}
	}
	return max(1, bits.Len(uint(max(0, least))))
}

// sharedType returns the most frequent type of the members, the first of
// equals, or "" if it is not wanted.
func sharedType(in llm.SummaryEntitiesInput) string {
	n := map[string]int{}
	best := ""
	for _, e := range in.Entities {
		if e.Type == "" || in.Types != nil && !slices.Contains(in.Types, e.Type) {
			continue
		}
		n[e.Type]++
	}
	for _, e := range in.Entities {
		if n[e.Type] > n[best] {
			best = e.Type
		}
	}
	return best
}
