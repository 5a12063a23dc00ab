package text

import "strings"

// maxAttributes bounds the attributes behind a heading, in bytes.
const maxAttributes = 128

// HeadingText returns a heading without the attributes that Markdown dialects
// write behind it, such as {#install} or {.class key=value}.
func HeadingText(s string) string {
	t := strings.TrimRight(s, " \t")
	if !strings.HasSuffix(t, "}") {
		return s
	}
	open := strings.LastIndexByte(t, '{')
	if open < 0 || len(t)-open > maxAttributes {
		return s
	}
	inner := strings.TrimPrefix(strings.TrimSpace(t[open+1:len(t)-1]), ":")
	if inner = strings.TrimSpace(inner); inner == "" || inner[0] != '#' && inner[0] != '.' {
		return s
	}
	if t = strings.TrimRight(t[:open], " \t"); t == "" {
		return s
	}
	return t
}
