package archrag

import (
	"errors"
	"strconv"

	"github.com/ragdb/ragdb/engine"
)

// The names in the method's graph.
const (
	typeEntity    = "entity"
	typeRelation  = "relation"
	typeCommunity = "community"

	edgeRelation = "relation"
	edgePart     = "part"

	bucketLevels = "levels" // level u8 -> its base and state as JSON

	propTokens      = "tokens"      // chunk
	propDescription = "description" // entity, relation: its descriptions as one
	propOf          = "of"          // digest of the descriptions that it is one of
	propEmbedded    = "embedded"    // digest of the text that a node's vector is of
	propTitle       = "title"       // community: of its report
	propReport      = "report"      // community: the summary of its report
	propFindings    = "findings"    // community: the rest of its report as JSON
	propRating      = "rating"      // community: of its report, 0 to 10
)

// nodeSpace is the name of the layered space of entities (layer 0) and
// communities (layer: their level).
func nodeSpace(model string) string { return "node@" + model }

// relationSpace is the name of the space of relations.
func relationSpace(model string) string { return "relation@" + model }

// relationKey is the key of the node of a relation between two entities.
func relationKey(from, to string) string { return from + relationSep + to }

const relationSep = "|"

func communityItem(key string) string  { return "community:" + key }
func communityPrefix(level int) string { return strconv.Itoa(level) + "/" }

func isMissing(err error) bool { return errors.Is(err, engine.ErrNotFound) }
