package cypher

import "github.com/ragdb/ragdb/engine"

// graph is a graph as a statement sees it: a view of a snapshot, or a
// transaction that shows its own writes.
type graph struct {
	g *engine.Graph
	r engine.Reader
}
