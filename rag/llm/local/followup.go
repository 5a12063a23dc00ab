package local

import (
	"slices"
	"strings"
	"unicode"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// whole implements the kind whole-question: the question with what it refers to. A
// pronoun becomes the name that the turn before was about; a question that only names
// something else ("And model C?") becomes the one before with the name changed; another
// short one is put behind the one before. Every other question stays as it is.
func (p *Provider) whole(in llm.FollowUpInput) string {
	before, said := "", ""
	for _, t := range in.Turns {
		before, said = p.follow(t.Question, before, said), t.Answer
	}
	return p.follow(in.Question, before, said)
}

// The pronouns that may stand for what was spoken of: for things, and for people, who are
// looked for in the answer first.
var (
	thingWords  = []string{"it", "this", "that", "these", "those"}
	personWords = []string{"he", "she", "they", "him", "her", "them"}
	ownersWords = []string{"its", "his", "her", "their", "theirs"}
	// leaders begin a question that is about something else than the one before.
	leaders = []string{"and", "what about", "how about", "or"}
)

// A question that leans on the one before has at most so many content words. Scripts without
// blanks are divided into pairs of letters, of which a word of three letters is two.
const (
	fewWords = 2
	fewPairs = 4
)

// follow makes a question whole by the one before, which is whole, and its answer.
func (p *Provider) follow(question, before, said string) string {
	question = clean(question)
	if before == "" || question == "" {
		return question
	}
	names := text.Names(question, p.names)
	if q, ok := p.referred(question, names, before, said); ok {
		return q
	}
	rest := question
	led := false
	for _, l := range leaders {
		if tail, ok := cutWord(rest, l); ok {
			rest, led = tail, true
			break
		}
	}
	if led {
		names = text.Names(rest, p.names)
	}
	words := contentWords(rest, names)
	old := text.Names(before, p.names)
	few := fewWords
	if strings.ContainsFunc(rest, unblanked) {
		few = fewPairs
	}
	switch {
	case led && len(names) == 1 && len(words) == 0 && len(old) > 0:
		last := old[len(old)-1]
		return before[:last.Start] + names[0].Surface + before[last.End:]
	case led && len(names) == 0 && len(words) > 0 && len(old) > 0,
		len(names) == 0 && len(words) <= few:
		return strings.TrimSpace(before) + " " + question
	}
	return question
}

// unblanked reports whether a letter is of a script that puts no blanks between words.
func unblanked(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// referred puts the name that a pronoun of the question stands for in its place; ok is
// false if there is no pronoun, or no name.
func (p *Provider) referred(question string, names []text.Name, before, said string) (q string, ok bool) {
	for w := range lex.Words(question) {
		if slices.ContainsFunc(names, func(n text.Name) bool { return n.Start < w.End && w.Start < n.End }) {
			continue
		}
		word := strings.ToLower(question[w.Start:w.End])
		owner := slices.Contains(ownersWords, word)
		if word == "her" { // of her, her work
			owner = strings.ContainsFunc(strings.TrimLeft(question[w.End:], " "), isLetter)
		}
		person := slices.Contains(personWords, word) || owner && word != "its"
		thing := slices.Contains(thingWords, word) || word == "its"
		if !person && !thing {
			continue
		}
		topic := p.topic(before, said, person)
		if topic == "" {
			return "", false
		}
		if owner {
			topic += "'s"
		}
		return question[:w.Start] + topic + question[w.End:], true
	}
	return "", false
}

func isLetter(r rune) bool { return r != '?' && r != '.' && r != '!' && r != ' ' }

// topic is what a turn was about: for people the last name of the answer, else the last
// name of the question, or what stands behind its last "the".
func (p *Provider) topic(before, said string, person bool) string {
	if person {
		if names := surfaces(text.Names(said, p.names)); len(names) > 0 {
			return names[0]
		}
	}
	if names := surfaces(text.Names(before, p.names)); len(names) > 0 {
		return names[len(names)-1]
	}
	var phrase []string
	open := false
	for w := range lex.Words(before) {
		word := before[w.Start:w.End]
		switch {
		case strings.EqualFold(word, "the"):
			open, phrase = true, nil
		case open && lex.IsStop(w.Text):
			open = false
		case open:
			phrase = append(phrase, word)
		}
	}
	if len(phrase) > 0 {
		return "the " + strings.Join(phrase, " ")
	}
	if names := surfaces(text.Names(said, p.names)); len(names) > 0 {
		return names[0]
	}
	return ""
}

// cutWord takes words from the beginning of a text, whatever their case.
func cutWord(s, words string) (rest string, ok bool) {
	if len(s) <= len(words) || !strings.EqualFold(s[:len(words)], words) || s[len(words)] != ' ' && s[len(words)] != ',' {
		return s, false
	}
	return strings.TrimLeft(s[len(words):], " ,"), true
}
