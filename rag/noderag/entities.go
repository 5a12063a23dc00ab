package noderag

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// entities tells what entities are called and what they weigh, and reads each
// once: a stage that weighs what is next to a node meets the same entities
// again and again. It is of one snapshot, and safe for concurrent use.
type entities struct {
	known  graph.Memo[engine.NodeID, entity]
	around graph.Memo[engine.NodeID, uint64] // by node, the weights next to it
}

// entity is what is known of one. Its weight is how many units list it.
type entity struct {
	label  string
	weight uint64
}

// of returns an entity.
func (e *entities) of(v engine.Reader, id engine.NodeID) (entity, error) {
	return e.known.Get(id, func() (entity, error) {
		total, err := v.Total(engine.NodeTarget(id))
		return entity{total.Label, total.Count}, err
	})
}

// weightAround returns the sum of the weights of the entities next to a node.
func (e *entities) weightAround(v engine.Reader, id engine.NodeID) (uint64, error) {
	return e.around.Get(id, func() (sum uint64, err error) {
		for _, kind := range []string{edgeMentions, edgeRelates} {
			ids, err := graph.Neighbors(v, id, kind, engine.Both)
			if err != nil {
				return 0, err
			}
			for _, id := range ids {
				n, err := e.of(v, id)
				if err != nil {
					return 0, err
				}
				sum += n.weight
			}
		}
		return sum, nil
	})
}
