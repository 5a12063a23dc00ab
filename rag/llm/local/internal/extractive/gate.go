package extractive

import (
	"regexp"
	"slices"
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/selection"
)

// What a sentence must have of the question.
const (
	deeper        = .02 // of the coverage, more for each passage before
	maxDeeper     = .3
	mayMiss       = 4  // one term in so many, if a value is asked for
	ofKeyed       = .5 // of the coverage, if a cell is wholly in the question
	viaAntecedent = .3 // what a soft term counts outside the sentence and its headings
)

// A candidate is a sentence that was weighed.
type candidate struct {
	passage, index int
	of             *passage
	s              *sentence
	name           string    // that its pronoun stands for
	own, full      []float64 // levels of the terms, in the sentence and in all
	coverage       float64
	ownShare       float64
	score          float64
	opens          bool // it opens the text under its heading
	asked          bool // its heading asks the question
	defines        bool // it says itself what something is
	valued         bool // it has a value of the kind asked for
}

// weigh puts sentence i of a passage through the gates. refusal says which it
// did not pass, "" if it passed all.
func (q *question) weigh(p *passage, i int) (c candidate, refusal selection.Refusal) {
	s := &p.sentences[i]
	c = candidate{passage: p.n, of: p, index: i, s: s, own: make([]float64, len(q.terms)), full: make([]float64, len(q.terms))}
	copy(c.own, s.own)
	ante := p.antecedents(i)
	c.asked = q.asksSame(s)
	c.opens = s.first && len(s.section.headings) > 0
	named := q.cover(&c, p, ante)
	switch {
	case s.role == setting:
		if !q.kind.valued() && !q.preset && q.kind != definition || !slices.ContainsFunc(c.own, func(l float64) bool { return l >= met }) && !c.opens {
			return c, selection.NoWords
		}
	case s.role != prose, reference.MatchString(s.text), q.kind == manner && !c.asked && numbered.MatchString(s.text): // a step of something else
		return c, selection.NoWords
	}
	switch {
	case !named || !q.namesStand(p, s, ante):
		return c, selection.NoName
	case !q.wordsStand(&c, p) && !(q.keyed(&c) && c.coverage >= ofKeyed+min(maxDeeper, deeper*float64(p.n))):
		return c, selection.NoWords
	}
	c.name = p.nameOf(s, ante)
	c.valued = q.hasValue(s, c.name)
	switch {
	case !c.valued && !c.asked:
		return c, selection.NoValue
	case q.kind == definition && !q.isDefinition(&c):
		return c, selection.NoValue
	}
	return c, ""
}

// reference matches a sentence that only tells where to read on.
var reference = regexp.MustCompile(`(?i)^(?:[-*•] )?(?:please )?(?:see|refer to|siehe|vgl|voir|cf|consult|lesen sie)\b` +
	`|^(?:[-*•] )?(?:for|to|if|when|um|f[uü]r|pour)\b.*, (?:please )?(?:see|refer to|consult|siehe|lesen sie|voir|consultez|reportez)\b` +
	`|\b(?:is|are) (?:described|explained|covered|documented|discussed) in\b|^(?:more|further|weitere) (?:information|details|informationen)`)

// nameOf returns the name that the pronoun of a sentence stands for.
func (p *passage) nameOf(s *sentence, ante []int) string {
	if !s.pronoun {
		return ""
	}
	return p.named(ante)
}

// cover measures how much of the question a sentence covers, and reports
// whether the names and numbers of the question are met (gates a, b, i, j).
func (q *question) cover(c *candidate, p *passage, ante []int) (named bool) {
	s := c.s
	got, own := 0.0, 0.0
	named = true
	for x := range q.terms {
		t := &q.terms[x]
		l := c.own[x]
		elsewhere := s.section.levels[x]
		for _, j := range ante {
			l = max(l, inAntecedent*p.sentences[j].own[x])
		}
		l = max(l, s.section.heading(x))
		switch {
		case t.number:
		case !q.preset:
			l = max(l, inParagraph*p.beside(c.index, x))
		default:
			l = max(l, inParagraph*p.paras[s.para][x])
		}
		switch {
		case t.letter != "": // model C is never met from afar
		case t.hard:
			if !q.kind.valued() && !t.number {
				l = max(l, nameInScope*p.levels[x])
			}
			if l < met && !t.number && !s.pronoun && s.role == prose {
				l = max(l, nameInScope*elsewhere)
			}
		case s.role == setting && q.preset:
			l = max(l, inParagraph*elsewhere) // what is set is told beside it
			c.own[x] = max(c.own[x], l)
		default:
			l = max(l, inSection*elsewhere)
		}
		if t.whole != "" && !hasNumber(s.text, t.whole) && !s.section.says(t.whole) && !slices.ContainsFunc(ante, func(j int) bool { return hasNumber(p.sentences[j].text, t.whole) }) {
			l = 0
		}
		switch {
		case t.hard && l < met, t.mod != nil && !c.asked && q.otherModifier(t, s):
			named = false
		}
		got += t.weight * l
		own += t.weight * c.own[x]
		c.full[x] = l
	}
	if q.total > 0 {
		c.coverage, c.ownShare = got/q.total, own/q.total
	}
	return named
}

// asks reports whether the innermost heading of a section is a question.
func (s *section) asks() bool {
	n := len(s.headings)
	return n > 0 && isQuestion(s.headings[n-1].text)
}

// says reports whether one of the headings of a section has a text.
func (s *section) says(whole string) bool {
	return slices.ContainsFunc(s.headings, func(h *heading) bool { return hasNumber(h.text, whole) })
}

// hasNumber reports whether a text has a number with points, or one that begins with it.
func hasNumber(s, number string) bool {
	for from := 0; ; {
		at := strings.Index(s[from:], number)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(number)
		if (at == 0 || !isDigitOrPoint(s[at-1])) && (from == len(s) || s[from] < '0' || s[from] > '9') {
			return true
		}
	}
}

func isDigitOrPoint(b byte) bool { return b == '.' || b >= '0' && b <= '9' }

// otherModifier reports whether a sentence has a term only behind modifiers
// that the question does not have: liver cancer where rectal cancer is asked
// for.
func (q *question) otherModifier(t *term, s *sentence) bool {
	mod := term{word: *t.mod}
	if mod.stem == "" || mod.level(s.words) >= met || s.section.headed(mod.text) {
		return false
	}
	other := false
	for i := range s.words {
		if s.words[i].stem != t.stem || t.stem == "" {
			continue
		}
		if i == 0 || lex.IsStop(s.words[i-1].text) || q.known[s.words[i-1].text] || isNumeral(s.words[i-1].text) || hasDigit(s.words[i-1].text) {
			return false
		}
		other = true
	}
	return other
}

// namesStand reports whether the names of several words stand together in the
// passage, or all in one sentence.
func (q *question) namesStand(p *passage, s *sentence, ante []int) bool {
	for n, name := range q.names {
		if p.together[n] || !slices.ContainsFunc(name, func(w string) bool { return !lex.IsStop(w) && !has(s.words, w) && !s.section.headed(w) }) {
			continue
		}
		found := false
		for _, j := range ante {
			found = found || allIn(p.sentences[j].words, name)
		}
		if !found && !s.section.names[n] {
			return false
		}
	}
	return true
}

// allIn reports whether the words of a name are all among words; function
// words do not count.
func allIn(words []word, name []string) bool {
	for _, w := range name {
		if !lex.IsStop(w) && !has(words, w) {
			return false
		}
	}
	return true
}

// wordsStand applies the gates of words: what a question of its kind demands,
// what is counted, and for persons, dates and names the main verb and the subject.
func (q *question) wordsStand(c *candidate, p *passage) bool {
	s, d := c.s, q.demandOf()
	least := d.coverage
	if d.signs != nil && !(c.asked && s.section.asks()) && !d.signs.MatchString(s.text) {
		if least = d.bare; q.kind == reason && (c.ownShare < d.bare || !q.tells(s)) {
			return false
		}
	}
	if c.coverage < least+min(maxDeeper, deeper*float64(c.passage)) || q.denies(s) && !c.asked {
		return false
	}
	asked, got, missing := 0.0, 0.0, 0
	for x := range q.terms {
		t := &q.terms[x]
		if c.full[x] < present && !t.light {
			missing++
		}
		if t.counted && c.own[x] < met && !c.asked {
			return false
		}
		if t.hard || t.light {
			continue
		}
		asked += t.weight
		got += t.weight * max(c.own[x], viaAntecedent*c.full[x], s.section.heading(x))
	}
	switch {
	case got < d.own*asked, q.kind.valued() && !q.preset && !c.asked && missing > (len(q.terms)-1)/mayMiss:
		return false
	case c.asked || !q.kind.valued() || q.kind == place || q.preset:
		return true
	case q.verb != nil && q.verb.level(s.words) < met:
		return false
	}
	return len(q.subject) == 0 || s.pronoun || slices.ContainsFunc(q.subject, func(t term) bool {
		return t.level(s.words) > 0 || slices.ContainsFunc(s.section.headings, func(h *heading) bool { return t.level(h.words) > 0 })
	})
}
