package graph

import (
	"fmt"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// readAtOnce is how many nodes are read together where all of a type are.
const readAtOnce = 1024

// ofType returns the nodes of a type; none of one that is not there.
func ofType(v engine.Reader, nodeType string) (*roaring.Bitmap, error) {
	t, ok := v.NodeType(nodeType)
	if !ok {
		return roaring.New(), nil
	}
	return v.Nodes(t)
}

// Of returns the nodes of a type, ascending; none if there is no such type.
func Of(v engine.Reader, nodeType string) ([]engine.NodeID, error) {
	set, err := ofType(v, nodeType)
	if err != nil {
		return nil, err
	}
	return IDs(set), nil
}

// Nodes yields the nodes of a type, ascending; none if there is no such type.
func Nodes(v engine.Reader, nodeType string) iter.Seq2[engine.NodeID, error] {
	return func(yield func(engine.NodeID, error) bool) {
		set, err := ofType(v, nodeType)
		if err != nil {
			yield(0, err)
			return
		}
		for it := set.Iterator(); it.HasNext(); {
			if !yield(engine.NodeID(it.Next()), nil) {
				return
			}
		}
	}
}

// ReadAll is Nodes that reads them, many at once.
func ReadAll(v engine.Reader, nodeType string) iter.Seq2[engine.Node, error] {
	return func(yield func(engine.Node, error) bool) {
		set, err := ofType(v, nodeType)
		if err != nil {
			yield(engine.Node{}, err)
			return
		}
		for some := range slices.Chunk(IDs(set), readAtOnce) {
			nodes, err := Read(v, some)
			if err != nil {
				yield(engine.Node{}, err)
				return
			}
			for _, n := range nodes {
				if !yield(n, nil) {
					return
				}
			}
		}
	}
}

// Read returns nodes in the order of their ids; one that is not there is
// [engine.ErrNotFound].
func Read(v engine.Reader, ids []engine.NodeID) ([]engine.Node, error) {
	out := make([]engine.Node, len(ids))
	there := make([]bool, len(ids))
	err := v.EachNode(ids, func(i int, n engine.Node) error {
		out[i], there[i] = n, true
		return nil
	})
	if err != nil {
		return nil, err
	}
	if i := slices.Index(there, false); i >= 0 {
		return nil, fmt.Errorf("node %d: %w", ids[i], engine.ErrNotFound)
	}
	return out, nil
}

// IDs returns the nodes of a set, ascending.
func IDs(set *roaring.Bitmap) []engine.NodeID {
	out := make([]engine.NodeID, 0, set.GetCardinality())
	for it := set.Iterator(); it.HasNext(); {
		out = append(out, engine.NodeID(it.Next()))
	}
	return out
}
