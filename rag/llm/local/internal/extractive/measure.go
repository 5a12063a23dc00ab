package extractive

// measure sets how well the parts of a passage meet the terms and names of the
// question. Linear in the passage.
func (q *question) measure(p *passage) {
	p.levels = make([]float64, len(q.terms))
	p.together = make([]bool, len(q.names))
	for i := range p.sentences {
		s := &p.sentences[i]
		s.own = q.levels(s.words)
		sec := s.section
		if sec.levels == nil {
			q.measureSection(p, sec)
		}
		raise(sec.levels, s.own)
		raise(p.levels, s.own)
		for len(p.paras) <= s.para {
			p.paras = append(p.paras, make([]float64, len(q.terms)))
		}
		raise(p.paras[s.para], s.own)
		for n, name := range q.names {
			sec.names[n] = sec.names[n] || allIn(s.words, name)
			p.together[n] = p.together[n] || inOrder(s.words, name)
		}
	}
}

// measureSection measures the headings of a section, each once.
func (q *question) measureSection(p *passage, sec *section) {
	sec.levels = make([]float64, len(q.terms))
	sec.names = make([]bool, len(q.names))
	for _, h := range sec.headings {
		if h.levels == nil {
			h.levels = q.levels(h.words)
		}
		raise(p.levels, h.levels)
		for n, name := range q.names {
			p.together[n] = p.together[n] || inOrder(h.words, name)
		}
	}
}

// levels returns the level at which words meet each term.
func (q *question) levels(words []word) []float64 {
	out := make([]float64, len(q.terms))
	for x := range q.terms {
		out[x] = q.terms[x].level(words)
	}
	return out
}

// raise sets each level to the higher of two.
func raise(to, from []float64) {
	for i, l := range from {
		to[i] = max(to[i], l)
	}
}

// heading returns the level at which the headings of a section meet term x.
func (s *section) heading(x int) float64 {
	l := 0.0
	for _, h := range s.headings {
		l = max(l, inHeading*h.levels[x])
	}
	return l
}

// beside returns the best level of term x in the sentences before and behind a sentence,
// in its paragraph.
func (p *passage) beside(i, x int) float64 {
	l := 0.0
	for j := max(0, i-1); j <= min(len(p.sentences)-1, i+1); j++ {
		if p.sentences[j].para == p.sentences[i].para {
			l = max(l, p.sentences[j].own[x])
		}
	}
	return l
}
