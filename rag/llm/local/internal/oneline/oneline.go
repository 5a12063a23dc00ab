// Package oneline brings texts into the form in which they stand in replies.
package oneline

import (
	"strings"
	"unicode"
)

// Clean returns s on one line: runs of white space are one blank, and control
// characters, marks that turn the direction of writing, and bytes that are not
// UTF-8 are gone.
func Clean(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			blank = b.Len() > 0
			continue
		case unicode.IsControl(r), r == unicode.ReplacementChar,
			'\u202A' <= r && r <= '\u202E', '\u2066' <= r && r <= '\u2069':
			continue
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// WithoutMarkers returns s without footnote marks such as [12], which would
// read as citations of an answer.
func WithoutMarkers(s string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '[')
		if open < 0 {
			b.WriteString(s)
			return b.String()
		}
		digits := open + 1
		for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
			digits++
		}
		if digits == open+1 || digits == len(s) || s[digits] != ']' {
			b.WriteString(s[:open+1])
			s = s[open+1:]
			continue
		}
		b.WriteString(s[:open])
		s = s[digits+1:]
	}
}
