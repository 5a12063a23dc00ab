package load

import (
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"

	"go.yaml.in/yaml/v3"
)

// maxFrontMatter bounds the block of metadata at a Markdown file's start.
const maxFrontMatter = 64 << 10

// frontMatter reads the YAML between two "---" lines at the start of text into d
// and returns where the rest begins. It returns 0 if there is no such block; a
// block that is not lines of "key: value" at its top level belongs to the text.
func frontMatter(text string, d *draft) int {
	head := text[:min(len(text), maxFrontMatter)]
	line, rest, ok := strings.Cut(head, "\n")
	if !ok || strings.TrimRight(line, " \t") != "---" {
		return 0
	}
	var entries []string // each a key with the lines of its value
	for rest != "" {
		line, rest, ok = strings.Cut(rest, "\n")
		line = strings.TrimRight(line, " \t")
		switch {
		case line == "---" || line == "...":
			for _, e := range entries {
				d.setEntry(e)
			}
			return len(head) - len(rest)
		case line == "" || line[0] == '#':
		case (line[0] == ' ' || line[0] == '\t' || strings.HasPrefix(line, "- ")) && len(entries) > 0:
			entries[len(entries)-1] += "\n" + line
		default:
			name, value, ok := strings.Cut(line, ":")
			if !ok || !isName(name) || value != "" && value[0] != ' ' && value[0] != '\t' {
				return 0
			}
			entries = append(entries, line)
		}
	}
	return 0 // never closed
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

// setEntry adds an entry of the front matter: a scalar or a list of scalars. A
// value that is not YAML, such as a title with a colon, is taken as it stands. A
// mapping is left out.
func (d *draft) setEntry(entry string) {
	name, raw, _ := strings.Cut(entry, ":")
	v := Value{Text: strings.TrimSpace(raw)}
	var doc yaml.Node
	if yaml.Unmarshal([]byte(entry), &doc) == nil && len(doc.Content) == 1 && len(doc.Content[0].Content) == 2 {
		v = yamlValue(doc.Content[0].Content[1])
	}
	switch {
	case v.Text == "":
	case name == "title" && !isBlank(v.Text):
		d.title = cut(text.OneLine(v.Text), maxTitleBytes)
	default:
		d.setMeta(name, v)
	}
}

// yamlValue returns the value of a scalar or of a list of scalars, else an empty
// one.
func yamlValue(n *yaml.Node) Value {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
	case n.Kind == yaml.ScalarNode && n.Style == 0:
		return parseValue(n.Value)
	case n.Kind == yaml.ScalarNode:
		return Value{Text: strings.TrimSpace(n.Value)}
	case n.Kind == yaml.SequenceNode:
		var list []string
		for _, item := range n.Content {
			if item.Kind == yaml.ScalarNode && item.Value != "" {
				list = append(list, item.Value)
			}
		}
		return listValue(list)
	}
	return Value{}
}
