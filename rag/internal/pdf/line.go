package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A line is text on one base line, in its order of reading.
type line struct {
	text     string
	from, to float64
	across   float64
	size     float64
	dir      [2]float64
}

// A liner puts runs together to lines, in the order in which they come: a run
// on another base line starts another line.
type liner struct {
	runs  []run // of the open line
	size  float64
	lines []line
}

// mostRuns is how many runs an open line has at most. No page has as many on a base line
// but one that is made to take memory: a run takes some 90 bytes, and as few as 7 of its
// file.
const mostRuns = 1 << 14

func (l *liner) add(r run) {
	if n := len(l.runs); n > 0 {
		last := l.runs[n-1]
		near := math.Max(l.size, r.size)
		if last.text == r.text && math.Abs(last.from-r.from) < .3*near && math.Abs(last.across-r.across) < .3*near && last.dir == r.dir {
			return // drawn twice to look bold
		}
		if n == mostRuns || !l.joins(r) {
			l.close()
		}
	}
	if len(l.runs) == 0 {
		l.size = r.size
	}
	if strings.TrimSpace(r.text) != "" && r.size > l.size {
		l.size = r.size
	}
	l.runs = append(l.runs, r)
}

// joins reports whether a run stands on the open line: on its base line, or a
// bit above or below as indices do.
func (l *liner) joins(r run) bool {
	first, last := l.runs[0], l.runs[len(l.runs)-1]
	if first.dir[0]*r.dir[0]+first.dir[1]*r.dir[1] < .99 {
		return false
	}
	off := math.Abs(r.across - first.across)
	if off <= .2*math.Max(l.size, r.size) {
		return true
	}
	small := math.Min(r.size, l.size) < .85*math.Max(r.size, l.size)
	gap := r.from - last.to
	return small && off <= .6*l.size && gap > -.3*l.size && gap < l.size
}

// close finishes the open line.
func (l *liner) close() {
	runs := l.runs
	if len(runs) == 0 {
		return
	}
	base := runs[0]
	for _, r := range runs {
		if r.size > .9*l.size {
			base = r
			break
		}
	}
	if !slices.IsSortedFunc(runs, byPlace) {
		slices.SortStableFunc(runs, byPlace)
	}
	var b strings.Builder
	end := runs[0].to
	for i, r := range runs {
		if i > 0 {
			gap := (r.from - runs[i-1].to) / math.Max(l.size, 1e-9)
			if gap > wordGap && needsBlank(b.String(), gap) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(r.text)
		end = math.Max(end, r.to)
	}
	text := readingOrder(strings.Join(strings.Fields(b.String()), " "))
	if text != "" {
		l.lines = append(l.lines, line{text, runs[0].from, end, base.across, l.size, base.dir})
	}
	l.runs = l.runs[:0]
}

func byPlace(a, b run) int {
	switch {
	case a.from < b.from:
		return -1
	case a.from > b.from:
		return 1
	}
	return 0
}

// needsBlank reports whether a gap behind a text parts words: not behind a
// blank, and behind the characters of scripts without blanks only if it is
// wide.
func needsBlank(before string, gap float64) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return r != ' ' && (!isUnspaced(r) || gap > .8)
}

// isUnspaced reports whether r belongs to a script that has no blanks between
// words, or is one of its marks.
func isUnspaced(r rune) bool {
	return r >= 0xE00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		0x3000 <= r && r <= 0x303F || 0xFF00 <= r && r <= 0xFFEF)
}

// readingOrder turns a line as it is seen, from left to right, into the order
// in which it is read. In a line with more letters of right-to-left scripts
// than others all is turned but its numbers and other words; in another only
// those letters are. It is a small part of the bidirectional algorithm (UAX
// #9), the other way round.
func readingOrder(s string) string {
	rtl, ltr := 0, 0
	for _, r := range s {
		if isRightToLeft(r) {
			rtl++
		} else if unicode.IsLetter(r) {
			ltr++
		}
	}
	if rtl == 0 {
		return s
	}
	parts := clusters(s)
	if rtl > ltr {
		slices.Reverse(parts)
		turn(parts, func(r rune) bool { return !isRightToLeft(r) && (unicode.IsLetter(r) || unicode.IsDigit(r)) })
		for i, p := range parts {
			parts[i] = mirrored(p)
		}
	} else {
		turn(parts, isRightToLeft)
	}
	return strings.Join(parts, "")
}

// clusters splits s into characters with the marks behind them.
func clusters(s string) []string {
	var out []string
	for _, r := range s {
		if n := len(out); n > 0 && unicode.IsMark(r) {
			out[n-1] += string(r)
		} else {
			out = append(out, string(r))
		}
	}
	return out
}

// turn reverses every stretch that begins and ends with a character that is,
// and has between only such or what is neither letter nor digit.
func turn(parts []string, is func(rune) bool) {
	for i := 0; i < len(parts); {
		if !is(firstRune(parts[i])) {
			i++
			continue
		}
		last := i
		for k := i + 1; k < len(parts); k++ {
			r := firstRune(parts[k])
			if is(r) {
				last = k
			} else if unicode.IsLetter(r) || unicode.IsDigit(r) {
				break
			}
		}
		slices.Reverse(parts[i : last+1])
		i = last + 1
	}
}

// mirrored swaps brackets, which are drawn as they look.
func mirrored(s string) string {
	const pairs = "()[]{}<>«»"
	i := strings.Index(pairs, s)
	if i < 0 || s == "" {
		return s
	}
	all := []rune(pairs)
	k := utf8.RuneCountInString(pairs[:i])
	return string(all[k^1])
}
