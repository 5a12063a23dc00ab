package extractive

import (
	"regexp"
	"slices"
	"strings"
)

// What may follow the sentence that answers.
const (
	maxQuoted = 80   // words
	maxItems  = 12   // items of a list, or lines of code
	maxListed = 1200 // bytes of those
)

// numbered matches the beginning of an item of a numbered list.
var numbered = regexp.MustCompile(`^\(?(\d{1,2})[.)] `)

// quote returns the sentences that are shown before and behind a candidate: the rest of
// its paragraph; of a list that is short the other items and what announces them; a list
// or code that it announces with a colon. most bounds the sentences; 0 is the default.
func (p *passage) quote(c *candidate, most int) (before, behind []*sentence) {
	if c.s.role == setting {
		return nil, nil
	}
	all := p.sentences
	words := sizeOf(c.s)
	fits := func(s *sentence, n int) bool {
		words += sizeOf(s)
		return s.section == c.s.section && s.role != headline && words <= maxQuoted && (most == 0 || n < most)
	}
	listed := p.isListed(c.index)
	last := c.s
	for i := c.index + 1; i < len(all); i++ {
		s := &all[i]
		if strings.HasSuffix(last.text, ":") && s.role != headline && (most == 0 || len(behind)+1 < most) {
			return before, append(behind, listOf(all[i:])...)
		}
		if s.para != last.para && !(listed && p.isListed(i)) || !fits(s, len(behind)+1) {
			break
		}
		behind, last = append(behind, s), s
	}
	if i := c.index - 1; c.s.pronoun && i >= 0 && !listed && most == 0 && all[i].para == c.s.para && all[i].role == prose {
		if _, named := withName(c.s.text, c.s.words, c.name); c.name == "" || !named {
			before = append(before, &all[i]) // what it stands for
		}
	}
	for i := c.index - 1; i >= 0 && listed && most == 0; i-- {
		s := &all[i]
		opens := strings.HasSuffix(s.text, ":")
		if !(opens || p.isListed(i)) || !fits(s, 0) {
			break
		}
		if before = append(before, s); opens && !p.isListed(i) {
			break
		}
	}
	slices.Reverse(before)
	return before, behind
}

// isListed reports whether a sentence is of an item of a list.
func (p *passage) isListed(i int) bool {
	for i > 0 && p.sentences[i-1].para == p.sentences[i].para {
		i--
	}
	return listItem.MatchString(p.sentences[i].text)
}

// sizeOf returns the words of a sentence, of a text without blanks a third of its characters.
func sizeOf(s *sentence) int { return max(len(s.words), len(s.text)/9) }

// listOf returns the items of the list or the lines of the code that begins a run
// of sentences: those of its first paragraph and what is built like it behind it.
func listOf(all []sentence) []*sentence {
	var out []*sentence
	bytes := 0
	item := listItem.MatchString(all[0].text)
	for i := range all {
		s := &all[i]
		if s.section != all[0].section || s.role != all[0].role && s.para != all[0].para || len(out) == maxItems || bytes+len(s.text) > maxListed {
			break
		}
		if s.para != all[0].para && listItem.MatchString(s.text) != item && (!item || s.para != all[max(0, i-1)].para) {
			break
		}
		out = append(out, s)
		bytes += len(s.text)
	}
	return out
}

// steps returns the whole numbered list of the section of a candidate, if the
// question asks how something is done and the section's heading asks the same; nil
// for none.
func (q *question) steps(c *candidate) []*sentence {
	if q.kind != manner || !c.asked {
		return nil
	}
	all := c.of.sentences
	var out []*sentence
	bytes, next := 0, "1"
	for i := range all {
		s := &all[i]
		if s.section != c.s.section {
			continue
		}
		m := numbered.FindStringSubmatch(s.text)
		switch {
		case m != nil && m[1] == next:
			next = succ(next)
		case m != nil || len(out) == 0 || s.para != out[len(out)-1].para:
			continue
		}
		if bytes += len(s.text); len(out) == maxItems || bytes > maxListed {
			return nil // not whole
		}
		out = append(out, s)
	}
	if next == "1" || next == "2" {
		return nil
	}
	return out
}

// succ returns the number behind a number of at most two digits.
func succ(n string) string {
	if n[len(n)-1] != '9' {
		return n[:len(n)-1] + string(n[len(n)-1]+1)
	}
	if len(n) == 1 {
		return "10"
	}
	return string(n[0]+1) + "0"
}
