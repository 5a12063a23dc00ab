package noderag

import (
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// entities tells what entities are called and what they weigh, and reads each
// once: a stage that weighs what is next to a node meets the same entities
// again and again. It is of one snapshot, and safe for concurrent use.
type entities struct {
	mu     sync.Mutex
	known  map[engine.NodeID]entity
	around map[engine.NodeID]uint64 // by node, the weights next to it
}

// entity is what is known of one. Its weight is how many units list it.
type entity struct {
	label  string
	weight uint64
}

func newEntities() *entities {
	return &entities{known: map[engine.NodeID]entity{}, around: map[engine.NodeID]uint64{}}
}

// of returns an entity.
func (e *entities) of(v engine.Reader, id engine.NodeID) (entity, error) {
	e.mu.Lock()
	have, ok := e.known[id]
	e.mu.Unlock()
	if ok {
		return have, nil
	}
	total, err := v.Total(engine.NodeTarget(id))
	if err != nil {
		return entity{}, err
	}
	have = entity{total.Label, total.Count}
	e.mu.Lock()
	e.known[id] = have
	e.mu.Unlock()
	return have, nil
}

// weightAround returns the sum of the weights of the entities next to a node.
func (e *entities) weightAround(v engine.Reader, id engine.NodeID) (sum uint64, err error) {
	e.mu.Lock()
	sum, ok := e.around[id]
	e.mu.Unlock()
	if ok {
		return sum, nil
	}
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
	e.mu.Lock()
	e.around[id] = sum
	e.mu.Unlock()
	return sum, nil
}
