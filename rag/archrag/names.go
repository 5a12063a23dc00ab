package archrag

import (
	"errors"
	"fmt"
	"iter"
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
func relationKey(from, to string) string { return from + "|" + to }

// The names of work items.
func nodeItem(id engine.NodeID) string { return "node:" + strconv.FormatUint(uint64(id), 10) }
func communityItem(key string) string  { return "community:" + key }
func communityPrefix(level int) string { return strconv.Itoa(level) + "/" }

func itemNode(item string) (engine.NodeID, error) {
	var id uint64
	if _, err := fmt.Sscanf(item, "node:%d", &id); err != nil {
		return 0, fmt.Errorf("item %q: %w", item, err)
	}
	return engine.NodeID(id), nil
}

func isMissing(err error) bool { return errors.Is(err, engine.ErrNotFound) }

// each yields the nodes of a type, ascending.
func each(v engine.Reader, typeName string) iter.Seq2[engine.NodeID, error] {
	return func(yield func(engine.NodeID, error) bool) {
		t, ok := v.NodeType(typeName)
		if !ok {
			return
		}
		set, err := v.Nodes(t)
		if err != nil {
			yield(0, err)
			return
		}
		for it := set.Iterator(); it.HasNext(); {
			if !yield(engine.NodeID(it.Next()), nil) {
				return
			}
		}
	}
}

// follow returns the neighbours of a node along the edges of a type,
// ascending.
func follow(v engine.Reader, id engine.NodeID, edgeType string, d engine.Direction) ([]engine.NodeID, error) {
	t, ok := v.EdgeType(edgeType)
	if !ok {
		return nil, nil
	}
	f := engine.EdgeFilter{Types: []engine.EdgeType{t}, Direction: d}
	var out []engine.NodeID
	for after := engine.NodeID(0); ; {
		page, err := v.Neighbors(id, f, after, nil)
		if err != nil || len(page) == 0 {
			return out, err
		}
		for _, e := range page {
			after = e.Other(id)
			out = append(out, after)
		}
	}
}
