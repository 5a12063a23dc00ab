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

// typesOf returns the node types of a label in ascending order.
func typesOf(r query.Reader, label string) []engine.TypeID {
	var out []engine.TypeID
	for _, t := range r.NodeTypes() {
		if name := r.NodeTypeName(t); labelOf(name) == label || name == label {
			out = append(out, t)
		}
	}
	return out
}
