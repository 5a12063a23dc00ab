package link

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	etext "github.com/ragdb/ragdb/engine/text"
)

// likeness says how two names are alike.
type likeness int

const (
	unlike      likeness = iota // two things
	byMeaning                   // no word in common
	contained                   // one is the end of the other, or its beginning before a legal form
	byInitials                  // one has letters for words of the other
	bySpelling                  // words that differ in a letter or two
	sameWords                   // order, blanks or small words differ
	firmlyEqual                 // the texts say that they are one
)

// reason returns the likeness in words.
func (l likeness) reason() string {
	return [...]string{"", "near in meaning", "one name is part of the other", "initials", "spelled almost alike", "the same words", "a text says that they are one"}[l]
}

// weight is added to the score.
func (l likeness) weight() float64 {
	return [...]float64{0, -0.15, 0, 0.05, 0, 0.15, 0.3}[l]
}

// compare returns how two names are alike by their words alone.
func compare(a, b *name) likeness {
	if isAcronym(a.words, b.words) || isAcronym(b.words, a.words) {
		return byInitials
	}
	if len(a.words) == 0 || len(b.words) == 0 || !slices.Equal(a.marks, b.marks) {
		return unlike
	}
	if strings.Join(a.words, "") == strings.Join(b.words, "") {
		return sameWords
	}
	x, y := contentWords(plain(a.words)), contentWords(plain(b.words))
	how := sameWords
	common := 0
	for _, pair := range []struct {
		same func(a, b string) bool
		how  likeness
	}{{func(a, b string) bool { return a == b }, sameWords}, {akin, bySpelling}, {isInitial, byInitials}} {
		var n int
		x, y, n = without(x, y, pair.same)
		if common += n; n > 0 {
			how = min(how, pair.how)
		}
	}
	switch {
	case common == 0 && !lookAlike(x, y):
		return byMeaning
	case len(x) == 0 && len(y) == 0:
		return how
	case how == sameWords && (standsFor(a, b) || standsFor(b, a)):
		return contained
	}
	return unlike
}

// plain returns the words of a name, those that tell things apart as their meaning.
func plain(words []string) []string {
	out := slices.Clone(words)
	for i, w := range words {
		if m := markOf(w, i == 0); m != "" {
			out[i] = m
		}
	}
	return out
}

// lookAlike reports whether words of two names differ so little that their vectors may be
// near for that alone ("iran", "iraq").
func lookAlike(x, y []string) bool {
	for _, a := range x {
		for _, b := range y {
			if n := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b)); n >= leastAlike && (distance(a, b) <= 2 || strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
				return true
			}
		}
	}
	return false
}

// without returns two lists without pairs of words that are the same, and how many
// there were.
func without(x, y []string, same func(a, b string) bool) (left, right []string, n int) {
	right = slices.Clone(y)
	for _, w := range x {
		if at := slices.IndexFunc(right, func(o string) bool { return same(w, o) }); at >= 0 {
			right = slices.Delete(right, at, at+1)
			n++
			continue
		}
		left = append(left, w)
	}
	return left, right, n
}

// contentWords returns the words but for small ones that join others, all of them if
// there are no others.
func contentWords(words []string) []string {
	var out []string
	for i, w := range words {
		if joins(w) && i > 0 && i < len(words)-1 || w == "the" {
			continue
		}
		out = append(out, w)
	}
	if len(out) == 0 {
		return words
	}
	return out
}

// isAcronym reports whether a name is one word of the initials of another: with or
// without its small words, and also in letters of their own ("u n").
func isAcronym(short, long []string) bool {
	word := strings.Join(short, "")
	if len(long) < 2 || len(long) <= len(short) && len(short) > 1 || utf8.RuneCountInString(word) < 2 {
		return false
	}
	if len(short) > 1 && slices.ContainsFunc(short, func(w string) bool { return utf8.RuneCountInString(w) > 1 }) {
		return false
	}
	return !slices.Contains(long, short[0]) && (word == initials(long) || word == initials(contentWords(long)))
}

func initials(words []string) string {
	var b strings.Builder
	for _, w := range words {
		r, _ := utf8.DecodeRuneInString(w)
		b.WriteRune(r)
	}
	return b.String()
}

// isInitial reports whether one word is the first letter of the other.
func isInitial(a, b string) bool {
	if utf8.RuneCountInString(a) > 1 {
		a, b = b, a
	}
	return utf8.RuneCountInString(a) == 1 && strings.HasPrefix(b, a)
}

// The least length of words that may differ by one letter, or by two, and of those that
// look alike.
const (
	oneEdit    = 6
	twoEdits   = 10
	leastAlike = 4
)

// akin reports whether two words are spellings of one: one is the other's plural, or
// they differ in a letter or two, of many, and not in the last, which makes another word
// ("communism", "communist").
func akin(a, b string) bool {
	short, long := a, b
	if len(short) > len(long) {
		short, long = long, short
	}
	if isPlural(long, short) {
		return true
	}
	x, _ := utf8.DecodeLastRuneInString(short)
	y, _ := utf8.DecodeLastRuneInString(long)
	if x != y || strings.HasPrefix(long, short) {
		return false
	}
	switch n := utf8.RuneCountInString(short); {
	case n >= twoEdits:
		return distance(a, b) <= 2
	case n >= oneEdit:
		return distance(a, b) <= 1
	}
	return false
}

// isPlural reports whether a word is another one with the ending of an English plural.
func isPlural(word, of string) bool {
	stem, isY := strings.CutSuffix(of, "y")
	return len(of) > 1 && (word == of+"s" || word == of+"es" || isY && word == stem+"ies")
}

// distance is the least number of letters to insert, drop, replace or exchange with
// the next.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before, last []int
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before, last, row = last, row, make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(y)]
}

// standsFor reports whether a name may stand for a longer one: it is the longer one's
// end, without a word that joins before it, or its beginning, with a legal form behind
// it. What the longer one has more is written as names are.
func standsFor(a, b *name) bool {
	short, long := a.words, b.words
	n := len(long) - len(short)
	if n <= 0 || len(short) == 0 {
		return false
	}
	if slices.Equal(long[n:], short) {
		return !slices.ContainsFunc(long[:n], joins) && b.capitals(n)
	}
	if !slices.Equal(long[:len(short)], short) {
		return false
	}
	return !slices.ContainsFunc(long[len(short):], func(w string) bool { return !isForm(w) })
}

// capitals reports whether the first n words of a name are written with a capital, or
// in a script without case.
func (x *name) capitals(n int) bool {
	all := slices.Collect(etext.Words(x.label))
	if all = all[max(0, len(all)-len(x.words)):]; len(all) < n {
		return true // it is written otherwise
	}
	for _, w := range all[:n] {
		if r, _ := utf8.DecodeRuneInString(x.label[w.Start:]); unicode.IsLower(r) {
			return false
		}
	}
	return true
}

// isProper reports whether a name is written as names are: with a capital anywhere, or
// in a script without case.
func (x *name) isProper() bool {
	return x.label == "" || strings.IndexFunc(x.label, func(r rune) bool { return unicode.IsLetter(r) && !unicode.IsLower(r) }) >= 0
}

// joins reports whether a word is one that joins others into a name.
func joins(w string) bool {
	switch w {
	case "of", "in", "for", "at", "on", "and", "or", "to", "by", "from", "with", "within", "over", "under", "as", "the", "a", "an", "its", "vs", "versus":
		return true
	}
	return false
}

// isForm reports whether a word behind a name says only what kind of company it is.
func isForm(w string) bool {
	switch w {
	case "inc", "incorporated", "corp", "corporation", "company", "co", "ltd", "limited", "llc", "plc", "gmbh", "ag", "sa", "nv", "kg", "spa", "group":
		return true
	}
	return false
}
