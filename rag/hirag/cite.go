package hirag

import "github.com/ragdb/ragdb/rag/internal/graph"

// citing is how the method cites: an entity or relation rests on the chunks that it
// was found in, a summary and a report on those of their members, which may be all,
// and of which the first are named. The relation of a summary has no sources of its
// own: it rests on what its ends rest on. The member is older than what sums it up.
func citing() graph.Citing {
	return graph.Citing{Most: map[string]int{typeEntity: 16, edgeRelation: 16}, Else: 8, Ends: 4}
}
