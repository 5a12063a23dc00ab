package replay

import (
	"slices"
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// maxDescription is the number of sentences that describe an entity.
const maxDescription = 3

// region is a part of a text that is, or is a part of, a passage.
type region struct {
	*Passage
	whole     bool
	spelled   string // with the title if that stands before it
	sentences []sentence
}

type sentence struct{ text, spelled string }

// spelled returns the folded words of a text, each between blanks.
func spelled(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for w := range lex.Words(s) {
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// holds reports whether a spelled text has the words of a key.
func holds(spelled, key string) bool { return strings.Contains(spelled, " "+key+" ") }

// Extract returns what is recorded of a text; ok is false if it is not. The
// types that are wanted do not matter, since recordings have none.
func (r *Recordings) Extract(in llm.ExtractInput) (out llm.Extraction, ok bool) {
	spans := fields(in.Text)
	words := make([]uint32, len(spans))
	for i, sp := range spans {
		words[i] = r.ids[in.Text[sp.Start:sp.End]]
	}
	runs := r.find(words, in.Title)
	if len(runs) == 0 {
		return out, false
	}
	x := extraction{names: map[string]int{}, places: map[Triple][]string{}}
	regions := make([]region, len(runs))
	for i, u := range runs {
		part := in.Text[spans[u.from].Start:spans[u.to-1].End]
		g := region{
			Passage: &r.passages[u.passage], whole: u.len() == len(r.words[u.passage]),
			spelled: spelled(in.Text[spans[u.from-u.title].Start:spans[u.to-1].End]),
		}
		for _, sp := range text.Sentences(part) {
			s := text.OneLine(part[sp.Start:sp.End])
			g.sentences = append(g.sentences, sentence{s, spelled(s)})
		}
		regions[i] = g
	}
	for i := range regions {
		x.add(&regions[i])
	}
	x.describe(regions)
	return x.out(), true
}

// extraction is an extraction in the making.
type extraction struct {
	entities  []llm.Entity
	keys      []string
	names     map[string]int // key -> place among the entities
	relations []llm.Relation
	places    map[Triple][]string // by the triple in keys: the places that say it
}

// add adds what a region has.
func (x *extraction) add(g *region) {
	for _, name := range g.Entities {
		if key := text.Key(name); key != "" && (g.whole || holds(g.spelled, key)) {
			x.entity(key, name)
		}
	}
	for _, t := range g.Triples {
		from, to := text.Key(t[0]), text.Key(t[2])
		if from == "" || to == "" || !g.whole && !(holds(g.spelled, from) && holds(g.spelled, to)) {
			continue
		}
		says := ""
		for _, s := range g.sentences {
			if holds(s.spelled, from) && holds(s.spelled, to) {
				says = s.text
				break
			}
		}
		x.entity(from, t[0])
		x.entity(to, t[2])
		// What a sentence says is said once, and so is what a passage says in
		// no sentence.
		same, place := Triple{from, text.OneLine(t[1]), to}, says
		if place == "" {
			place = "\x00" + g.ID
		}
		if slices.Contains(x.places[same], place) {
			continue
		}
		x.places[same] = append(x.places[same], place)
		x.relations = append(x.relations, llm.Relation{
			Source: x.entities[x.names[from]].Name, Target: x.entities[x.names[to]].Name,
			Description: t.String(), Strength: 1, Sentence: says,
		})
	}
}

// entity adds an entity if there is none of its key.
func (x *extraction) entity(key, name string) {
	if _, ok := x.names[key]; ok {
		return
	}
	x.names[key] = len(x.entities)
	x.keys = append(x.keys, key)
	x.entities = append(x.entities, llm.Entity{Name: text.OneLine(name)})
}

// describe describes the entities by the sentences that name them.
func (x *extraction) describe(regions []region) {
	for i, key := range x.keys {
		var about []string
		for _, g := range regions {
			for _, s := range g.sentences {
				if len(about) < maxDescription && holds(s.spelled, key) {
					about = append(about, s.text)
				}
			}
		}
		x.entities[i].Description = strings.Join(about, " ")
	}
}

func (x *extraction) out() llm.Extraction {
	out := llm.Extraction{Entities: x.entities, Relations: x.relations}
	if out.Entities == nil {
		out.Entities = []llm.Entity{}
	}
	if out.Relations == nil {
		out.Relations = []llm.Relation{}
	}
	return out
}
