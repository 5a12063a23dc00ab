package cypher

// Graph returns the name of the graph that a node, an edge or a path is of, ""
// for other kinds.
func (v Value) Graph() string {
	if g := v.graph(); g != nil {
		return g.name()
	}
	return ""
}
