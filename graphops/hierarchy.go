package graphops

// Hierarchy is a sequence of partitions, each of which divides clusters of the
// one before it.
type Hierarchy struct {
	// Levels has the partitions, the coarsest first.
	Levels []HierarchyLevel
}

// HierarchyLevel is one partition of a [Hierarchy].
type HierarchyLevel struct {
	// Partition has the cluster of each node. A node is in none if its
	// cluster of the level before is not divided.
	Partition
	// Parent has the cluster of the level before that each cluster is a part
	// of; it is nil on the first level.
	Parent []uint32
	// Final says of each cluster that the next level does not divide it.
	Final []bool
}

// Finest returns the finest partition: each node is in the final cluster that
// it is in on any level. Clusters are numbered in order of their first node.
// The caller owns it.
func (h *Hierarchy) Finest() Partition {
	if len(h.Levels) == 0 {
		return Partition{}
	}
	out := Partition{Of: make([]uint32, len(h.Levels[0].Of))}
	for u := range out.Of {
		out.Of[u] = None
	}
	base := 0
	for _, l := range h.Levels {
		for u, c := range l.Of {
			if c != None && l.Final[c] {
				out.Of[u] = uint32(base) + c
			}
		}
		base += l.Count
	}
	out.Count = renumber(out.Of, base)
	return out
}

// dendrogram returns how the last iteration led to a partition.
func (r *leidenRun) dendrogram(part *Partition, dropIsolated bool) *Hierarchy {
	n := max(1, len(r.history))
	h := &Hierarchy{Levels: make([]HierarchyLevel, n)}
	at := make([]uint32, r.base.Len()) // the level's node of each base node
	for v := range at {
		at[v] = uint32(v)
	}
	for i, m := range r.history {
		for v, x := range at {
			at[v] = m[x]
		}
		l := &h.Levels[n-1-i]
		l.Of = make([]uint32, len(part.Of))
		l.Count = r.result(at, l.Of, dropIsolated)
	}
	// The last map leads to the communities, or there is none.
	h.Levels[0].Partition = *part
	for i := range h.Levels {
		l := &h.Levels[i]
		l.Final = make([]bool, l.Count)
		if i == n-1 {
			for c := range l.Final {
				l.Final[c] = true
			}
		}
		if i > 0 {
			l.Parent = make([]uint32, l.Count)
			for u, c := range l.Of {
				if c != None {
					l.Parent[c] = h.Levels[i-1].Of[u]
				}
			}
		}
	}
	return h
}
