package pdf

import (
	_ "embed"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// The upper halves of encodings (annex D), with a blank for no character.
const (
	standardUpper = "                                 " + "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿" +
		" `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß    "
	pdfDocUpper = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž €"
	symbolUpper = "ΑΒΧ∆ΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
	symbolLower = "αβχδεφγηιϕκλµνοπθρστυϖωξψζ"
)

// baseEncoding returns the characters of an encoding by its name; what has
// none is Adobe's standard encoding.
func baseEncoding(kind name) (table [256]rune) {
	for c := range 256 {
		switch kind {
		case "WinAnsiEncoding":
			table[c] = charmap.Windows1252.DecodeByte(byte(c))
		case "MacRomanEncoding":
			table[c] = charmap.Macintosh.DecodeByte(byte(c))
		default:
			if c < 0x80 {
				table[c] = rune(c)
			}
		}
	}
	if kind == "WinAnsiEncoding" || kind == "MacRomanEncoding" {
		return table
	}
	table['\''], table['`'] = '’', '‘'
	c := 0x80
	for _, r := range standardUpper {
		if r != ' ' {
			table[c] = r
		}
		c++
	}
	return table
}

// symbolEncoding returns the letters of the font Symbol.
func symbolEncoding() (table [256]rune) {
	for c := ' '; c < '@'; c++ {
		table[c] = c
	}
	for i, r := range []rune(symbolUpper) {
		table['A'+i] = r
	}
	for i, r := range []rune(symbolLower) {
		table['a'+i] = r
	}
	table[0xB7] = '•'
	return table
}

// textString decodes a string that is for people (7.9.2.2), without control
// characters.
func textString(s string) string {
	switch {
	case strings.HasPrefix(s, "\xfe\xff"):
		s = utf16String(s[2:])
	case strings.HasPrefix(s, "\xef\xbb\xbf") && utf8.ValidString(s):
		s = s[3:]
	default:
		upper := []rune(pdfDocUpper)
		var b strings.Builder
		for i := range len(s) {
			switch c := s[i]; {
			case c >= 0x80 && int(c)-0x80 < len(upper):
				b.WriteRune(upper[c-0x80])
			default:
				b.WriteRune(rune(c))
			}
		}
		s = b.String()
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar, 0xE000 <= r && r <= 0xF8FF:
			return -1
		}
		return r
	}, s)
}

// utf16String decodes big-endian UTF-16.
func utf16String(s string) string {
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}

//go:embed glyphs.txt
var glyphList string

// glyphText returns the characters that the name of a glyph stands for, "" if
// it is not known: Adobe's list, uniXXXX and uXXXXX, parts joined by _ and
// variants behind a dot.
func (f *File) glyphText(glyph name) string {
	if f.glyphs == nil {
		f.glyphs = make(map[name]string, 2500)
		for line := range strings.Lines(glyphList) {
			key, hex, ok := strings.Cut(strings.TrimSpace(line), " ")
			if code, err := strconv.ParseUint(hex, 16, 32); ok && err == nil {
				f.glyphs[name(key)] = string(rune(code))
			}
		}
	}
	if s, ok := f.glyphs[glyph]; ok {
		return s
	}
	base, _, _ := strings.Cut(string(glyph), ".")
	if len(base) > 64 {
		return ""
	}
	var b strings.Builder
	for part := range strings.SplitSeq(base, "_") {
		if s, ok := f.glyphs[name(part)]; ok {
			b.WriteString(s)
			continue
		}
		hex, isUni := strings.CutPrefix(part, "uni")
		if !isUni {
			hex, isUni = strings.CutPrefix(part, "u")
		}
		code, err := strconv.ParseUint(hex, 16, 32)
		if !isUni || err != nil || len(hex) < 4 || len(hex) > 6 || code > unicode.MaxRune {
			return ""
		}
		b.WriteRune(rune(code))
	}
	return b.String()
}

// plain returns the characters of a glyph as they are read: ligatures and
// Arabic forms as their letters, no controls, nothing for private use but the
// bullet of the font Symbol. The letters of a right-to-left glyph come last
// first, as glyphs do.
func plain(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == 0xF0B7 || r == 0xF0A7:
			b.WriteRune('•')
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case unicode.IsControl(r), r == unicode.ReplacementChar,
			0xE000 <= r && r <= 0xF8FF, r > 0xF0000, 0xFFF0 <= r && r <= 0xFFFF, r == 0xFEFF,
			'\u202A' <= r && r <= '\u202E', '\u2066' <= r && r <= '\u2069':
		case 0xFB00 <= r && r <= 0xFDFF, 0xFE70 <= r && r <= 0xFEFF:
			b.WriteString(norm.NFKC.String(string(r)))
		default:
			b.WriteRune(r)
		}
	}
	out := b.String()
	if utf8.RuneCountInString(out) > 1 && isRightToLeft(firstRune(out)) {
		return reversed(out)
	}
	return out
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func reversed(s string) string {
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		_, n := utf8.DecodeLastRuneInString(s)
		out = append(out, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	return string(out)
}

// isRightToLeft reports whether r is a letter of a script that is written from
// right to left.
func isRightToLeft(r rune) bool {
	switch {
	case r < 0x590:
		return false
	case r <= 0x8FF, 0xFB1D <= r && r <= 0xFDFF, 0xFE70 <= r && r <= 0xFEFC, 0x10800 <= r && r <= 0x10FFF, 0x1E800 <= r && r <= 0x1EFFF:
		return !(0x660 <= r && r <= 0x669) && !(0x6F0 <= r && r <= 0x6F9)
	}
	return false
}
