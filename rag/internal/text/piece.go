package text

import (
	"unicode"
	"unicode/utf8"
)

// class is what the pattern of cl100k_base tells apart.
type class uint8

const (
	other   class = iota // punctuation, symbols, marks, controls
	letter               // \p{L}
	number               // \p{N}
	space                // \s without line ends
	newline              // \r and \n
)

// nextPiece returns the end of the piece of s that starts at byte i < len(s).
// Pieces are encoded on their own. The rules are those of cl100k_base, the
// first that matches:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// Amortised linear over the pieces of a text: only white space is looked at
// twice.
func nextPiece(s string, i int) int {
	if n := contraction(s[i:]); n > 0 {
		return i + n
	}
	c, n := classAt(s, i)
	after := i + n
	switch c {
	case letter:
		return skip(s, after, letter)
	case number:
		for k := 1; k < 3; k++ {
			c, n := classAt(s, after)
			if c != number || n == 0 {
				break
			}
			after += n
		}
		return after
	case other, space:
		next, n := classAt(s, after)
		if next == letter && n > 0 {
			return skip(s, after, letter)
		}
		if c == other || s[i] == ' ' && next == other && n > 0 {
			return skip(s, skip(s, after, other), newline)
		}
	}
	return spaceEnd(s, i)
}

// spaceEnd returns the end of a piece of white space that starts at i.
func spaceEnd(s string, i int) int {
	end, last, lineEnd := i, i, -1
	for end < len(s) {
		c, n := classAt(s, end)
		if c != space && c != newline {
			break
		}
		last = end
		end += n
		if c == newline {
			lineEnd = end
		}
	}
	switch {
	case lineEnd >= 0:
		return lineEnd
	case end < len(s) && last > i:
		return last // the last blank belongs to what follows
	}
	return end
}

// skip returns the end of the run of class c that starts at i.
func skip(s string, i int, c class) int {
	for i < len(s) {
		got, n := classAt(s, i)
		if got != c {
			break
		}
		i += n
	}
	return i
}

// classAt returns the class of the character at byte i and its length, which
// is 0 at the end of s.
func classAt(s string, i int) (class, int) {
	if i >= len(s) {
		return other, 0
	}
	if b := s[i]; b < utf8.RuneSelf {
		switch {
		case b|0x20 >= 'a' && b|0x20 <= 'z':
			return letter, 1
		case b >= '0' && b <= '9':
			return number, 1
		case b == '\n' || b == '\r':
			return newline, 1
		case b == ' ' || b >= '\t' && b <= '\f':
			return space, 1
		}
		return other, 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	switch {
	case unicode.IsLetter(r):
		return letter, n
	case unicode.IsNumber(r):
		return number, n
	case unicode.IsSpace(r):
		return space, n
	}
	return other, n
}

// contraction returns the length of the English contraction at the start of
// s, or 0.
func contraction(s string) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	switch s[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if len(s) > 2 && s[2]|0x20 == 'e' {
			return 3
		}
	case 'l':
		if len(s) > 2 && s[2]|0x20 == 'l' {
			return 3
		}
	}
	return 0
}
