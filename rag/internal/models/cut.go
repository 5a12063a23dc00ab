package models

import (
	"strings"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/llm"
)

// leastText is the size from which a text is divided, in bytes.
const leastText = 200

// halveText divides a text at the end of a paragraph, a sentence or a word near its
// middle.
func halveText(s string) (a, b string, ok bool) {
	if len(s) < leastText {
		return "", "", false
	}
	from, to := len(s)/3, 2*len(s)/3
	for _, end := range []string{"\n\n", "\n", ". ", "。", "? ", "! ", " "} {
		best := -1
		for at := from; at < to; {
			i := strings.Index(s[at:to], end)
			if i < 0 {
				break
			}
			at += i + len(end)
			if best < 0 || abs(at-len(s)/2) < abs(best-len(s)/2) {
				best = at
			}
		}
		if best > 0 {
			return strings.TrimSpace(s[:best]), strings.TrimSpace(s[best:]), true
		}
	}
	mid := len(prefix(s, len(s)/2))
	return s[:mid], s[mid:], true
}

// prefix returns the whole characters of the first bytes of a text.
func prefix(s string, bytes int) string {
	for bytes > 0 && bytes < len(s) && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:min(bytes, len(s))]
}

func abs(n int) int { return max(n, -n) }

func size(texts []string) (n int) {
	for _, s := range texts {
		n += len(s)
	}
	return n
}

// lessEvidence returns the first pieces of each section, as many as are likely to fit,
// and of one piece its beginning. The pieces keep their numbers.
func lessEvidence(list []llm.Evidence, long *llm.TooLongError) ([]llm.Evidence, bool) {
	share := .5
	if long.Context > 0 && long.Tokens > 0 {
		share = min(max(.9*float64(long.Context)/float64(long.Tokens), .1), .9)
	}
	bytes := 0
	for _, e := range list {
		bytes += len(e.Text)
	}
	if bytes == 0 {
		return nil, false
	}
	if len(list) == 1 {
		if bytes < leastText {
			return nil, false
		}
		e := list[0]
		e.Text = prefix(e.Text, int(share*float64(bytes)))
		return []llm.Evidence{e}, true
	}
	sections := map[string]int{}
	for _, e := range list {
		sections[e.Section] += len(e.Text)
	}
	have := map[string]int{}
	var out []llm.Evidence
	for _, e := range list {
		have[e.Section] += len(e.Text)
		if float64(have[e.Section]) <= share*float64(sections[e.Section]) {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		out = list[:1]
	}
	return out, true
}
