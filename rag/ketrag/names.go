package ketrag

import (
	"github.com/ragdb/ragdb/rag/method"
)

// The names in the method's graph.
const (
	typeKeyword  = "keyword"
	typeSkeleton = "skeleton"
	typeEntity   = "entity"

	edgeContains = "contains"
	edgeLexical  = "near:lexical"
	edgeVector   = "near:vector"
	edgeRelation = "relation"

	bucketNear = "near"  // what the near edges were found by:
	keyModel   = "model" // model of the vectors

	propTokens      = "tokens"      // chunk
	propDescription = "description" // entity, relation: its descriptions as one
	propOf          = "of"          // digest of the descriptions that it is one of
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
