package ketrag

// The names in the method's graph.
const (
	typeKeyword  = "keyword"
	typeSkeleton = "skeleton"
	typeEntity   = "entity"

	edgeContains = "contains"
	edgeLexical  = "near:lexical"
	edgeVector   = "near:vector"
	edgeRelation = "relation"

	propTokens      = "tokens"      // chunk
	propDescription = "description" // entity, relation: its descriptions as one
	propOf          = "of"          // digest of the descriptions that it is one of
)

// spaceOf returns the name of a vector space for a model.
func spaceOf(kind, model string) string { return kind + "@" + model }

// sumsOf returns the name of the bucket of a model's keyword sums:
// keyword node u64 -> count uvarint, then the sum's elements as zigzag varints
// in fixed point.
func sumsOf(model string) string { return "sums@" + model }
