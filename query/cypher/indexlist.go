package cypher

import (
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// Index is an index of a graph, as SHOW INDEXES lists it.
type Index struct {
	Name string
	// Type is RANGE, FULLTEXT or VECTOR.
	Type string
	// Edges says that it is of edges.
	Edges bool
	// Labels are the labels or the type of the edges, none if it is of all nodes.
	Labels []string
	// Properties are none for words and vectors that are written on their own.
	Properties []string
	// Constraint is the name of the constraint that it belongs to, if any.
	Constraint string
}

// Indexes returns the indexes of a graph: those of values, of vectors and of words, in
// order of type and name.
func Indexes(v *engine.View) ([]Index, error) {
	var out []Index
	properties := v.Indexes()
	names, err := namesOfIndexes(v)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		out = append(out, Index{Name: name, Type: "RANGE", Properties: properties[i : i+1]})
	}
	rules, err := v.Rules()
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		ix := Index{Name: r.Name, Type: "RANGE", Edges: r.Edges, Labels: labelsOfTypes(r.Types), Properties: r.Properties}
		switch {
		case r.Kind == engine.FulltextIndex:
			ix.Type = "FULLTEXT"
		case !r.Indexed():
			continue
		case r.Kind != engine.RangeIndex:
			ix.Constraint = r.Name
		}
		out = append(out, ix)
	}
	for _, f := range v.Fields() {
		out = append(out, Index{Name: f, Type: "FULLTEXT"})
	}
	vectors, err := (&graph{g: v.Graph(), r: v}).vectorIndexes()
	if err != nil {
		return nil, err
	}
	for _, name := range v.Spaces() {
		ix := Index{Name: name, Type: "VECTOR"}
		for _, known := range vectors {
			if known.Name == name {
				ix.Labels, ix.Properties = []string{known.Label}, []string{known.Property}
			}
		}
		out = append(out, ix)
	}
	slices.SortStableFunc(out, func(a, b Index) int {
		if a.Type != b.Type {
			return -strings.Compare(a.Type, b.Type)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out, nil
}

// labelsOfTypes returns the labels of types of nodes or edges.
func labelsOfTypes(types []string) []string {
	var out []string
	for _, t := range types {
		if l := labelOf(t); !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}
