package archrag

import (
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/llm"
)

// The names in the method's graph.
const (
	typeEntity    = knowledge.TypeEntity
	typeRelation  = knowledge.TypeRelation
	typeCommunity = "community"

	edgeRelation = knowledge.EdgeRelation
	edgePart     = "part"

	bucketLevels  = "levels"  // level u8 -> its base and state as JSON
	bucketSettled = "settled" // 0 u8 -> record as JSON

	propEmbedded = "embedded" // digest of the text that a node's vector is of
	propTitle    = "title"    // community: of its report
	propReport   = "report"   // community: the summary of its report
	propFindings = "findings" // community: the rest of its report as JSON
	propRating   = "rating"   // community: of its report, 0 to 10
)

// nodeSpace is the name of the layered space of entities (layer 0) and
// communities (layer: their level).
func nodeSpace(model string) string { return "node@" + model }

// relationSpace is the name of the space of relations.
func relationSpace(model string) string { return "relation@" + model }

func communityItem(key string) string  { return "community:" + key }
func communityPrefix(level int) string { return strconv.Itoa(level) + "/" }

// Encodings tell how to read what the method keeps in its graph.
func Encodings() []engine.Encoding {
	return []engine.Encoding{
		{Graph: Name, Bucket: bucketLevels, Decode: decodeLevel},
		{Graph: Name, Bucket: bucketSettled, Decode: decodeSettled},
		{Graph: Name, Prop: propFindings, Decode: encoded.JSON[[]llm.Finding]},
	}
}

func decodeLevel(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, 1); err != nil {
		return nil, err
	}
	return encoded.JSON[base](key, value)
}

func decodeSettled(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, 1); err != nil {
		return nil, err
	}
	return encoded.JSON[record](key, value)
}

// phase is the phase of the errors that this package makes.
const phase = fault.Rag
