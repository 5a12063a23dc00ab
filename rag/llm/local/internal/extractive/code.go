package extractive

import (
	"regexp"
	"slices"
	"strings"
)

// codeLine matches lines of programs and of terminals.
var codeLine = regexp.MustCompile(`^(\$ [a-z./]|>>> |#!|import \w+$|import \w+ as |from [\w.]+ import|sudo |docker |pip |npm |git |curl |SELECT |def \w+\(|\{|\}|</?\w+>|https?://\S+$)|[;{]$`)

// looksLikeCode reports whether a sentence is a line of code, or an address
// that stands alone.
func looksLikeCode(s string) bool { return codeLine.MatchString(s) }

// keyed matches a key with its value.
var keyed = regexp.MustCompile(`^(?:[-*•] )?(?:[\pL\pN_.\[\]"'-]+ ?[:=] ?[^\s:=<>{}();]+(?: [^\s:=<>{}();]+){0,3}|[\pL\pN_-]+(?: [\pL\pN_-]+){1,2} ?[:=] ?[^:=<>{}();]{0,20}\d[^:=<>{}();]{0,20})$`)

// isSetting reports whether a line is a row of a table, or a key with its value,
// such as port = 80.
func isSetting(s string) bool {
	return strings.Contains(s, " | ") && !strings.HasSuffix(s, "| ") || keyed.MatchString(s) && !terminated(s) || defaulted.MatchString(s)
}

// defaulted matches a line of a reference that gives a default.
var defaulted = regexp.MustCompile(`(?i)^(?:[-*•] )?(?:defaults?|standard(?:wert)?|vorgabe|par d[ée]faut)(?: value)?: `)

// asSetting returns a setting behind the innermost headings above it: a key with
// its value, or two cells of a row, as key = value.
func asSetting(s *sentence) string {
	said := strings.TrimLeft(s.text, "-*• ")
	if cells := strings.Split(strings.Trim(said, "| "), " | "); len(cells) == 2 {
		said = cells[0] + " = " + cells[1]
	} else if at := strings.IndexAny(said, ":="); at > 0 && len(cells) == 1 {
		said = strings.TrimRight(said[:at], " ") + " = " + strings.TrimLeft(said[at+1:], " =")
	}
	path, before := "", ""
	for _, h := range s.section.headings[max(0, len(s.section.headings)-maxPath):] {
		if h.text != before {
			path, before = path+h.text+" > ", h.text
		}
	}
	if path == "" {
		return said
	}
	return strings.TrimSuffix(path, " > ") + ": " + said
}

// maxPath bounds the headings before a setting.
const maxPath = 3

// keyed reports whether one of the two or more cells of a row, or a key, is wholly in the
// question, whose class the passage speaks of: the rest of the row is its value.
func (q *question) keyed(c *candidate) bool {
	s := c.s
	cells := strings.Split(s.text, " | ")
	if s.role != setting || !q.kind.valued() || q.preset {
		return false
	}
	for x := range q.terms {
		if t := &q.terms[x]; t.text == q.class && c.full[x] == 0 {
			return false
		}
	}
	if len(cells) == 1 {
		key, _, _ := strings.Cut(strings.TrimLeft(s.text, "-*• "), ":")
		cells = []string{key}
	}
	return slices.ContainsFunc(cells, func(cell string) bool {
		some := false
		for _, w := range wordsOf(cell) {
			if w.stem == "" {
				continue
			}
			if !slices.ContainsFunc(q.terms, func(t term) bool { return !t.light && t.levelOf([]word{w}, 0) >= met }) {
				return false
			}
			some = true
		}
		return some
	})
}
