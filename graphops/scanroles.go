package graphops

// The roles of nodes among the clusters that [SCAN] finds.
const (
	scanOutlier = "outlier"
	scanHub     = "hub"
	scanBorder  = "border"
	scanCore    = "core"
)

// result gives all nodes their clusters and roles.
func (s *scanState) result() (*SCANResult, error) {
	n := s.Len()
	r := &SCANResult{Roles: make([]string, n), Partition: Partition{Of: make([]uint32, n)}}
	cluster := r.Partition.Of
	for u := range cluster {
		cluster[u], r.Roles[u] = None, scanOutlier
		if s.similar[u] >= s.mu {
			r.Roles[u] = scanCore
			cluster[u] = s.find(uint32(u))
		}
	}
	for u := range uint32(n) {
		if r.Roles[u] == scanCore {
			continue
		}
		core, err := s.coreOf(u, r.Roles)
		if err != nil {
			return nil, err
		}
		if core != none {
			r.Roles[u] = scanBorder
			cluster[u] = s.find(core)
		}
	}
	for u := range uint32(n) {
		if cluster[u] == None && s.betweenClusters(u, cluster) {
			r.Roles[u] = scanHub
		}
	}
	r.Partition.Count = s.number(cluster)
	r.Compared = s.compared
	return r, nil
}

// coreOf returns the first core that is like u, or none.
func (s *scanState) coreOf(u uint32, roles []string) (uint32, error) {
	for i := s.off[u]; i < s.off[u+1]; i++ {
		v := s.to[i]
		if roles[v] != scanCore {
			continue
		}
		if s.alike[i] == scanUnknown {
			if err := s.compare(u, i); err != nil {
				return none, err
			}
		}
		if s.alike[i] == scanYes {
			return v, nil
		}
	}
	return none, nil
}

// betweenClusters reports whether u has neighbours in two clusters.
func (s *scanState) betweenClusters(u uint32, cluster []uint32) bool {
	first := None
	for _, v := range s.to[s.off[u]:s.off[u+1]] {
		switch c := cluster[v]; {
		case c == None || c == first:
		case first == None:
			first = c
		default:
			return true
		}
	}
	return false
}

// number replaces the first cores of clusters by the numbers 0, 1, ... in
// their order, and returns how many there are.
func (s *scanState) number(cluster []uint32) int {
	number, count := s.parent, uint32(0)
	for u, c := range cluster {
		if c == uint32(u) {
			number[u] = count
			count++
		}
	}
	for u, c := range cluster {
		if c != None {
			cluster[u] = number[c]
		}
	}
	return int(count)
}
