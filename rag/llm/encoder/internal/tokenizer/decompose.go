package tokenizer

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// decomposer appends decomposed text to dst. Marks wait in pending until the
// next character without a combining class, and are then put in order. Unlike
// x/text, it has no limit to the number of marks in a row, as the reference has
// none.
type decomposer struct {
	dst     []byte
	pending []mark
	room    [16]mark
	compat  bool
	drop    class // characters that are left out
	lower   bool  // makes the result lower case
}

type mark struct {
	r     rune
	class uint8
}

// add appends a character, of which src is the UTF-8 form unless it was changed.
func (d *decomposer) add(r rune, src []byte) {
	if r < 0xC0 && !d.compat {
		d.put(r, 0)
		return
	}
	if r >= hangulFirst && r < hangulFirst+hangulCount {
		d.hangul(r)
		return
	}
	if in(r, unassigned) {
		d.put(r, 0)
		return
	}
	p := d.properties(src)
	parts := p.Decomposition()
	if parts == nil {
		d.put(r, p.CCC())
		return
	}
	for len(parts) > 0 {
		part, size := utf8.DecodeRune(parts)
		d.put(part, d.properties(parts).CCC())
		parts = parts[size:]
	}
}

func (d *decomposer) properties(text []byte) norm.Properties {
	if d.compat {
		return norm.NFKD.Properties(text)
	}
	return norm.NFD.Properties(text)
}

// Hangul syllables are decomposed by arithmetic.
const (
	hangulFirst = 0xAC00
	hangulCount = 11172
	leadFirst   = 0x1100
	vowelFirst  = 0x1161
	vowelCount  = 21
	tailFirst   = 0x11A7
	tailCount   = 28
)

func (d *decomposer) hangul(r rune) {
	n := r - hangulFirst
	d.put(leadFirst+n/(vowelCount*tailCount), 0)
	d.put(vowelFirst+n%(vowelCount*tailCount)/tailCount, 0)
	if n%tailCount != 0 {
		d.put(tailFirst+n%tailCount, 0)
	}
}

// put appends one character with its combining class.
func (d *decomposer) put(r rune, ccc uint8) {
	if ccc == 0 {
		if len(d.pending) > 0 {
			d.flush()
		}
		d.write(r)
		return
	}
	if d.pending == nil {
		d.pending = d.room[:0]
	}
	d.pending = append(d.pending, mark{r, ccc})
}

func (d *decomposer) blank() {
	d.flush()
	d.dst = append(d.dst, ' ')
}

// flush writes the pending marks in the order of their classes.
func (d *decomposer) flush() {
	if len(d.pending) > 1 {
		slices.SortStableFunc(d.pending, func(a, b mark) int { return int(a.class) - int(b.class) })
	}
	for _, m := range d.pending {
		d.write(m.r)
	}
	d.pending = d.pending[:0]
}

func (d *decomposer) write(r rune) {
	switch {
	case d.drop != 0 && classOf(r)&d.drop != 0:
	case d.lower:
		d.dst = appendLower(d.dst, r)
	default:
		d.dst = utf8.AppendRune(d.dst, r)
	}
}

// unicodeForm is one of the four normal forms of Unicode.
type unicodeForm struct {
	compat  bool
	compose bool
}

func (f unicodeForm) normalize(dst, src []byte, s *scratch) ([]byte, bool) {
	if f.compose {
		form := norm.NFC
		if f.compat {
			form = norm.NFKC
		}
		if form.QuickSpan(src) == len(src) && !bytes.ContainsFunc(src, isUnassigned) {
			return append(dst, src...), false
		}
	}
	n := len(dst)
	d := decomposer{dst: dst, compat: f.compat}
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r < utf8.RuneSelf {
			d.put(r, 0)
		} else {
			d.add(r, src[i:i+size])
		}
		i += size
	}
	d.flush()
	if f.compose {
		return compose(d.dst, n), false
	}
	return d.dst, false
}

// compose joins characters of text[from:] with the marks behind them, in place.
func compose(text []byte, from int) []byte {
	src := append([]byte(nil), text[from:]...)
	dst := text[:from]
	var marks []byte
	starter, last := rune(-1), -1 // last is the class of the last mark kept, -1 for none
	flush := func() {
		if starter >= 0 {
			dst = utf8.AppendRune(dst, starter)
		}
		dst = append(dst, marks...)
		starter, marks, last = -1, marks[:0], -1
	}
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		ccc := 0
		if r >= utf8.RuneSelf && !in(r, unassigned) {
			ccc = int(norm.NFD.Properties(src).CCC())
		}
		src = src[size:]
		if starter >= 0 && (last < 0 || last < ccc) {
			if c, ok := composed(starter, r); ok {
				starter = c
				continue
			}
		}
		if ccc == 0 {
			flush()
			starter = r
			continue
		}
		marks = utf8.AppendRune(marks, r)
		if starter >= 0 {
			last = ccc
		}
	}
	flush()
	return dst
}

// composed returns the character that two make together.
func composed(a, b rune) (rune, bool) {
	switch {
	case a < utf8.RuneSelf && b < utf8.RuneSelf:
		return 0, false
	case a >= leadFirst && a < leadFirst+19 && b >= vowelFirst && b < vowelFirst+vowelCount:
		return hangulFirst + ((a-leadFirst)*vowelCount+b-vowelFirst)*tailCount, true
	case a >= hangulFirst && a < hangulFirst+hangulCount && (a-hangulFirst)%tailCount == 0 && b > tailFirst && b < tailFirst+tailCount:
		return a + b - tailFirst, true
	case in(a, unassigned) || in(b, unassigned):
		return 0, false
	}
	var pair, room [2 * utf8.UTFMax]byte
	second := utf8.AppendRune(pair[:0], b)
	if norm.NFC.Properties(second).BoundaryBefore() {
		return 0, false
	}
	text := utf8.AppendRune(utf8.AppendRune(pair[:0], a), b)
	out := norm.NFC.Append(room[:0], text...)
	r, size := utf8.DecodeRune(out)
	return r, size == len(out)
}

// in reports whether a sorted list of ranges has a character.
func in(r rune, list []rune) bool {
	if r < list[0] {
		return false
	}
	i, found := slices.BinarySearch(list, r)
	return found || i%2 == 1
}

func isUnassigned(r rune) bool { return in(r, unassigned) }

// appendLower appends the lower case of a character.
func appendLower(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(dst, byte(r))
	}
	if r == 'İ' {
		return append(dst, "i\u0307"...)
	}
	if i, found := slices.BinarySearchFunc(newerLower, r, func(p [2]rune, r rune) int { return int(p[0] - r) }); found {
		return utf8.AppendRune(dst, newerLower[i][1])
	}
	return utf8.AppendRune(dst, unicode.ToLower(r))
}
