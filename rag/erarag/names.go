package erarag

import (
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
)

// The names in the method's graph.
const (
	typeSummary = "summary"

	propText    = "text"    // summary
	propTokens  = "tokens"  // chunk, summary
	propLayer   = "layer"   // summary: 1 is that above the chunks
	propSegment = "segment" // summary: number of its segment in the layer
	propModel   = "model"   // summary: the model whose tree it is of

	fieldSummaries = "summaries" // the words of summaries

	bucketTrees = "trees" // model -> empty, for each model with summaries
)

// spaceOf returns the name of the vector space of a model's tree.
func spaceOf(model string) string { return "tree@" + model }

// treeOf returns the name of the bucket of a model's tree. What is in it is
// described at tree.
func treeOf(model string) string { return method.SumsBucket(model) }

func isMissing(err error) bool { return errors.Is(err, engine.ErrNotFound) }

// segmentItem names the work on a segment.
func segmentItem(layer uint8, number uint64) string {
	return fmt.Sprintf("segment:%d/%d", layer, number)
}

// parseSegment reads what segmentItem writes.
func parseSegment(item string) (layer uint8, number uint64, err error) {
	_, err = fmt.Sscanf(item, "segment:%d/%d", &layer, &number)
	return layer, number, err
}

// madeFrom names a summary among the documents that replies are made from. No
// document has such a key.
func (s *system) madeFrom(id engine.NodeID) string { return fmt.Sprintf("\x01%s/%d", s.Instance(), id) }
