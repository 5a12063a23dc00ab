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
	chosen  map[string]*roaring.Bitmap        // by label expression, not to be changed
	degrees map[string]float64                // mean of a sample
	// degreesOf are degrees by node, by filter and labels of the other end.
	degreesOf map[string][]uint32
	shares    map[string]float64 // by index and number of properties
	derived   map[engine.TypeID]bool
}

// degreeSamples is how many nodes are looked at to learn a mean degree.
const degreeSamples = 12

func newStatistics(g *graph, version uint64) *statistics {
	return &statistics{
		graph: g.g.ID(), version: version, sets: map[engine.TypeID]*roaring.Bitmap{},
		chosen:  map[string]*roaring.Bitmap{},
		degrees: map[string]float64{}, degreesOf: map[string][]uint32{}, shares: map[string]float64{}, derived: map[engine.TypeID]bool{},
	}
}

// count returns how many nodes have some labels.
func (s *statistics) count(g *graph, labels *labelExpr) (float64, error) {
	set, err := s.nodes(g, labels)
	if err != nil {
		return 0, err
	}
	return float64(set.GetCardinality()), nil
}

// nodes returns the nodes with some labels, which the caller must not change.
func (s *statistics) nodes(g *graph, labels *labelExpr) (*roaring.Bitmap, error) {
	if labels == nil || labels.Op == labelName {
		return g.nodesWith(labels)
	}
	text := labels.String()
	set := s.chosen[text]
	if set == nil {
		var err error
		if set, err = g.nodesWith(labels); err != nil {
			return nil, err
		}
		s.chosen[text] = set
	}
	return set, nil
}

// degree returns about how many edges that a filter lets pass a node with some
// labels has: the mean of a sample in which every node has the same place
// whenever it is taken.
func (s *statistics) degree(g *graph, labels *labelExpr, f engine.EdgeFilter) (float64, error) {
	if f.Types != nil && len(f.Types) == 0 {
		return 0, nil
	}
	key := fmt.Sprint(labels.String(), f.Types, f.Direction)
	if d, ok := s.degrees[key]; ok {
		return d, nil
	}
	set, err := s.nodes(g, labels)
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

// hasDerived reports whether nodes with some labels are derived from sources, so
// that they have computed properties. It looks at the first node of each type.
func (s *statistics) hasDerived(g *graph, labels *labelExpr) (bool, error) {
	set, err := s.nodes(g, labels)
	if err != nil {
		return false, err
	}
	for _, t := range g.r.NodeTypes() {
		derived, ok := s.derived[t]
		nodes, err := g.nodesOf(t)
		if err != nil {
			return false, err
		}
		if !ok && !nodes.IsEmpty() {
			n, err := g.record(engine.NodeID(nodes.Minimum()))
			if err != nil {
				return false, err
			}
			derived = n.Derived
		}
		s.derived[t] = derived
		if derived && set.Intersects(nodes) {
			return true, nil
		}
	}
	return false, nil
}

// share returns about how many nodes or edges have one value of the first properties of
// an index.
func (s *statistics) share(g *graph, index string, properties int) (float64, error) {
	key := fmt.Sprint(index, "\x00", properties)
	if n, ok := s.shares[key]; ok {
		return n, nil
	}
	n, err := g.r.IndexedShare(index, properties)
	if err == nil {
		s.shares[key] = n
	}
	return n, err
}
