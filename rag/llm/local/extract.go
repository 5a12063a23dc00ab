package local

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// maxDescription is the number of sentences that describe an entity.
const maxDescription = 3

// dateType is the type of the entities that are dates.
const dateType = "date"

// A mention is a place where a text names one of its entities.
type mention struct {
	key        string
	start, end int // bytes of the text
	sentence   int
}

// An extractor reads the entities and relations of one text.
type extractor struct {
	text      string
	sentences []text.Span
	mentions  []mention         // by start, the longer first
	surfaces  map[string]string // by key
	types     map[string]string // by key
}

// extract implements the kind extract.
//
// Entities are the names of the text (text.Names) and, if it has fewer of
// them than sentences, also its terms: those that stand in two sentences or
// more, and, if it has fewer than half as many names as sentences, in a sentence with
// fewer than two entities all of them. Forms with and without an s at the end are one. An entity
// is called by its most frequent surface, has the type "date", that of the tagger
// or none, and is described by the first three sentences that name it. They come by
// their first mention. With a tagger its names are added to those of the text, see
// [tagged.add].
//
// Relations are anchored to sentences, see [extractor.relations].
func (p *Provider) extract(ctx context.Context, in llm.ExtractInput) (llm.Extraction, error) {
	x := extractor{
		text:      in.Text,
		sentences: text.Sentences(in.Text),
		surfaces:  map[string]string{},
		types:     map[string]string{},
	}
	names := text.Names(in.Text, p.names)
	var terms []text.Name
	if countProper(names) < len(x.sentences) {
		terms = anchorTerms(in.Text, x.sentences, names)
	}
	if p.tagger != nil {
		found, err := p.tag(ctx, in.Text, x.sentences)
		if err != nil {
			return llm.Extraction{}, err
		}
		names, terms = found.add(names, terms)
		x.types = found.types
	}
	x.add(mergeForms(append(names, terms...)))
	slices.SortStableFunc(x.mentions, func(a, b mention) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	title := text.Key(in.Title)
	named := x.surfaces[title] != ""
	if !named {
		x.surfaces[title] = clean(in.Title)
	}
	out := llm.Extraction{Entities: x.described(), Relations: x.relations(title)}
	first := slices.IndexFunc(out.Relations, func(r llm.Relation) bool { return r.Source == x.surfaces[title] })
	if !named && first >= 0 {
		out.Entities = append(out.Entities,
			llm.Entity{Name: x.surfaces[title], Type: x.types[title], Description: out.Relations[first].Sentence})
	}
	return out, nil
}

// countProper returns the number of names that are not dates.
func countProper(names []text.Name) int {
	n := 0
	for _, name := range names {
		if name.Kind != text.Date {
			n++
		}
	}
	return n
}

// add adds the mentions of names.
func (x *extractor) add(names []text.Name) {
	uses := map[[2]string]int{}
	most := map[string]int{}
	for _, n := range names {
		x.mentions = append(x.mentions, mention{n.Key, n.Start, n.End, n.Sentence})
		if n.Kind == text.Date {
			x.types[n.Key] = dateType
		}
		surface := clean(n.Surface)
		use := [2]string{n.Key, surface}
		uses[use]++
		if uses[use] > most[n.Key] { // of equally frequent ones the first to be so
			most[n.Key] = uses[use]
			x.surfaces[n.Key] = surface
		}
	}
}

// mergeForms gives the names that differ from another by an s at the end its key, unless they
// are of capitalised words: compactors is compactor, Williams is not William.
func mergeForms(names []text.Name) []text.Name {
	known := map[string]bool{}
	for _, n := range names {
		known[n.Key] = true
	}
	for i, n := range names {
		if one, ok := strings.CutSuffix(n.Key, "s"); ok && known[one] && (n.Kind != text.Proper || n.Surface == strings.ToLower(n.Surface)) {
			names[i].Key = one
		}
	}
	return names
}

// described returns the entities by their first mention.
func (x *extractor) described() []llm.Entity {
	type parts struct {
		sentences []string
		last      int // sentence that was added last
	}
	var keys []string
	about := map[string]*parts{}
	for _, m := range x.mentions {
		d := about[m.key]
		if d == nil {
			d = &parts{last: -1}
			about[m.key] = d
			keys = append(keys, m.key)
		}
		if d.last != m.sentence && len(d.sentences) < maxDescription {
			d.last = m.sentence
			d.sentences = append(d.sentences, x.sentence(m.sentence))
		}
	}
	out := make([]llm.Entity, len(keys))
	for i, key := range keys {
		out[i] = llm.Entity{Name: x.surfaces[key], Type: x.types[key],
			Description: strings.Join(about[key].sentences, " ")}
	}
	return out
}

// sentence returns the text of a sentence on one line.
func (x *extractor) sentence(i int) string {
	sp := x.sentences[i]
	return clean(x.text[sp.Start:sp.End])
}
