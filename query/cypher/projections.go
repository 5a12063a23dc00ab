package cypher

import (
	"maps"
	"slices"

	"github.com/ragdb/ragdb/graphops"
)

// NamedProjection is a named part of a graph, for procedures to work on.
type NamedProjection struct {
	// Graph is the name of the graph that the types of Spec are of.
	Graph string
	Spec  graphops.Spec
}

// Projections are the named projections of a session. The zero value has none.
type Projections struct {
	byName map[string]NamedProjection
}

// Get returns a projection.
func (p *Projections) Get(name string) (NamedProjection, bool) {
	pr, ok := p.byName[name]
	return pr, ok
}

// Set names a projection. It replaces one of the same name.
func (p *Projections) Set(name string, pr NamedProjection) {
	if p.byName == nil {
		p.byName = map[string]NamedProjection{}
	}
	p.byName[name] = pr
}

// Drop forgets a projection and reports whether there was one.
func (p *Projections) Drop(name string) bool {
	_, ok := p.byName[name]
	delete(p.byName, name)
	return ok
}

// Names returns the names in order.
func (p *Projections) Names() []string { return slices.Sorted(maps.Keys(p.byName)) }
