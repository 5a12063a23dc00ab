package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s in the form in which words are compared: compatibility
// decomposition (NFKD), accents dropped, lower case, recomposed (NFC), so
// that Hangul syllables and voiced kana stay one character.
//
// Accents are the combining marks of Latin, Greek and Cyrillic, Hebrew points
// and Arabic vowel signs. The marks of other scripts carry vowels and stay.
// Soft hyphens, joiners, the byte order mark and letter apostrophes (U+02BB,
// U+02BC) vanish. Letters that have no decomposition are mapped:
//
//	ß ss   æ ae   œ oe   ø o   ł l   đ ð d   þ th   ħ h   ŧ t   ŋ ng
//	ı i    ƒ f    ς σ    ٱ ا
//
// Bytes that are not UTF-8 become U+FFFD. The result is valid UTF-8, and
// Fold(Fold(s)) == Fold(s). ASCII text without capitals is returned as it is.
// Linear time.
func Fold(s string) string {
	ascii, upper := true, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			ascii = false
			break
		}
		upper = upper || 'A' <= c && c <= 'Z'
	}
	switch {
	case !ascii:
		return foldUnicode(s)
	case upper:
		return lowerASCII(s)
	}
	return s
}

// foldUnicode is Fold without the short way for ASCII.
func foldUnicode(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	var b strings.Builder
	b.Grow(len(s))
	ascii := true
	for _, r := range norm.NFKD.String(s) {
		r = unicode.ToLower(r)
		if r < utf8.RuneSelf {
			b.WriteByte(byte(r))
			continue
		}
		if isAccent(r) || isIgnorable(r) {
			continue
		}
		if m, ok := special(r); ok {
			b.WriteString(m)
			ascii = ascii && m[0] < utf8.RuneSelf
			continue
		}
		ascii = false
		b.WriteRune(r)
	}
	if ascii {
		return b.String()
	}
	return norm.NFC.String(b.String())
}

// lowerASCII returns s with A-Z in lower case and every other byte as it is,
// so that offsets into the two are the same. Without capitals it is s itself.
func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if c := b[i]; 'A' <= c && c <= 'Z' {
					b[i] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// isAccent reports whether Fold drops the combining mark r.
func isAccent(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r <= 0x36F, // general
		0x483 <= r && r <= 0x489,   // Cyrillic
		0x591 <= r && r <= 0x5BD,   // Hebrew
		r == 0x5BF || r == 0x5C7,   // Hebrew
		0x5C1 <= r && r <= 0x5C2,   // Hebrew
		0x5C4 <= r && r <= 0x5C5,   // Hebrew
		0x610 <= r && r <= 0x61A,   // Arabic
		0x64B <= r && r <= 0x65F,   // Arabic
		r == 0x670,                 // Arabic
		0x6D6 <= r && r <= 0x6DC,   // Arabic
		0x1AB0 <= r && r <= 0x1AFF, // extended
		0x1DC0 <= r && r <= 0x1DFF, // supplement
		0x20D0 <= r && r <= 0x20FF, // for symbols
		0xFE00 <= r && r <= 0xFE0F, // variation selectors
		0xFE20 <= r && r <= 0xFE2F: // half marks
		return true
	}
	return false
}

// isIgnorable reports whether r is invisible or a mere typographic mark
// inside a word.
func isIgnorable(r rune) bool {
	switch r {
	case 0xAD, // soft hyphen
		0x640,        // Arabic tatweel
		0x2BB, 0x2BC, // letter apostrophes
		0x200C, 0x200D, // zero width non-joiner and joiner
		0x2060, // word joiner
		0xFEFF: // byte order mark
		return true
	}
	return false
}

// special maps lower-case letters that Unicode does not decompose.
func special(r rune) (string, bool) {
	switch r {
	case 'ß':
		return "ss", true
	case 'æ':
		return "ae", true
	case 'œ':
		return "oe", true
	case 'ø':
		return "o", true
	case 'ł':
		return "l", true
	case 'đ', 'ð':
		return "d", true
	case 'þ':
		return "th", true
	case 'ħ':
		return "h", true
	case 'ŧ':
		return "t", true
	case 'ŋ':
		return "ng", true
	case 'ı':
		return "i", true
	case 'ƒ':
		return "f", true
	case 'ς':
		return "σ", true
	case 'ٱ':
		return "ا", true
	}
	return "", false
}
