package extractive

import (
	"regexp"
	"strings"
)

// What may follow the sentence that answers.
const (
	maxFollowing = 2    // sentences of its paragraph
	maxItems     = 12   // items of a list, or lines of code
	maxListed    = 1200 // bytes of those
)

// numbered matches the beginning of an item of a numbered list.
var numbered = regexp.MustCompile(`^\(?(\d{1,2})[.)] `)

// following returns the sentences that are shown behind a candidate: what goes on
// in its paragraph, unless the question asks for a value; and a list or code that
// it announces with a colon. most bounds the sentences; 0 is the default.
func (q *question) following(c *candidate, most int) []*sentence {
	all := c.of.sentences
	if most == 0 {
		most = maxFollowing
	} else {
		most--
	}
	var out []*sentence
	last := c.s
	for i := c.index + 1; i < len(all); i++ {
		s := &all[i]
		if strings.HasSuffix(last.text, ":") && s.role != headline {
			return append(out, listed(all[i:])...)
		}
		if q.kind.valued() || len(out) == most || s.para != c.s.para || s.role != prose {
			break
		}
		out, last = append(out, s), s
	}
	return out
}

// listed returns the items of the list or the lines of the code that begins a run
// of sentences: those of its first paragraph and what is built like it behind it.
func listed(all []sentence) []*sentence {
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
