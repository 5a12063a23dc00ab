package pdf

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Page returns the paragraphs of a page, which counts from 0. It is no
// paragraph if nothing is written. A page is read again by every call.
func (f *File) Page(n int) ([]string, error) {
	if f.err != nil {
		return nil, f.err
	}
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	var l liner
	size := int64(0)
	err := f.draw(f.pages[n], func(r run) {
		if size += int64(len(r.text)); size <= f.text {
			l.add(r)
		}
	})
	if err == nil {
		err = f.err
	}
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", n+1, err)
	}
	if f.text -= size; f.text < 0 {
		f.err = fmt.Errorf("%w: it has too much text", ErrLimit)
		return nil, f.err
	}
	l.close()
	return join(l.lines), nil
}

// join puts lines together to paragraphs.
func join(lines []line) []string {
	var out []string
	var open []byte
	spacing := usualSpacing(lines)
	right := rightEdges(lines)
	for i, cur := range lines {
		if i > 0 {
			if opensParagraph(lines[i-1], cur, spacing, right[i-1]) {
				out = append(out, string(open))
				open = open[:0]
			} else {
				open = joinLine(open, cur.text)
				continue
			}
		}
		open = append(open, cur.text...)
	}
	if len(open) > 0 {
		out = append(out, string(open))
	}
	return out
}

// usualSpacing returns the median distance of lines, in parts of their size;
// 1.2 if there is none.
func usualSpacing(lines []line) float64 {
	var gaps []float64
	for i := 1; i < len(lines); i++ {
		a, b := lines[i-1], lines[i]
		if gap := (a.across - b.across) / math.Max(a.size, 1e-9); gap > .5 && gap < 3 && a.dir == b.dir {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) == 0 {
		return 1.2
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// rightEdges returns for each line how far the lines of its column go: those
// that start near it.
func rightEdges(lines []line) []float64 {
	column := func(l line) int { return int(math.Round(l.from / math.Max(4*l.size, 1))) }
	edge := map[int]float64{}
	for _, l := range lines {
		for c := column(l) - 1; c <= column(l)+1; c++ {
			if e, ok := edge[c]; !ok || l.to > e {
				edge[c] = l.to
			}
		}
	}
	out := make([]float64, len(lines))
	for i, l := range lines {
		out[i] = edge[column(l)]
	}
	return out
}

// opensParagraph reports whether cur begins a paragraph behind the line before
// it: because of its place, its size, its indent or its bullet, or because the
// line before ends a sentence before its time.
func opensParagraph(before, cur line, spacing, right float64) bool {
	size := math.Max(before.size, 1e-9)
	gap := (before.across - cur.across) / size
	first := firstRune(cur.text)
	ended := endsSentence(before.text)
	switch {
	case before.dir != cur.dir, isBullet(cur.text):
		return true
	case math.Abs(cur.size-before.size) > .12*size:
		return true
	case gap < 0: // another column, or another part of the page
		return ended || !unicode.IsLower(first) && !isUnspaced(first)
	case gap > 1.3*spacing+.1:
		return true
	case cur.from-before.from > .8*size && cur.from-before.from < 8*size && ended:
		return true
	}
	short := right-before.to > math.Max(3*size, .2*(right-before.from))
	return short && !unicode.IsLower(first) && (ended || right-before.to > .4*(right-before.from))
}

// isBullet reports whether a line opens with the mark of a list.
func isBullet(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("•◦▪‣●○■□–", r) && strings.HasPrefix(s[n:], " ")
}

// endsSentence reports whether s ends with a mark that ends sentences.
func endsSentence(s string) bool {
	s = strings.TrimRight(s, "\"'”’)]»」』）")
	r, _ := utf8.DecodeLastRuneInString(s)
	return r == ':' || r == '：' || unicode.Is(unicode.STerm, r)
}

// joinLine adds a line to a paragraph: behind a hyphen that parts a word
// without it, in scripts without blanks as it is, else behind a blank.
func joinLine(open []byte, next string) []byte {
	last, n := utf8.DecodeLastRune(open)
	ahead, _ := utf8.DecodeLastRune(open[:len(open)-n])
	first := firstRune(next)
	switch {
	case (last == '-' || last == '\u2010' || last == '\u00AD') && unicode.IsLetter(ahead) && unicode.IsLower(first):
		open = open[:len(open)-n]
	case isUnspaced(last) && isUnspaced(first):
	default:
		open = append(open, ' ')
	}
	return append(open, next...)
}
