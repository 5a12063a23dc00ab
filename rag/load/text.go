package load

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readText reads plain text: the body is the file, a block is a run of lines
// that are not blank.
func readText(_ context.Context, o *origin) (*draft, error) {
	d := &draft{titleSrc: unknown, text: strings.ReplaceAll(o.text, "\f", "\n")}
	page := 0
	if strings.Contains(o.text, "\f") {
		page = 1
	}
	start, end := -1, -1 // the block so far
	flush := func() {
		if start >= 0 {
			d.blocks = addBlock(d.blocks, Block{Start: start, End: end, Page: page, Source: o.span(start, end)})
		}
		start = -1
	}
	for pos := 0; pos < len(o.text); {
		next, stop := len(o.text), len(o.text)
		var by byte
		if i := strings.IndexAny(o.text[pos:], "\n\f"); i >= 0 {
			stop = pos + i
			next = stop + 1
			by = o.text[stop]
		}
		if isBlank(o.text[pos:stop]) {
			flush()
		} else {
			if start < 0 {
				start = pos
			}
			end = stop
		}
		if by == '\f' {
			flush()
			page++
		}
		pos = next
	}
	flush()
	return d, nil
}

// isBlank reports whether s is nothing but white space.
func isBlank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// cut returns at most n bytes of s, whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimSpace(s[:n])
}
