package graphops

import (
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
)

// ErrTooLarge says that a graph has more than 2^32-1 neighbour entries, which
// is what a [Projection] can address.
var ErrTooLarge = errors.New("too many edges for one projection")

// weightError says that an algorithm that uses weights met one that is below 0,
// or that is 0 and must not be. Nothing was computed. errors.Is finds
// [engine.ErrInvalid] in it, and errors.As what has its method Edge.
type weightError struct {
	from, to engine.NodeID
	weight   float32
}

// Error names the edge.
func (e *weightError) Error() string {
	return fmt.Sprintf("weight %v of edge %d-%d", e.weight, e.from, e.to)
}

// Is reports whether target is [engine.ErrInvalid].
func (e *weightError) Is(target error) bool { return target == engine.ErrInvalid }

// Edge returns the ends as a walk meets them, which may be the other way round
// than the edge is stored, and the weight. Of a graph that is of no store ends are numbers.
func (e *weightError) Edge() (from, to engine.NodeID, weight float32) { return e.from, e.to, e.weight }

// MemoryError says that an operation would hold more memory than it may. It
// was refused before it allocated that much. errors.Is finds
// [engine.ErrMemory] in it.
type MemoryError struct {
	Op    string // such as "project" or "pagerank"
	Need  int64  // bytes at the peak; at least, if the edges are uncounted
	Limit int64  // bytes allowed
}

// Error says how much is missing.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s needs %d bytes, %d allowed", e.Op, e.Need, e.Limit)
}

// Is reports whether target is [engine.ErrMemory].
func (e *MemoryError) Is(target error) bool { return target == engine.ErrMemory }
