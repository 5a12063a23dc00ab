package queue

import (
	"context"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/llm"
)

// WorkItem is one piece of a stage's work.
type WorkItem struct {
	// Key names the item within its stage. An item that is about one chunk has
	// the chunk's key, so that it is forgotten with the chunk.
	Key string
	// Digest identifies what the item's result depends on: an item that is
	// done with the same digest is not done again.
	Digest [32]byte
	// Node is the node of the stage's graph that the item is about; 0 if it is about
	// none, or if the stage looks the node up by Key. It is not stored.
	Node engine.NodeID
	// Loose says of an item of a step with [Local] that it depends on more than its node
	// or edge: it is looked at in each run. It is not stored.
	Loose bool
}

// Stage is a step of indexing: work items that are done in any order, their
// results applied in a fixed one. It gives resumption (done items are skipped),
// determinism (Apply is serial, in item order) and no reply paid twice (Models
// keeps each) in one shape. A step that concerns everything at once is a stage
// of one item.
type Stage interface {
	// Name names the stage; it is stored.
	Name() string
	// Graph is the graph whose queue keeps the stage's marks.
	Graph() *engine.Graph
	// Items yields the stage's items in a fixed order.
	Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[WorkItem, error]
	// Do does an item's work outside any transaction. It is called for several
	// items at once and in any order, and reads the state from before the
	// stage.
	Do(ctx context.Context, s *engine.Snapshot, m *models.Models, w WorkItem) ([]byte, error)
	// Apply writes an item's result. It is called in item order, in the
	// transaction that marks the item done; results of several items may share
	// one transaction. If it fails, the item is set aside, and Apply is called
	// again for the others.
	Apply(ctx context.Context, tx *engine.Tx, w WorkItem, result []byte) error
}

// Step is a stage with what only some stages have.
type Step struct {
	Stage
	// Batch is set if Apply gathers what several results change together.
	Batch *Batch
	// Settled counts the items that are done and that Items does not yield any
	// more. It is nil if Items yields all.
	Settled func(ctx context.Context, s *engine.Snapshot) (int, error)

	// Growth is set if the items are about nodes that do not change. Items then yields
	// those about all nodes, and a [Runner] asks for what came since.
	Growth *Growth
	// Local is set if each item is about one node or edge of the graph. Items then yields
	// those about all of them, and a [Runner] asks for those about what changed.
	Local *Local

	// Whole is set if the stage looks at a whole graph when anything of it changed. Items
	// or Do sets its Nodes and Edges to what the stage read, and leaves them 0 in a run
	// that looks at a part.
	Whole *cost.Whole

	embedding Embedding // of a step that Embed made
	frontier  [32]byte  // the digest of its frontier, in a run of a step with Growth or Local
	moved     *moved    // in a run of a step with Local
}

// Batch writes what the Apply of a stage gathered. All its functions are set.
type Batch struct {
	// Pending is about how many bytes Flush will write.
	Pending func() int
	// Flush writes what was gathered, in the transaction that holds the results.
	Flush func(ctx context.Context, tx *engine.Tx) error
	// Reset forgets what was gathered since the last Flush, and what else Apply and
	// Flush keep in memory of the graph: their transaction failed.
	Reset func()
}

// Steps returns stages as steps.
func Steps(stages ...Stage) []Step {
	out := make([]Step, len(stages))
	for i, st := range stages {
		out[i].Stage = st
	}
	return out
}

// Event tells of progress.
type Event struct {
	// Stage is what is being done: read, or a stage's name.
	Stage string
	// Done and Total count items; Total is 0 if it is not known.
	Done, Total int
	// Failed counts items that were set aside.
	Failed int
	// Message is something to tell the user, "" for mere progress.
	Message string
	// Usage is what the stage's model calls cost so far.
	Usage llm.Usage
}
