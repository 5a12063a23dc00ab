package cypher

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseInt parses an integer, which may have a sign.
func parseInt(text string) (int64, error) {
	digits, negative := strings.CutPrefix(text, "-")
	base := 10
	if len(digits) > 1 && digits[0] == '0' {
		switch digits[1] | 0x20 {
		case 'x':
			base, digits = 16, digits[2:]
		case 'o':
			base, digits = 8, digits[2:]
		}
	}
	if negative {
		digits = "-" + digits
	}
	return strconv.ParseInt(digits, base, 64)
}

// parseFloat parses a float. If it is too large, that is an error; if it is too
// small, it is 0.
func parseFloat(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if math.IsInf(x, 0) {
		return 0, strconv.ErrRange
	}
	if errors.Is(err, strconv.ErrRange) {
		return x, nil
	}
	return x, err
}

// unquoteName returns the name in backticks.
func unquoteName(text string) string {
	return strings.ReplaceAll(text[1:len(text)-1], "``", "`")
}

// escapeError is an invalid escape in a string, with its place.
type escapeError struct {
	at, end int // in bytes from the string's quote
	message string
}

// unquoteString returns the text of a string with its quotes.
func unquoteString(text string) (string, *escapeError) {
	body := text[1 : len(text)-1]
	if strings.IndexByte(body, '\\') < 0 {
		return body, nil
	}
	var b strings.Builder
	b.Grow(len(body))
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			b.WriteByte(body[i])
			continue
		}
		start := i
		i++
		switch c := body[i]; c {
		case '\\', '\'', '"', '`':
			b.WriteByte(c)
		case 'b', 'B':
			b.WriteByte('\b')
		case 'f', 'F':
			b.WriteByte('\f')
		case 'n', 'N':
			b.WriteByte('\n')
		case 'r', 'R':
			b.WriteByte('\r')
		case 't', 'T':
			b.WriteByte('\t')
		case 'u', 'U':
			digits := 4
			if c == 'U' {
				digits = 8
			}
			r, ok := hexRune(body[i+1:], digits)
			if !ok {
				return "", &escapeError{start + 1, start + 3, "\\" + string(c) + " needs " + strconv.Itoa(digits) + " hexadecimal digits of a character"}
			}
			i += digits
			if 0xD800 <= r && r < 0xDC00 && strings.HasPrefix(body[i+1:], `\u`) {
				low, ok := hexRune(body[i+3:], 4)
				if ok && 0xDC00 <= low && low < 0xE000 {
					r = (r-0xD800)<<10 | (low - 0xDC00) + 0x10000
					i += 6
				}
			}
			if !utf8.ValidRune(r) {
				return "", &escapeError{start + 1, i + 2, body[start:i+1] + " is not a character"}
			}
			b.WriteRune(r)
		default:
			_, n := utf8.DecodeRuneInString(body[i:])
			return "", &escapeError{start + 1, start + 2 + n, body[start:i+n] + " is not an escape: write \\\\ for a backslash"}
		}
	}
	return b.String(), nil
}

// hexRune reads the digits at the start of a text.
func hexRune(s string, digits int) (rune, bool) {
	if len(s) < digits || !allDigits(s[:digits], 16) {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:digits], 16, 31)
	return rune(n), err == nil
}

// quoteString writes a string as a literal.
func quoteString(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch r {
		case '\'', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			if r < ' ' || r == 0x7f {
				b.WriteString(`\u00`)
				b.WriteByte("0123456789abcdef"[r>>4])
				b.WriteByte("0123456789abcdef"[r&15])
				continue
			}
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// quoteName writes a name so that it can stand anywhere: in backticks unless it
// is a plain word that is not a keyword.
func quoteName(s string) string {
	l := lexer{text: s}
	if t := l.next(); t.kind == tokWord && t.end == len(s) && t.start == 0 && t.word == noKeyword {
		return s
	}
	return "`" + strings.ReplaceAll(s, "`", "``") + "`"
}
