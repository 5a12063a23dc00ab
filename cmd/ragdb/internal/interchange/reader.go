package interchange

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// The types of nodes and edges that a file gives none.
const (
	DefaultNodeType = "node"
	DefaultEdgeType = "edge"
)

// FileError says what is wrong with a file, and where.
type FileError struct {
	Line int // from 1
	Why  string
}

// Error says where the file is wrong and why.
func (e *FileError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

// Is reports whether target is engine.ErrInvalid.
func (e *FileError) Is(target error) bool { return target == engine.ErrInvalid }

// Reader receives what a file holds; Edge is called after all nodes that its
// file puts before it.
type Reader struct {
	Node func(Node) error
	Edge func(Edge) error
}

// labelsBeside returns the labels of a list that are not the type, by name.
func labelsBeside(typ string, all []string) []string {
	var out []string
	for _, l := range all {
		if l != "" && l != typ && typ != "" {
			out = append(out, l)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// take removes the first of some attributes that there is.
func take(data map[string]engine.Value, names ...string) string {
	for _, n := range names {
		if v, ok := data[n]; ok {
			delete(data, n)
			if s := text(v); s != "" {
				return s
			}
		}
	}
	return ""
}

// weight reads the weight of an edge.
func weight(s string) (float32, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 32)
	if err != nil || x != x {
		return 0, fmt.Errorf("weight %.100q is not a number", s)
	}
	return float32(x), nil
}
