package noderag

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// decomposed is what one chunk is taken apart to.
type decomposed struct {
	Chunk     string    `json:"chunk"`
	Tokens    int       `json:"tokens"`
	Units     []unit    `json:"units"`
	Entities  []mention `json:"entities"`  // in order of key
	Relations []stated  `json:"relations"` // in order of the ends' keys
}

// unit is a semantic unit, S.
type unit struct {
	Text     string   `json:"text"`
	Entities []string `json:"entities"` // keys, in order
	Ends     []string `json:"ends"`     // keys of the relationships stated in it
}

// mention is an entity, N, with the number of units that list it.
type mention struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Count int    `json:"count"`
}

// stated is a relationship, R: all that is said of two entities, in both
// directions.
type stated struct {
	Key      string   `json:"key"`
	From, To string   // keys of entities, From the lesser or equal
	Texts    []string `json:"texts"`
}

// unitKey is the key of a unit of a text.
func unitKey(text string) string {
	d := method.Digest("unit", text)
	return hex.EncodeToString(d[:16])
}

// decomposer takes one chunk apart.
type decomposer struct {
	units   []*openUnit
	rest    *openUnit // of what belongs to no sentence; nil while there is none
	labels  map[string]string
	counted map[string]int
	pairs   map[string]*stated
}

// openUnit is a unit in the making.
type openUnit struct {
	text, spelled string
	entities      map[string]bool
	ends          map[string]bool
	when          string // as [normalTime] writes it; "" if it is not known
}

// decompose makes units, entities and relationships of what was read in a
// text. Units are those that the model gave, else the text's sentences, that hold
// entities. A unit lists the entities that stand in it as whole words, its time if that
// can be written as 2024-09-30, and the ends of the relations that belong to it. A
// relation belongs to the sentence that it names, else to the one of those that hold
// both ends which has most of its words, else to one more unit of the relations that
// belong to none. An entity that is in no unit then is listed by the first that holds one of
// its words, else by the first; the relations' ends are well formed.
func decompose(body string, tokens int, x llm.Extraction) decomposed {
	d := decomposer{labels: map[string]string{}, counted: map[string]int{}, pairs: map[string]*stated{}}
	for _, u := range x.Units {
		line := text.OneLine(u.Text)
		if line == "" {
			continue
		}
		when, normal := normalTime(u.Time)
		if !strings.Contains(line, text.OneLine(u.Time)) {
			line += " (" + when + ")"
		}
		made := newUnit(line)
		if normal {
			made.when = when
		}
		d.units = append(d.units, made)
	}
	if d.units == nil {
		for _, sp := range text.Sentences(body) {
			d.units = append(d.units, newUnit(text.OneLine(body[sp.Start:sp.End])))
		}
	}
	var keys []string
	for _, e := range x.Entities {
		key := text.Key(e.Name)
		if key == "" || d.labels[key] != "" {
			continue
		}
		d.labels[key] = text.OneLine(e.Name)
		keys = append(keys, key)
		for _, u := range d.units {
			if knowledge.Holds(u.spelled, key) {
				u.entities[key] = true
			}
		}
	}
	for _, u := range d.units {
		d.lists(u, u.when)
	}
	for _, r := range x.Relations {
		d.relation(r, nil)
	}
	for _, key := range keys {
		d.place(key)
	}
	return d.out(tokens)
}

func newUnit(line string) *openUnit {
	return &openUnit{text: line, spelled: knowledge.Spell(line), entities: map[string]bool{}, ends: map[string]bool{}}
}

// events makes units, entities and relationships of a text that a model has taken apart
// to events: what an event lists and states is the unit's, and so are times.
func events(tokens int, x llm.Decomposition) decomposed {
	d := decomposer{labels: map[string]string{}, counted: map[string]int{}, pairs: map[string]*stated{}}
	for _, e := range x.Units {
		line := text.OneLine(e.Text)
		if line == "" {
			continue
		}
		u := newUnit(line)
		d.units = append(d.units, u)
		for _, name := range e.Entities {
			if when, ok := normalTime(name); ok {
				name = when
			}
			d.lists(u, name)
		}
		for _, r := range e.Relations {
			d.relation(llm.Relation{Source: r.Source, Description: r.Relation, Target: r.Target}, u)
		}
	}
	return d.out(tokens)
}

// lists has a unit list a name; "" is none.
func (d *decomposer) lists(u *openUnit, name string) {
	key := text.Key(name)
	if key == "" {
		return
	}
	if d.labels[key] == "" {
		d.labels[key] = text.OneLine(name)
	}
	u.entities[key] = true
}

// relation adds a relation with its ends to the unit that it belongs to, or to one that
// is given.
func (d *decomposer) relation(r llm.Relation, u *openUnit) {
	from, to := text.Key(r.Source), text.Key(r.Target)
	if from == "" || to == "" {
		return
	}
	says := relationText(r, from, to)
	if u == nil {
		u = d.unitOf(r, from, to, says)
	}
	for key, name := range map[string]string{from: r.Source, to: r.Target} {
		if d.labels[key] == "" {
			d.labels[key] = text.OneLine(name)
		}
		u.entities[key] = true
	}
	if from > to {
		from, to = to, from
	}
	key := schema.RelationKey(from, to)
	u.ends[key] = true
	have := d.pairs[key]
	if have == nil {
		have = &stated{Key: key, From: from, To: to}
		d.pairs[key] = have
	}
	if !slices.Contains(have.Texts, says) {
		have.Texts = append(have.Texts, says)
	}
}

// relationText is a relation's text: its description if that names both
// ends, else source, description and target.
func relationText(r llm.Relation, from, to string) string {
	says := text.OneLine(r.Description)
	if words := knowledge.Spell(says); knowledge.Holds(words, from) && knowledge.Holds(words, to) {
		return says
	}
	return text.OneLine(r.Source + " " + says + " " + r.Target)
}

// unitOf returns the unit that a relation belongs to.
func (d *decomposer) unitOf(r llm.Relation, from, to, says string) *openUnit {
	if r.Sentence != "" {
		want := knowledge.Spell(r.Sentence)
		for _, u := range d.units {
			if u != d.rest && u.spelled == want {
				return u
			}
		}
	}
	var best *openUnit
	most := -1
	for _, u := range d.units {
		if u == d.rest || !knowledge.Holds(u.spelled, from) || !knowledge.Holds(u.spelled, to) {
			continue
		}
		if n := shared(u.spelled, says); n > most {
			best, most = u, n
		}
	}
	if best != nil {
		return best
	}
	if d.rest == nil {
		d.rest = newUnit("")
		d.units = append(d.units, d.rest)
	}
	if !strings.Contains(d.rest.text, says) {
		if d.rest.text != "" {
			d.rest.text += " "
		}
		d.rest.text += strings.TrimRight(says, ".") + "."
	}
	return d.rest
}

// shared counts the words of a text that a spelled one has too.
func shared(spelled, says string) (n int) {
	for w := range etext.Words(says) {
		if !etext.IsStop(w.Text) && knowledge.Holds(spelled, w.Text) {
			n++
		}
	}
	return n
}

// place lists an entity that no unit has.
func (d *decomposer) place(key string) {
	for _, u := range d.units {
		if u.entities[key] {
			return
		}
	}
	if len(d.units) == 0 {
		return
	}
	words := strings.Fields(key)
	at := slices.IndexFunc(d.units, func(u *openUnit) bool {
		return slices.ContainsFunc(words, func(w string) bool { return !etext.IsStop(w) && knowledge.Holds(u.spelled, w) })
	})
	d.units[max(0, at)].entities[key] = true
}

func (d *decomposer) out(tokens int) decomposed {
	out := decomposed{Tokens: tokens}
	for _, u := range d.units {
		if len(u.entities) == 0 {
			continue
		}
		made := unit{Text: u.text, Entities: sorted(u.entities), Ends: sorted(u.ends)}
		for _, key := range made.Entities {
			d.counted[key]++
		}
		out.Units = append(out.Units, made)
	}
	for _, key := range sorted(d.counted) {
		out.Entities = append(out.Entities, mention{key, d.labels[key], d.counted[key]})
	}
	for _, key := range sorted(d.pairs) {
		out.Relations = append(out.Relations, *d.pairs[key])
	}
	return out
}

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
