package extractive

import (
	"regexp"
	"strings"
)

var (
	// copula stands between what is defined and what it is.
	copula     = regexp.MustCompile(` (?:(?:is|are|was|were) (?:an?|the|one|any|used|made|also|usually)|means|refers to|ist|sind|war|waren|bezeichnet|consists of|describes) `)
	inBrackets = regexp.MustCompile(`\([^()]*\)`)
	inCommas   = regexp.MustCompile(`,[^,]*,`)
)

// maxDefined bounds the bytes before the copula.
const maxDefined = 120

// isDefinition reports whether a sentence defines what the question asks for:
// what stands before its copula, without brackets and appositions, is that and
// nothing more.
func (q *question) isDefinition(s *sentence) bool {
	if s.pronoun {
		return false
	}
	if name := q.whom(); name != nil && tellsOf(s, name) {
		return true
	}
	body := inBrackets.ReplaceAllString(s.text[:min(len(s.text), 4*maxDefined)], " ")
	at := copula.FindStringIndex(body)
	if at == nil || at[0] > maxDefined {
		return false
	}
	before := wordsOf(inCommas.ReplaceAllString(body[:at[0]], " "))
	for i := range before {
		w := &before[i]
		if w.stem == "" || q.known[w.text] || determiners[w.text] {
			continue
		}
		asked := false
		for k := range q.terms {
			t := &q.terms[k]
			asked = asked || t.stem == w.stem || w.text == t.text+"s" || t.text == w.text+"s"
		}
		if !asked {
			return false
		}
	}
	for k := range q.terms {
		t := &q.terms[k]
		if !t.light && t.level(before) < met {
			return false
		}
	}
	return true
}

// whom returns the words of the person whom a question such as "Who was X?"
// asks about, nil if it asks for a thing.
func (q *question) whom() []string {
	if len(q.words) < 3 || q.words[0].text != "who" && q.words[0].text != "wer" {
		return nil
	}
	var name []string
	for i := range q.words[2:] {
		name = append(name, q.words[2+i].text)
	}
	return name
}

// tellsOf reports whether a sentence tells what a person is or did: it opens
// with the name and a verb or an apposition, or ends with "was" and the name, or names the trade before it.
func tellsOf(s *sentence, name []string) bool {
	n := len(name)
	if len(s.words) <= n {
		return false
	}
	if startsWith(s.words, name) {
		next := &s.words[n]
		gap := strings.TrimSpace(s.text[s.words[n-1].end:next.start])
		switch {
		case gap == ",":
			return determiners[next.text]
		case gap == "" || strings.HasPrefix(gap, "("):
			return !next.isCapital() && (next.stem != "" && next.start > s.words[n-1].end+len(gap) && s.text[next.start-1] == ' ' || isHelper(next.text) || next.text == "had" || copulas[next.text])
		}
		return false
	}
	for i := 1; i+n <= len(s.words); i++ {
		before := s.words[i-1].text
		if (people[before] || isTrade(before)) && startsWith(s.words[i:], name) {
			return true
		}
		if copulas[before] && startsWith(s.words[i:], name) {
			end := s.text[s.words[i+n-1].end:]
			return i+n == len(s.words) || strings.HasPrefix(end, ",")
		}
	}
	return false
}

// startsWith reports whether words begin with the words of a name.
func startsWith(words []word, name []string) bool {
	if len(words) < len(name) {
		return false
	}
	for i, w := range name {
		if words[i].text != w {
			return false
		}
	}
	return true
}
