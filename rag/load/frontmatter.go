package load

import "strings"

// maxFrontMatter bounds the block of metadata at a Markdown file's start.
const maxFrontMatter = 64 << 10

// frontMatter reads the metadata between two "---" lines at the start of text
// into d, and returns where the rest begins: 0 where there is none. Anything
// that is not plain "key: value" YAML makes it a part of the document.
func frontMatter(text string, d *draft) int {
	if !strings.HasPrefix(text, "---") {
		return 0
	}
	type entry struct {
		name  string
		value Value
	}
	var entries []entry
	head := text[:min(len(text), maxFrontMatter)]
	pos := 0
	for n := 0; ; n++ {
		i := strings.IndexByte(head[pos:], '\n')
		if i < 0 && (len(head) < len(text) || n == 0) {
			return 0
		}
		line, next := head[pos:], len(head)
		if i >= 0 {
			line, next = head[pos:pos+i], pos+i+1
		}
		pos = next
		line = strings.TrimRight(line, " \t")
		inner := strings.TrimLeft(line, " \t")
		switch {
		case n == 0:
			if line != "---" {
				return 0
			}
		case line == "---" || line == "...":
			for _, e := range entries {
				if e.name == "title" && !isBlank(e.value.Text) {
					d.title = cut(oneLine(e.value.Text), maxTitleBytes)
					continue
				}
				if e.value.Text != "" {
					d.setMeta(e.name, e.value)
				}
			}
			return pos
		case i < 0:
			return 0 // never closed
		case inner == "" || inner[0] == '#':
		case strings.HasPrefix(inner, "- ") && len(entries) > 0:
			e := &entries[len(entries)-1]
			if e.value.Kind == KindList || e.value.Text == "" {
				e.value = listValue(append(e.value.List, unquote(inner[2:])))
			}
		case len(inner) < len(line) && len(entries) > 0:
			// Nested and folded values are left out.
		default:
			name, value, ok := strings.Cut(line, ":")
			if !ok || !isName(name) || value != "" && value[0] != ' ' && value[0] != '\t' {
				return 0
			}
			entries = append(entries, entry{name, yamlValue(strings.TrimSpace(value))})
		}
	}
}

// isName reports whether s can be the name of a front matter entry.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80 || strings.IndexByte("_-. ", c) >= 0) {
			return false
		}
	}
	return s != "" && len(s) <= 100 && s[0] != ' ' && s[0] != '-'
}

// yamlValue reads a scalar or a list in brackets.
func yamlValue(s string) Value {
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") && len(s) >= 2 {
		var list []string
		for item := range strings.SplitSeq(s[1:len(s)-1], ",") {
			if item = unquote(item); item != "" {
				list = append(list, item)
			}
		}
		return listValue(list)
	}
	if s == "|" || s == ">" || s == "|-" || s == ">-" || s == "~" || s == "null" {
		return Value{}
	}
	if q := unquote(s); q != s {
		return Value{Text: q}
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	return ParseValue(s)
}

// unquote drops space and a pair of quotes around s.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == s[len(s)-1] && (s[0] == '"' || s[0] == '\'') {
		return s[1 : len(s)-1]
	}
	return s
}
