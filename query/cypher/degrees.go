package cypher

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// maxDegrees bounds the bytes of the degrees that statistics keep.
const maxDegrees = 64 << 20

// lookupsPerScan is how many nodes' edges are looked up in about the time that the
// degrees of all nodes take, as a share of these.
const lookupsPerScan = 1.0 / 64

// worthDegrees reports whether a step that looks up the edges of one node after the
// other had better read the degrees of all.
func (g *graph) worthDegrees(looked int) (bool, error) {
	if looked%fewLookups != 0 || g.shared == nil {
		return false, nil
	}
	all, err := g.nodesWith(nil)
	return err == nil && float64(looked) > lookupsPerScan*float64(all.GetCardinality()), err
}

// degrees returns by node how many edges a filter lets pass that lead to nodes with
// some labels. The caller must not change the result. It is nil if only a part of the graph is seen, if
// the statement writes, or if it would take more than a quarter of the statement's
// memory.
func (x *exec) degrees(f engine.EdgeFilter, labels *labelExpr) ([]uint32, error) {
	s := x.graph.shared
	if s == nil {
		return nil, nil
	}
	all, err := s.nodes(x.graph, nil)
	if err != nil || all.IsEmpty() || int64(all.Maximum())*4 > x.limits.Bytes/4 {
		return nil, err
	}
	var others *roaring.Bitmap
	if labels != nil {
		if others, err = s.nodes(x.graph, labels); err != nil {
			return nil, err
		}
		if others.GetCardinality() == all.GetCardinality() {
			others, labels = nil, nil
		}
	}
	key := fmt.Sprint(labels.String(), f.Types, f.Types == nil, f.Direction)
	if of, ok := s.degreesOf[key]; ok {
		return of, nil
	}
	of, err := x.view.Degrees(f, others)
	if err != nil {
		return nil, err
	}
	if (len(s.degreesOf)+1)*len(of)*4 > maxDegrees {
		clear(s.degreesOf)
	}
	s.degreesOf[key] = of
	return of, nil
}
