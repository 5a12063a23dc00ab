package extractive

import (
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"
)

var (
	// pronouns can be the subject of a sentence within its first words,
	// possessives only as its first.
	pronouns    = set(`he she it they them er sie es`)
	possessives = set(`his her its their this these such sein seine seiner ihr ihre ihrer dieser diese dieses`)
	// herOrHis stand for a person, and can be followed by its name.
	herOrHis = set(`he she er`)
)

const (
	maxPronounAt   = 5 // words of a sentence among which a pronoun is its subject
	maxAntecedents = 4 // sentences that a pronoun reaches back
	maxTheReach    = 6 // sentences that "the pump" reaches back
)

// opensWithPronoun reports whether the subject of a sentence is a pronoun.
func opensWithPronoun(words []word) bool {
	for i := range words[:min(len(words), maxPronounAt)] {
		if w := words[i].text; pronouns[w] || i == 0 && possessives[w] {
			return true
		}
	}
	return false
}

// antecedents returns the indexes of the sentences that a sentence leans on,
// the nearest first: those before a pronoun, over other sentences with one, to
// the first without; or the one that names what "the pump" is.
func (p *passage) antecedents(i int) []int {
	s := &p.sentences[i]
	var out []int
	if s.pronoun {
		for j := i - 1; j >= 0 && j >= i-maxAntecedents && p.sentences[j].role == prose; j-- {
			out = append(out, j)
			if !p.sentences[j].pronoun {
				break
			}
		}
		return out
	}
	if len(s.words) < 3 || !opensDefinite(s.words[0].text) || s.words[1].stem == "" {
		return nil
	}
	for j := i - 1; j >= 0 && j >= i-maxTheReach && p.sentences[j].section == s.section; j-- {
		if p.sentences[j].role == prose && has(p.sentences[j].words, s.words[1].text) {
			return []int{j}
		}
	}
	return nil
}

func opensDefinite(w string) bool {
	switch w {
	case "the", "this", "der", "die", "das", "dieser", "diese", "dieses":
		return true
	}
	return false
}

// named returns the name that a pronoun of sentence i stands for: the only one
// of its antecedent that is neither a place nor a date, "" if that is not sure.
func (p *passage) named(ante []int) string {
	if len(ante) == 0 {
		return ""
	}
	s := p.sentences[ante[len(ante)-1]].text
	if strings.ContainsAny(s, "[]") {
		return ""
	}
	found := ""
	for _, n := range text.Names(s, nil) {
		if n.Kind != text.Proper || n.Key == "" {
			continue
		}
		before := lastWords(s[:n.Start])
		if k := len(before); k > 0 && (placeBefore[before[k-1].text] || determiners[before[k-1].text]) {
			continue
		}
		if !strings.Contains(n.Key, " ") && n.Start > 0 {
			continue // a single word within a sentence: a place as likely as not
		}
		if found != "" && found != n.Surface {
			return ""
		}
		found = n.Surface
	}
	return found
}

// withName puts a name in brackets behind the he or she that stands for it. ok
// is false if there is none.
func withName(s string, words []word, name string) (out string, ok bool) {
	for i := range words[:min(len(words), maxPronounAt)] {
		w := &words[i]
		switch {
		case herOrHis[w.text] && (w.text != "er" || i == 0 || !w.isCapital()):
			return s[:w.end] + " [" + name + "]" + s[w.end:], true
		case i == 0 && (w.text == "his" || w.text == "her"):
			return s[:w.end] + " [" + name + "'s]" + s[w.end:], true
		}
	}
	return s, false
}

// lastWords returns the words at the end of a text.
func lastWords(s string) []word {
	const most = 64 // bytes
	if len(s) > most {
		s = strings.ToValidUTF8(s[len(s)-most:], "")
	}
	return wordsOf(s)
}
