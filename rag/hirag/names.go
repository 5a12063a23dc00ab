package hirag

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
)

// The names in the method's graph.
const (
	typeEntity    = knowledge.TypeEntity
	typeKind      = knowledge.TypeKind
	typeCluster   = "cluster"
	typeSummary   = "summary"
	typeCommunity = "community"

	edgeMentions = knowledge.EdgeMentions
	edgeIs       = knowledge.EdgeIs
	edgeRelation = knowledge.EdgeRelation // summaries have some too
	edgeMember   = "member"               // entity or summary -> cluster, the weight its part
	edgePart     = "part"                 // community -> the one that it divides

	propTokens      = "tokens" // chunk, community: of the text
	propName        = "name"   // entity, summary
	propKind        = "kind"
	propDescription = knowledge.PropDescription
	propOf          = knowledge.PropOf
	propLayer       = "layer" // summary
	propLevel       = "level" // community
	propTitle       = "title" // community
	propReport      = "report"
	propRating      = "rating"

	bucketPlan = "plan" // what clusters and communities there are to be
	bucketFit  = "fit"  // what they were last found by
)

// insideOf is the type of the edges entity or summary -> community of a level.
func insideOf(level int) string { return "inside:" + strconv.Itoa(level) }

// insideTo returns the types of those down to a level.
func insideTo(level int) []string {
	var out []string
	for l := range level + 1 {
		out = append(out, insideOf(l))
	}
	return out
}

// spaceOf is the name of the space of entities and summaries, of which each
// layer of the hierarchy is a layer.
func spaceOf(model string) string { return typeEntity + "@" + model }

func clusterItem(key string) string { return "cluster:" + key }

func communityItem(key string) string { return "community:" + key }

// node is a node of the hierarchy: an entity or a summary.
type node struct {
	id    engine.NodeID
	key   string
	layer int // 0 for entities
}

// less orders nodes by what they are and not by when they came: entities
// first, then the summaries of each layer, by key.
func less(a, b node) int {
	return cmp.Or(cmp.Compare(a.layer, b.layer), cmp.Compare(a.key, b.key))
}

// readAtOnce is how many nodes are read together where all of a type are.
const readAtOnce = 1024

// nodesOf returns the nodes of a type, in order of key. A type that is not there
// has none.
func nodesOf(v engine.Reader, typ string) ([]node, error) {
	var out []node
	for n, err := range graph.ReadAll(v, typ) {
		if err != nil {
			return nil, err
		}
		layer := 0
		if typ == typeSummary {
			layer = int(n.Prop(propLayer).AsInt())
		}
		out = append(out, node{n.ID, n.Key, layer})
	}
	slices.SortFunc(out, less)
	return out, nil
}

// Encodings tell how to read what the method keeps in its graph.
func Encodings() []engine.Encoding {
	return []engine.Encoding{
		{Graph: Name, Bucket: bucketPlan, Decode: decodePlan},
		{Graph: Name, Bucket: bucketFit, Decode: decodeFit},
	}
}

func decodePlan(key, value []byte) ([]byte, error) {
	kind, _, _ := strings.Cut(string(key), "/")
	switch kind {
	case "cluster":
		return encoded.JSON[planned](key, value)
	case "community":
		return encoded.JSON[plannedCommunity](key, value)
	case "read":
		return encoded.JSON[material](key, value)
	case "parts", "told":
		return encoded.Empty(key, value)
	}
	return nil, errors.New("the key is not one of plans")
}

func decodeFit(key, value []byte) ([]byte, error) {
	switch string(key) {
	case string(keyBase):
		return encoded.JSON[*clustering](key, value)
	case string(keyState):
		return encoded.JSON[*communityState](key, value)
	}
	return encoded.JSON[fit](key, value)
}
