package archrag

import (
	"errors"
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
)

// The names in the method's graph.
const (
	typeEntity    = knowledge.TypeEntity
	typeRelation  = knowledge.TypeRelation
	typeCommunity = "community"

	edgeRelation = knowledge.EdgeRelation
	edgePart     = "part"

	bucketLevels = "levels" // level u8 -> its base and state as JSON

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

func isMissing(err error) bool { return errors.Is(err, engine.ErrNotFound) }
