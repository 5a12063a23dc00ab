package cypher

import (
	"errors"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// The engine calls the index of a property by the property's name. The name
// that CREATE INDEX gave it, if any, is kept in a bucket of the graph, with the
// property as the value.
const indexNameBucket = "cypher.index.names"

// indexNames returns the names that were given to indexes of properties which
// are still there, with their properties.
func indexNames(r query.Reader, indexed []string) (map[string]string, error) {
	names := map[string]string{}
	for e, err := range r.Bucket(indexNameBucket).Scan(nil, nil) {
		if err != nil {
			return nil, err
		}
		if property := string(e.Value); slices.Contains(indexed, property) {
			names[string(e.Key)] = property
		}
	}
	return names, nil
}

// namesOfIndexes returns the names of the indexes of a graph's properties, in the
// order of the properties. A name is the one that CREATE INDEX gave, or else
// the property's. The caller owns the slice.
func namesOfIndexes(v *engine.View) ([]string, error) {
	out := slices.Clone(v.Indexes())
	names, err := indexNames(v, out)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if i := slices.Index(out, names[name]); i >= 0 {
			out[i] = name
		}
	}
	return out, nil
}

// makeIndex makes the index of a property. It is of the nodes of all labels.
func makeIndex(x *exec, c *indexClause) error {
	if c.Options != nil && len(c.Options.Keys) > 0 {
		return refuse(x.text, c.Options.Pos, "options of an index of properties")
	}
	if c.Property == propKey {
		return refuse(x.text, c.Pos, "an index of keys: the nodes of a label are found by their key without one")
	}
	indexed := x.tx.Indexes()
	names, err := indexNames(x.tx, indexed)
	if err != nil {
		return err
	}
	taken := ""
	if slices.Contains(indexed, c.Property) {
		taken = "the property " + c.Property + " is indexed"
	} else if _, ok := names[c.Name]; ok || slices.Contains(indexed, c.Name) || slices.Contains(x.tx.Spaces(), c.Name) || x.graph.hasRule(c.Name) {
		taken = "there is an index " + c.Name
	}
	switch {
	case taken != "" && c.IfExists:
		return nil
	case taken != "":
		return phase.Errorf("%w: %s", engine.ErrExists, taken)
	}
	if c.Name != "" && c.Name != c.Property {
		b, err := x.tx.MakeBucket(indexNameBucket)
		if err != nil {
			return err
		}
		if err := b.Set([]byte(c.Name), []byte(c.Property)); err != nil {
			return err
		}
	}
	x.result.Counts.IndexesAdded++
	return x.tx.MakeIndex(c.Property)
}

// hasRule reports whether an index or a constraint over a label has a name.
func (g *graph) hasRule(name string) bool {
	rules, _ := g.r.Rules() // makeIndex reads them again
	return slices.ContainsFunc(rules, func(r engine.Rule) bool { return r.Name == name })
}

// dropIndex drops the index of a property, or, by its name, one of vectors.
func dropIndex(x *exec, c *indexClause) error {
	indexed := x.tx.Indexes()
	names, err := indexNames(x.tx, indexed)
	if err != nil {
		return err
	}
	property := c.Property
	if c.Name != "" {
		if property = names[c.Name]; property == "" {
			property = c.Name
		}
	}
	err = x.tx.DropIndex(property)
	if errors.Is(err, engine.ErrNoIndex) {
		if c.Name == "" {
			return noIndex(c, "index of the property", property, indexed)
		}
		known := slices.Concat(slices.Sorted(maps.Keys(names)), indexed)
		rules, err := x.graph.r.Rules()
		if err != nil {
			return err
		}
		for _, r := range rules {
			known = append(known, r.Name)
		}
		return dropNamedVectorIndex(x, c, known)
	}
	if err != nil {
		return err
	}
	x.result.Counts.IndexesRemoved++
	return forgetIndexNames(x, names, property)
}

// dropNamedVectorIndex drops the vector index of a name that no property index
// has; known lists the names of these.
func dropNamedVectorIndex(x *exec, c *indexClause, known []string) error {
	all, err := x.graph.vectorIndexes()
	if err != nil {
		return err
	}
	for _, ix := range all {
		if ix.Name == c.Name {
			return dropVectorIndex(x, c)
		}
		known = append(known, ix.Name)
	}
	return noIndex(c, "index", c.Name, known)
}

// forgetIndexNames removes the names of the index of a property.
func forgetIndexNames(x *exec, names map[string]string, property string) error {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] != property {
			continue
		}
		b, err := x.tx.MakeBucket(indexNameBucket)
		if err != nil {
			return err
		}
		if err := b.Delete([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}
