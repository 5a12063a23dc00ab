package metric

import (
	"regexp"
	"slices"
	"strings"
)

// Letters are those of options, in order.
const Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// The ways in which a reply names an option, in the order in which they are
// tried. A lone letter within a sentence is none: it may be an article.
var (
	onlyLetter   = regexp.MustCompile(`^[^\pL\pN]*([A-Za-z])[^\pL\pN]*$`)
	firstLetter  = regexp.MustCompile(`^[^\pL\pN]*([A-Z])(?:[).:：、．]|\*\*)`)
	inBrackets   = regexp.MustCompile(`[(（\[]([A-Z])[)）\]]`)
	behindAnswer = regexp.MustCompile(`(?i:answer|option|choice)(?i: is)?:?[\s*(]+([A-Z])\b`)
)

// Choice returns which of the options a reply chooses, -1 if that cannot be
// told. A reply chooses by a letter, A for the first: one that stands alone, at
// the start before a bracket, full stop or colon, in brackets, or behind
// "answer", "option" or "choice"; two letters of which neither way tells are
// none. Without a letter it chooses the one option whose text it contains in
// normal form, or the longest of several if that contains the others.
func Choice(reply string, options []string) int {
	for _, pattern := range []*regexp.Regexp{onlyLetter, firstLetter, inBrackets, behindAnswer} {
		found := map[int]bool{}
		last := -1
		for _, m := range pattern.FindAllStringSubmatch(reply, -1) {
			if i := strings.Index(Letters, strings.ToUpper(m[1])); i < len(options) {
				found[i], last = true, i
			}
		}
		if len(found) == 1 {
			return last
		}
	}
	return namedOption(normal(reply), options)
}

// namedOption returns the option that a text contains: the longest one, where
// it contains the others that the text does.
func namedOption(text []string, options []string) int {
	at, longest := -1, ""
	var names []string
	has := border(text)
	for i, o := range options {
		name := border(normal(o))
		if name == " " || !strings.Contains(has, name) {
			continue
		}
		names = append(names, name)
		if len(name) > len(longest) {
			at, longest = i, name
		}
	}
	for _, n := range names {
		if !strings.Contains(longest, n) {
			return -1
		}
	}
	return at
}

// border joins tokens by blanks, with one before the first and one after the
// last, so that what contains them contains whole tokens.
func border(tokens []string) string {
	if len(tokens) == 0 {
		return " "
	}
	return " " + strings.Join(tokens, " ") + " "
}

// MaxOptions is the number of options that there are letters for.
const MaxOptions = len(Letters)

// Lettered returns the options, at most MaxOptions, as a question shows them:
// "A. text".
func Lettered(options []string) []string {
	out := slices.Clone(options)
	for i := range out {
		out[i] = Letters[i:i+1] + ". " + out[i]
	}
	return out
}
