package ketrag

import (
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/method"
)

// The names in the method's graph.
const (
	typeKeyword  = "keyword"
	typeSkeleton = "skeleton"
	typeEntity   = knowledge.TypeEntity

	edgeContains = "contains"
	edgeLexical  = "near:lexical"
	edgeVector   = "near:vector"
	edgeRelation = knowledge.EdgeRelation

	bucketNear = "near"  // what the near edges were found by:
	keyModel   = "model" // model of the vectors

	propTokens = knowledge.PropTokens // chunk
)

// spaceOf returns the name of a vector space for a model.
func spaceOf(kind, model string) string { return kind + "@" + model }

// sumsOf returns the name of the bucket of a model's keyword sums:
// keyword node u64 -> count varint, then the sum's elements as zigzag varints
// in fixed point.
func sumsOf(model string) string { return method.SumsBucket(model) }

// staleOf returns the name of the bucket of the keywords whose vectors are to
// be made anew from their sums: keyword node u64 -> empty.
func staleOf(model string) string { return method.StaleBucket(model) }
