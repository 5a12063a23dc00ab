package local

import (
	"fmt"
	"strings"
	"unicode"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// maxRelationWords is the number of words that a relation takes from each
// stretch of its sentence: before, between and behind its ends.
const maxRelationWords = 10

// relations returns the relations of a text in its order: every two entities
// that are neighbours in a sentence are related by the words between them. The
// description is what the sentence says from the one to the other; the first
// of a sentence also has the words before, the last those behind. Of each
// stretch it has ten words at most; if words are left out between the ends,
// an ellipsis stands. In scripts without blanks between words nothing is left
// out. Relations with equal words are one, with the number of
// mentions for strength.
//
// A sentence that starts with a pronoun has the first entity of the sentence
// before for its subject, whose name replaces the pronoun. The first sentence
// has the entity with the given key, if it is not empty.
func (x *extractor) relations(subject string) []llm.Relation {
	out := []llm.Relation{}
	index := map[llm.Relation]int{}
	var row []mention
	next := 0
	for s, sp := range x.sentences {
		row = row[:0]
		end, taken := pronounEnd(x.text, sp), false
		if taken = end > 0 && subject != ""; taken {
			row = append(row, mention{subject, end, end, s})
		}
		end = 0
		for ; next < len(x.mentions) && x.mentions[next].sentence == s; next++ {
			if m := x.mentions[next]; m.start >= end { // not inside the one before
				row = append(row, m)
				end = m.end
			}
		}
		for k := 0; k+1 < len(row); k++ {
			if row[k].key == row[k+1].key {
				continue
			}
			from, to := row[k].start, row[k+1].end
			if k == 0 && !taken {
				from = sp.Start
			}
			if k+2 == len(row) {
				to = sp.End
			}
			r := x.relation(row[k], row[k+1], from, to)
			if i, ok := index[r]; ok {
				out[i].Strength++
				continue
			}
			index[r] = len(out)
			out = append(out, r)
		}
		switch {
		case len(row) > 0:
			subject = row[0].key
		case s == 0 && !terminated(x.text[sp.Start:sp.End]):
			subject = "" // a heading of something else
		}
	}
	return out
}

// relation returns the relation of two mentions that the text from byte from
// to byte to tells.
func (x *extractor) relation(a, b mention, from, to int) llm.Relation {
	// Mentions may overlap, as a title and a name in it do.
	words := func(from, to int) []string { return strings.Fields(clean(x.text[min(from, to):to])) }
	name := func(m mention) string {
		if m.start == m.end { // in the place of a pronoun
			return x.surfaces[m.key]
		}
		return clean(x.text[m.start:m.end])
	}
	if from = min(from, a.start); isUnspaced(x.text[from:to]) {
		phrase := clean(x.text[from:to])
		if a.start == a.end {
			phrase = name(a) + phrase
		}
		return llm.Relation{Source: x.surfaces[a.key], Target: x.surfaces[b.key], Strength: 1,
			Description: tidy(phrase), Sentence: x.sentence(b.sentence)}
	}
	before, between, behind := words(from, a.start), words(a.end, b.start), words(b.end, to)
	parts := append([]string{}, before[max(0, len(before)-maxRelationWords):]...)
	parts = append(parts, name(a))
	parts = append(parts, between[:min(len(between), maxRelationWords)]...)
	if len(between) > maxRelationWords {
		parts = append(parts, "…")
	}
	parts = append(parts, name(b))
	parts = append(parts, behind[:min(len(behind), maxRelationWords)]...)
	return llm.Relation{
		Source: x.surfaces[a.key], Target: x.surfaces[b.key], Strength: 1,
		Description: tidy(strings.Join(parts, " ")),
		Sentence:    x.sentence(b.sentence),
	}
}

// isUnspaced reports whether a text is mostly of a script without blanks between
// words, or of Hangul, where particles follow names without one: more than one
// letter in four.
func isUnspaced(s string) bool {
	letters, han := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
			if r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
				han++
			}
		}
	}
	return 4*han > letters
}

// tidy closes the gaps that cutting at mentions leaves before punctuation, and
// drops the punctuation at the end.
func tidy(s string) string {
	for _, mark := range []string{",", ".", ";", ":", ")", "'s", "’s"} {
		s = strings.ReplaceAll(s, " "+mark, mark)
	}
	return strings.TrimRight(s, " ,.;:!?([-–—\"“，。；：！？、（「『《")
}

// pronounEnd returns the end of the pronoun that starts a sentence, 0 if none
// does.
func pronounEnd(s string, sp text.Span) int {
	for w := range lex.Words(s[sp.Start:sp.End]) {
		switch w.Text {
		case "he", "she", "it", "they", "his", "her", "its", "their", "this", "these",
			"他", "她", "它", "er", "sie":
			return sp.Start + w.End
		}
		break
	}
	return 0
}

// repair implements the kind repair-relation: its ends are the first and the
// last of the entities that the relation's words name.
func repair(in llm.RepairInput) (llm.Relation, error) {
	names := make(map[string]string, len(in.Entities))
	for _, e := range in.Entities {
		if key := text.Key(e); key != "" && names[key] == "" {
			names[key] = e
		}
	}
	found := text.MatchNames(in.Relation, func(key string) bool { return names[key] != "" })
	if len(found) < 2 {
		return llm.Relation{}, &llm.ReplyError{Kind: llm.RepairRelation, Raw: in.Relation,
			Why: fmt.Sprintf("it names %d of the entities", len(found))}
	}
	return llm.Relation{
		Source: names[found[0]], Target: names[found[len(found)-1]],
		Description: clean(in.Relation), Strength: 1,
	}, nil
}
