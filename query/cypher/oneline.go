package cypher

import "strings"

// OneLine brings a text to one line that means the same: comments are left out,
// and line breaks in strings are written \n. It takes any text, whole or not.
func OneLine(text string) string {
	var b strings.Builder
	end := 0
	for _, t := range lex(text) {
		gap := text[end:t.start]
		end = t.end
		if t.kind == tokEnd {
			break
		}
		if strings.TrimSpace(gap) != "" || strings.ContainsAny(gap, "\n\r") {
			gap = " "
		}
		if b.Len() > 0 {
			b.WriteString(gap)
		}
		b.WriteString(strings.ReplaceAll(text[t.start:t.end], "\n", `\n`))
	}
	return b.String()
}
