package extractive

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// copula stands between what is defined and what it is.
	copula = regexp.MustCompile(` (?:(?:is|are|was|were) (?:an?|the|one|any|used|made|also|usually)|means|refers to|ist|sind|war|waren|bezeichnet|consists of|describes|` +
		`(?:est|sont) (?:une?|des?|les?|la|l')|signifie|d[ée]signe|es una?|son|è un[ao]?)[ ']|: | [–—|-] `)
	// naming stands between what something is and its name.
	naming     = regexp.MustCompile(` (?:(?:is|are) (?:called|known as|the)|hei(?:ß|ss)t|nennt man|s'appelle) `)
	inBrackets = regexp.MustCompile(`\([^()]*\)`)
	inCommas   = regexp.MustCompile(`,[^,]*,`)
	// asksDoing matches a question for what something does.
	asksDoing = phrases(`what (?:do|does) .* do|was (?:macht|tut|bewirkt) .*|que fait .*|[àa] quoi sert`)
)

// aroundMet is the least level of a term behind a preposition that stands around a definition.
const aroundMet = .4

// maxDefined bounds the bytes before the copula.
const maxDefined = 120

// isDefinition reports whether a sentence defines what the question asks for:
// what stands before its copula, without brackets and appositions, is that and
// nothing more; or it opens the text under a heading that is that and nothing more.
func (q *question) isDefinition(c *candidate) bool {
	s := c.s
	if c.defines = !s.pronoun && q.says(c); c.defines {
		return true
	}
	return c.opens && q.isSubject(s.section.headings[len(s.section.headings)-1].words, c) && len(s.words) > 3
}

// says reports whether a sentence says itself what something is.
func (q *question) says(c *candidate) bool {
	s := c.s
	if name := q.whom(); name != nil && tellsOf(s, name) {
		return true
	}
	body := inBrackets.ReplaceAllString(s.text[:min(len(s.text), 4*maxDefined)], " ")
	if at := copula.FindStringIndex(body); at != nil && at[0] <= maxDefined && q.isSubject(wordsOf(inCommas.ReplaceAllString(body[:at[0]], " ")), c) {
		return true
	}
	if at := naming.FindStringIndex(body); at != nil && q.isSubject(wordsOf(body[at[1]:]), c) &&
		slices.ContainsFunc(wordsOf(body[:at[0]]), func(w word) bool { return w.stem != "" && !q.asksFor(&w) }) {
		return true
	}
	if asksDoing.MatchString(q.text) {
		for i := range s.words {
			w := &s.words[i]
			if w.stem != "" && !q.asksFor(w) {
				doing := strings.HasSuffix(w.text, "s") || q.german() && strings.HasSuffix(w.text, "t")
				return doing && !w.isCapital() && q.isSubject(s.words[:i], c)
			}
		}
	}
	return false
}

// isSubject reports whether words are what the question is about and nothing
// more. What the question puts behind a preposition may stand around them.
func (q *question) isSubject(words []word, c *candidate) bool {
	for i := range words {
		if w := &words[i]; w.stem != "" && !q.known[w.text] && !determiners[w.text] && !q.asksFor(w) {
			return false
		}
	}
	some := false
	for k := range q.terms {
		t := &q.terms[k]
		l := t.level(words)
		some = some || l >= met
		if l < met && !t.light && !(q.hasPreposition(t) && c.full[k] >= aroundMet) {
			return false
		}
	}
	return some
}

// asksFor reports whether a word is one of the question's terms.
func (q *question) asksFor(w *word) bool {
	return slices.ContainsFunc(q.terms, func(t term) bool {
		return t.stem == w.stem || w.text == t.text+"s" || t.text == w.text+"s" || isDerived(t.text, w.text)
	})
}

// hasPreposition reports whether a term stands behind a preposition, with at most
// two words in small letters between them.
func (q *question) hasPreposition(t *term) bool {
	for i := t.at - 1; i > 0 && i >= t.at-3; i-- {
		w := &q.words[i]
		if prepositions[w.text] || w.text == "of" || w.text == "de" || w.text == "von" {
			return true
		}
		if w.isCapital() || copulas[w.text] || isHelper(w.text) {
			return false
		}
	}
	return false
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
