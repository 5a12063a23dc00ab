package query

// Looked returns how many edges and vectors the plans that ran in an Env have read, and
// how many sets of sources.
func (e *Env) Looked() (edges, vectors, sources int) {
	return e.looked.edges, e.looked.vectors, e.looked.sources
}
