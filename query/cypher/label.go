package cypher

import (
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// labelOf returns the label that a node type stands for: its name up to the
// first colon, so that the chunks of every chunk set are labelled chunk.
func labelOf(typeName string) string {
	label, _, _ := strings.Cut(typeName, ":")
	return label
}

// typesOf returns the node types of a label in ascending order: those with
// exactly that label, or else those whose label differs only in case.
func typesOf(r query.Reader, label string) []engine.TypeID {
	var same, alike []engine.TypeID
	for _, t := range r.NodeTypes() {
		switch name := labelOf(r.NodeTypeName(t)); {
		case name == label, r.NodeTypeName(t) == label:
			same = append(same, t)
		case strings.EqualFold(name, label):
			alike = append(alike, t)
		}
	}
	if same != nil {
		return same
	}
	return alike
}
