package knowledge

import (
	"slices"
	"strings"

	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// Finder tells which parts of a text hold names, as whole words and in any case.
// Names are given by their keys (rag/text.Key). It is not safe for concurrent
// use.
type Finder struct {
	texts  []string // " word word ... "
	wanted []bool   // nil if all are
	parts  map[string][]int
	states map[llm.Relation]int // the part that states a relation
	// aliases are the names that are read as others, by key. Parts, Count and Part
	// go by the names as the text has them.
	aliases map[string]Canonical
}

// NewFinder returns a finder in the parts of a text. It answers with wanted parts
// only; wanted is nil if all are.
func NewFinder(parts []string, wanted []bool) *Finder {
	f := &Finder{parts: map[string][]int{}, states: map[llm.Relation]int{}, wanted: wanted}
	for _, p := range parts {
		f.texts = append(f.texts, Spell(p))
	}
	return f
}

// Spell returns the folded words of a text, each between blanks.
func Spell(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for w := range etext.Words(s) {
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// Holds reports whether a spelled text has the words of a key.
func Holds(spelled, key string) bool { return strings.Contains(spelled, " "+key+" ") }

func (f *Finder) wants(part int) bool { return f.wanted == nil || f.wanted[part] }

// first returns the first wanted part, as a list.
func (f *Finder) first() []int {
	for i := range f.texts {
		if f.wants(i) {
			return []int{i}
		}
	}
	return nil
}

// Parts returns the wanted parts that hold a key, ascending. If no part at all
// holds it, it returns the first wanted part. The slice is the finder's.
func (f *Finder) Parts(key string) []int {
	if p, ok := f.parts[key]; ok {
		return p
	}
	var out []int
	elsewhere := false
	for i, t := range f.texts {
		switch {
		case !Holds(t, key):
		case f.wants(i):
			out = append(out, i)
		default:
			elsewhere = true
		}
	}
	if out == nil && !elsewhere {
		out = f.first()
	}
	f.parts[key] = out
	return out
}

// Relation returns the part that states a relation: the one with the sentence
// that the relation names, else the first that holds both ends, else the first
// that holds the source, else the first that holds the target. It is -1 if no
// wanted part does.
func (f *Finder) Relation(r llm.Relation) int {
	part, ok := f.states[r]
	if !ok {
		part = f.stating(r)
		f.states[r] = part
	}
	return part
}

func (f *Finder) stating(r llm.Relation) int {
	if len(f.texts) == 1 && f.wants(0) {
		return 0
	}
	if r.Sentence != "" {
		sentence := Spell(r.Sentence)
		for i, t := range f.texts {
			if f.wants(i) && strings.Contains(t, sentence) {
				return i
			}
		}
	}
	from, to := text.Key(r.Source), text.Key(r.Target)
	for i, t := range f.texts {
		if !Holds(t, from) || !Holds(t, to) {
			continue
		}
		if !f.wants(i) {
			return -1
		}
		return i
	}
	for _, key := range []string{from, to} {
		if p := f.Parts(key); len(p) > 0 {
			return p[0]
		}
	}
	return -1
}

// Count counts how often a key stands in a part. Two that follow each other share
// the blank between them.
func (f *Finder) Count(part int, key string) (n int) {
	for text := f.texts[part]; ; {
		i := strings.Index(text, " "+key+" ")
		if i < 0 {
			return n
		}
		n++
		text = text[i+len(key)+1:]
	}
}

// Part returns what a part says of what was found in the text: its entities, its
// relations, and the units that share most words with it.
func (f *Finder) Part(part int, x llm.Extraction) llm.Extraction {
	var out llm.Extraction
	for _, e := range x.Entities {
		if key := text.Key(e.Name); key != "" && slices.Contains(f.Parts(key), part) {
			out.Entities = append(out.Entities, e)
		}
	}
	for _, r := range x.Relations {
		if f.Relation(r) == part {
			out.Relations = append(out.Relations, r)
		}
	}
	for _, u := range x.Units {
		if f.nearest(u.Text) == part {
			out.Units = append(out.Units, u)
		}
	}
	return out
}

// nearest returns the part that has the most words of a text, the first of equals.
// It is -1 if that part is not wanted.
func (f *Finder) nearest(s string) int {
	words := map[string]bool{}
	for w := range etext.Words(s) {
		if !etext.IsStop(w.Text) {
			words[w.Text] = true
		}
	}
	best, most := 0, -1
	for i, t := range f.texts {
		n := 0
		for w := range words {
			if Holds(t, w) {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	if len(f.texts) == 0 || !f.wants(best) {
		return -1
	}
	return best
}
