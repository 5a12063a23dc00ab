package cypher

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// A vector index is a vector space of the engine together with the label and
// property that its vectors belong to. These are kept in a bucket of the graph.
const indexBucket = "cypher.indexes"

// vectorIndex is a vector space that holds a property of the nodes of a label.
type vectorIndex struct {
	Name     string `json:"-"` // of the space
	Label    string `json:"label"`
	Property string `json:"property"`
}

// vectorIndexes returns the vector indexes in order of name.
func (g *graph) vectorIndexes() ([]vectorIndex, error) {
	g.mu.Lock()
	have := g.vectors
	g.mu.Unlock()
	if have != nil {
		return have, nil
	}
	have = []vectorIndex{}
	for e, err := range g.r.Bucket(indexBucket).Scan(nil, nil) {
		if err != nil {
			return nil, err
		}
		ix := vectorIndex{Name: string(e.Key)}
		if err := json.Unmarshal(e.Value, &ix); err != nil {
			return nil, phase.Errorf("vector index %s: %w: %v", ix.Name, engine.ErrCorrupt, err)
		}
		have = append(have, ix)
	}
	g.mu.Lock()
	g.vectors = have
	g.mu.Unlock()
	return have, nil
}

// vectorIndexOf returns the name of the vector index of one of some labels and a
// property, or "".
func (g *graph) vectorIndexOf(labels []string, property string) (string, error) {
	all, err := g.vectorIndexes()
	for _, ix := range all {
		if ix.Property == property && slices.Contains(labels, ix.Label) {
			return ix.Name, nil
		}
	}
	return "", err
}

// vectorOf returns a node's vector as of the last commit if the property has a
// vector index, else null.
func (g *graph) vectorOf(n engine.Node, property string) (Value, error) {
	all, err := g.vectorIndexes()
	if err != nil || len(all) == 0 {
		return Null, err
	}
	labels, err := g.labelsOf(n.ID)
	if err != nil {
		return Null, err
	}
	name, err := g.vectorIndexOf(labels, property)
	if err != nil || name == "" {
		return Null, err
	}
	return g.vectorIn(name, n.ID)
}

// vectorIn returns a node's vector in a vector index as of the last commit, null for
// none.
func (g *graph) vectorIn(name string, id engine.NodeID) (Value, error) {
	view, err := g.r.Vectors(name)
	if err != nil {
		return Null, err
	}
	vec, err := view.Vector(context.Background(), uint64(id), nil)
	if errors.Is(err, engine.ErrNotFound) {
		return Null, nil
	}
	if err != nil {
		return Null, err
	}
	list := make([]Value, len(vec))
	for i, x := range vec {
		list[i] = Float(float64(x))
	}
	return ListOf(list), nil
}
