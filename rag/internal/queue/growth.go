package queue

import (
	"errors"
	"iter"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// Growth says of a [Step] that each of its items is about a node of one type, and depends
// on nothing but Digest and the node with what came in with it. What a node holds does not
// change: another document is another node, with a greater id.
//
// So a [Runner] need not ask every node's mark. It keeps a frontier: the id up to which
// all nodes have been looked at, and which of these have an item that is not done. The
// next run looks at the nodes above it, and at those. A mark must not be taken from a
// node below the frontier that stays; a node that is removed may lose its marks.
type Growth struct {
	// Graph has the nodes; nil is the graph of the stage, where no node has two items.
	Graph *engine.Graph
	// Type is the name of the node type.
	Type string
	// Digest identifies what the results depend on beside the nodes. With another one
	// the frontier does not hold, and all nodes are looked at.
	Digest [32]byte
	// Beside, if it is set, returns what else they depend on, in the graph of the nodes.
	Beside func(v *engine.View) (string, error)
	// Together has Items be called once, with all nodes that are looked at.
	Together bool
	// Items returns the items about some nodes, which are given by ascending id and
	// exist, in the same order and with [WorkItem.Node]. A node that needs no work has
	// none. The node of an item may be given without others that it is about. With
	// Together, there may be items without a node, which are looked at each time.
	Items func(v *engine.View, ids []engine.NodeID) ([]WorkItem, error)
}

// growthBatch is how many nodes are looked at together.
const growthBatch = 256

// All yields the items about all nodes of a view.
func (g *Growth) All(v *engine.View) iter.Seq2[WorkItem, error] {
	return func(yield func(WorkItem, error) bool) {
		nodes, err := g.nodes(v)
		if err == nil {
			err = g.each(v, nodes, func(_ []engine.NodeID, items []WorkItem) error {
				for _, w := range items {
					if !yield(w, nil) {
						return errEnough
					}
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(WorkItem{}, err)
		}
	}
}

// errEnough ends a walk over items that nobody wants more of.
var errEnough = errors.New("enough")

// nodes returns the nodes of the type.
func (g *Growth) nodes(v *engine.View) (*roaring.Bitmap, error) {
	if err := corpus.Readable(v); err != nil {
		return nil, err
	}
	t, ok := v.NodeType(g.Type)
	if !ok {
		return roaring.New(), nil
	}
	return v.Nodes(t)
}

// each calls fn with nodes and their items, batch by batch.
func (g *Growth) each(v *engine.View, nodes *roaring.Bitmap, fn func(ids []engine.NodeID, items []WorkItem) error) error {
	if g.Together {
		ids := make([]engine.NodeID, 0, nodes.GetCardinality())
		for it := nodes.Iterator(); it.HasNext(); {
			ids = append(ids, engine.NodeID(it.Next()))
		}
		items, err := g.Items(v, ids)
		if err != nil {
			return err
		}
		return fn(ids, items)
	}
	it := nodes.ManyIterator()
	some := make([]uint32, growthBatch)
	for n := it.NextMany(some); n > 0; n = it.NextMany(some) {
		ids := make([]engine.NodeID, n)
		for i, id := range some[:n] {
			ids[i] = engine.NodeID(id)
		}
		items, err := g.Items(v, ids)
		if err == nil {
			err = fn(ids, items)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
