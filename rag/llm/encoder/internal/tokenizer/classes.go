package tokenizer

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is a set of properties of a character.
type class uint8

const (
	isSpace   class = 1 << iota // white space
	isDropped                   // control, format or private use; not a tab or an end of line
	isPunct                     // punctuation, as BERT counts it
	isMn                        // a mark without width
	isMark                      // a mark of any kind
	isWord                      // \w of a regular expression
	isNumber
	isHan // a Chinese character, as BERT counts it
)

// classTable keeps the classes of all characters in pages of 256; equal pages
// are kept once.
type classTable struct {
	page  [unicode.MaxRune>>8 + 1]uint16
	pages [][256]class
}

// classes is built at first use, in a few milliseconds.
var classes = sync.OnceValue(newClassTable)

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return asciiClasses[r]
	}
	t := classes()
	return t.pages[t.page[r>>8]][r&0xff]
}

// asciiClasses answers for most text without a look at the table.
var asciiClasses = func() (t [utf8.RuneSelf]class) {
	for r := range t {
		switch {
		case r >= '0' && r <= '9':
			t[r] = isWord | isNumber
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			t[r] = isWord
		case r == '_':
			t[r] = isWord | isPunct
		case r > ' ' && r < 0x7f:
			t[r] = isPunct
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			t[r] = isSpace
		case r == '\v' || r == '\f':
			t[r] = isSpace | isDropped
		default:
			t[r] = isDropped
		}
	}
	return t
}()

// han lists the blocks that BERT splits into single characters.
var han = []rune{
	0x3400, 0x4DBF, 0x4E00, 0x9FFF, 0xF900, 0xFAFF, 0x20000, 0x2A6DF,
	0x2A700, 0x2B73F, 0x2B740, 0x2B81F, 0x2B920, 0x2CEAF, 0x2F800, 0x2FA1F,
}

// newClassTable sets the classes from Go's tables and then corrects what the
// reference counts otherwise, as its tables are of other versions of Unicode.
func newClassTable() *classTable {
	flat := make([]class, unicode.MaxRune+1)
	set := func(c class, tables ...*unicode.RangeTable) {
		for _, t := range tables {
			for _, r := range t.R16 {
				for x := rune(r.Lo); x <= rune(r.Hi); x += rune(r.Stride) {
					flat[x] |= c
				}
			}
			for _, r := range t.R32 {
				for x := rune(r.Lo); x <= rune(r.Hi); x += rune(r.Stride) {
					flat[x] |= c
				}
			}
		}
	}
	ranges := func(c class, flip bool, list []rune) {
		for i := 0; i < len(list); i += 2 {
			for x := list[i]; x <= list[i+1]; x++ {
				if flip {
					flat[x] ^= c
				} else {
					flat[x] |= c
				}
			}
		}
	}
	set(isSpace, unicode.White_Space)
	set(isDropped, unicode.Cc, unicode.Cf, unicode.Co)
	set(isPunct, unicode.P)
	set(isMn, unicode.Mn)
	set(isMark, unicode.M)
	set(isNumber, unicode.N)
	set(isWord, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control)
	ranges(isHan, false, han)
	ranges(isDropped, true, otherDropped)
	ranges(isPunct, true, otherPunct)
	ranges(isMn, true, otherMn)
	ranges(isMark, true, otherMark)
	ranges(isWord, true, otherWord)
	ranges(isNumber, true, otherNumber)
	copy(flat, asciiClasses[:])
	flat[0xFFFD] |= isDropped

	t := &classTable{}
	known := map[[256]class]uint16{}
	for i := range t.page {
		page := [256]class(flat[i<<8 : (i+1)<<8])
		n, ok := known[page]
		if !ok {
			n = uint16(len(t.pages))
			known[page] = n
			t.pages = append(t.pages, page)
		}
		t.page[i] = n
	}
	return t
}
