package extractive

// An agreement says how much a heading and a question have in common, each
// share from 0 to 1.
type agreement struct {
	ofHeading  float64 // of the heading's terms that the question has
	ofQuestion float64 // of the question that the heading has
	terms      int     // of the heading
}

// How much a heading must agree with a question to ask the same.
const (
	asksOfHeading  = .5
	asksOfQuestion = .5 // of a heading that is a question
	tellsQuestion  = .6 // of any other
	tellingTerms   = 3  // of any other
)

// asksSame reports whether the innermost heading of a sentence asks what the
// question does, so that what stands below it is an answer.
func (q *question) asksSame(s *sentence) bool {
	n := len(s.section.headings)
	if n == 0 {
		return false
	}
	h := s.section.headings[n-1]
	if h.asks == nil {
		h.asks = q.agree(h)
	}
	a := h.asks
	switch {
	case a.ofHeading < asksOfHeading:
		return false
	case isQuestion(h.text):
		return a.ofQuestion >= asksOfQuestion
	}
	return !q.kind.valued() && q.kind != definition && a.ofQuestion >= tellsQuestion && (a.terms >= tellingTerms || a.terms > 1 && a.ofHeading == 1 && a.ofQuestion >= met)
}

// agree compares a heading with the question. Names and numbers of the
// question that the heading lacks are weighed by the gates.
func (q *question) agree(h *heading) *agreement {
	a := &agreement{}
	got := 0.0
	for i := range q.terms {
		got += q.terms[i].weight * h.levels[i]
	}
	if q.total > 0 {
		a.ofQuestion = got / q.total
	}
	seen := map[string]bool{}
	shared := 0
	for i := range h.words {
		w := &h.words[i]
		if w.stem == "" || seen[w.stem] {
			continue
		}
		seen[w.stem] = true
		a.terms++
		for k := range q.terms {
			if q.terms[k].levelOf(h.words, i) >= met {
				shared++
				break
			}
		}
	}
	if a.terms > 0 {
		a.ofHeading = float64(shared) / float64(a.terms)
	}
	return a
}

// tells reports whether a sentence says at least two things that neither the
// question nor its headings do.
func (q *question) tells(s *sentence) bool {
	n := 0
	first := ""
	for i := range s.words {
		w := &s.words[i]
		if w.stem == "" || w.stem == first || q.known[w.text] || s.section.heads(w.stem) {
			continue
		}
		first = w.stem
		if n++; n == 2 {
			return true
		}
	}
	return false
}

// heads reports whether a stem is in one of the headings of a section.
func (s *section) heads(stem string) bool {
	for _, h := range s.headings {
		for i := range h.words[:min(len(h.words), maxHeadWords)] {
			if h.words[i].stem == stem {
				return true
			}
		}
	}
	return false
}

// maxHeadWords bounds the words of a heading that are compared with every word
// of a sentence.
const maxHeadWords = 64

// headed reports whether a word is in one of the headings of a section.
func (s *section) headed(w string) bool {
	for _, h := range s.headings {
		if has(h.words[:min(len(h.words), maxHeadWords)], w) {
			return true
		}
	}
	return false
}
