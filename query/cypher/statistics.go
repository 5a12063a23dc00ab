package cypher

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// statistics are shared by the statements of a session for one version of a
// graph: the nodes of each type, and the figures that the planner uses. They
// are computed on first use.
type statistics struct {
	graph   engine.GraphID
	version uint64
	sets    map[engine.TypeID]*roaring.Bitmap // not to be changed
	degrees map[string]float64
	derived map[engine.TypeID]bool
}

// degreeSamples is how many nodes are looked at to learn a mean degree.
const degreeSamples = 12

func newStatistics(g *graph, version uint64) *statistics {
	return &statistics{
		graph: g.g.ID(), version: version, sets: map[engine.TypeID]*roaring.Bitmap{},
		degrees: map[string]float64{}, derived: map[engine.TypeID]bool{},
	}
}

// count returns how many nodes have one of some types.
func (s *statistics) count(g *graph, types []engine.TypeID) (float64, error) {
	n := 0.0
	for _, t := range types {
		set, err := g.nodesOf(t)
		if err != nil {
			return 0, err
		}
		n += float64(set.GetCardinality())
	}
	return n, nil
}

// degree returns about how many edges that a filter lets pass a node of some
// types has: the mean of a sample in which every node has the same place
// whenever it is taken.
func (s *statistics) degree(g *graph, types []engine.TypeID, f engine.EdgeFilter) (float64, error) {
	if f.Types != nil && len(f.Types) == 0 {
		return 0, nil
	}
	key := fmt.Sprint(types, f.Types, f.Direction)
	if d, ok := s.degrees[key]; ok {
		return d, nil
	}
	set, err := g.nodesOfTypes(types)
	if err != nil {
		return 0, err
	}
	n := set.GetCardinality()
	samples := min(n, degreeSamples)
	sum := 0
	for i := range samples {
		id, err := set.Select(uint32((2*i + 1) * n / (2 * samples)))
		if err != nil {
			return 0, err
		}
		d, err := g.r.Degree(engine.NodeID(id), f)
		if err != nil {
			return 0, err
		}
		sum += d
	}
	d := 0.0
	if samples > 0 {
		d = float64(sum) / float64(samples)
	}
	s.degrees[key] = d
	return d, nil
}

// hasDerived reports whether nodes of some types are derived from sources, so
// that they have computed properties. It looks at the first node of each type.
func (s *statistics) hasDerived(g *graph, types []engine.TypeID) (bool, error) {
	for _, t := range types {
		derived, ok := s.derived[t]
		if !ok {
			set, err := g.nodesOf(t)
			if err != nil {
				return false, err
			}
			if !set.IsEmpty() {
				n, err := g.record(engine.NodeID(set.Minimum()))
				if err != nil {
					return false, err
				}
				derived = n.Derived
			}
			s.derived[t] = derived
		}
		if derived {
			return true, nil
		}
	}
	return false, nil
}
