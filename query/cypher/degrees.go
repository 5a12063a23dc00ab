package cypher

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// maxDegrees bounds the bytes of the degrees that statistics keep.
const maxDegrees = 64 << 20

// lookupsPerScan is how many nodes are looked up in about the time that a scan of
// all nodes or of their edges takes, as a share of these.
const lookupsPerScan = 1.0 / 64

// worthAll reports whether a step that has looked up some nodes one after the
// other had better read what it wants of all.
func (g *graph) worthAll(looked int) (bool, error) {
	if looked%fewLookups != 0 || g.shared == nil {
		return false, nil
	}
	n := uint64(0)
	for _, set := range g.shared.sets { // one of which the planner has most often read
		n = max(n, set.GetCardinality())
	}
	if n == 0 {
		all, err := g.nodesWith(nil)
		if err != nil {
			return false, err
		}
		n = all.GetCardinality()
	}
	return float64(looked) > lookupsPerScan*float64(n), nil
}

// degrees returns by node how many edges a filter lets pass that lead to nodes which
// pass a test. The caller must not change the result. It is nil if only a part of the graph is seen, if
// the statement writes, or if it would take more than a quarter of the statement's
// memory.
func (x *exec) degrees(f engine.EdgeFilter, to *nodeTest) ([]uint32, error) {
	s := x.graph.shared
	if s == nil {
		return nil, nil
	}
	all, err := s.nodes(x.graph, nil)
	if err != nil || all.IsEmpty() || int64(all.Maximum())*4 > x.limits.Bytes/4 {
		return nil, err
	}
	var others *roaring.Bitmap
	if !to.any() {
		if others, err = to.all(x); err != nil {
			return nil, nil // the nodes that are asked for may all be fit for the conditions
		}
		if others.GetCardinality() == all.GetCardinality() {
			others = nil
		}
	}
	key := fmt.Sprint(f.Types, f.Types == nil, f.Direction)
	if others != nil {
		key += to.labels.String()
	}
	if of, ok := s.degreesOf[key]; ok && (others == nil || len(to.values) == 0) {
		return of, nil
	}
	of, err := x.view.Degrees(f, others)
	if err != nil {
		return nil, err
	}
	if others != nil && len(to.values) > 0 {
		return of, nil
	}
	if (len(s.degreesOf)+1)*len(of)*4 > maxDegrees {
		clear(s.degreesOf)
	}
	s.degreesOf[key] = of
	return of, nil
}
