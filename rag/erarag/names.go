package erarag

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// The names in the method's graph.
const (
	typeSummary = "summary"

	propText    = "text"    // summary
	propTokens  = "tokens"  // chunk, summary
	propLayer   = "layer"   // summary: 1 is that above the chunks
	propSegment = "segment" // summary: number of its segment in the layer
	propModel   = "model"   // summary: the tree that it is of

	fieldSummaries = "summaries" // the words of summaries

	// byRulesMark stands in the key of a summary behind its digest, if rules made it.
	byRulesMark = "-rules"

	bucketTrees = "trees" // tree -> empty, for each tree that was begun
)

// spaceOf returns the name of the space of a tree's vectors by a model.
func spaceOf(model string) string { return "tree@" + model }

// treeName returns the name of the tree of a model's vectors: the model. Models that
// are trained again from time to time have one tree, whose codes stay: its name has no
// version.
func treeName(model llm.SpaceInfo) string {
	if model.Recomputable {
		name, _, _ := strings.Cut(model.Model, "@")
		return name
	}
	return model.Model
}

// treeOf returns the name of the bucket of a tree. What is in it is described at
// [tree].
func treeOf(name string) string { return method.SumsBucket(name) }

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

// Encodings tell how to read what the method keeps in its graph.
func Encodings() []engine.Encoding {
	return []engine.Encoding{
		{Graph: Name, Bucket: method.SumsBucket(""), Decode: decodeTree},
		{Graph: Name, Bucket: bucketTrees, Decode: encoded.Empty},
	}
}

// decodeTree reads an entry of a tree; see [tree] for the keys.
func decodeTree(key, value []byte) ([]byte, error) {
	kind := byte(0)
	if len(key) > 0 {
		kind = key[0]
	}
	switch {
	case kind == 'h' && len(key) == 1:
		var h graphops.Hyperplanes
		if err := h.UnmarshalBinary(value); err != nil {
			return nil, err
		}
		return h.MarshalBinary()
	case kind == 'e' && len(key) == 3:
		set, err := readBitmap(value)
		if err != nil {
			return nil, err
		}
		if set.IsEmpty() {
			return nil, errors.New("an empty set of chunks")
		}
		return nil, nil // as roaring marshals it
	case kind == 'v' && len(key) == 1:
		if len(value) == 0 {
			return nil, errors.New("the name of a model is empty")
		}
		return value, nil
	case kind == 't' && len(key) == 2, kind == 'l' && len(key) == 10:
		return encoded.Bytes(value, 16)
	case kind == 'b' && len(key) == 2:
		return encoded.Bytes(value, 1)
	case kind == 'n' && len(key) == 10, kind == 'm' && len(key) == 10, kind == 'w' && len(key) == 18:
		return encoded.Bytes(value, 8)
	case kind == 's' && len(key) == 18:
		g, err := readSegment(value)
		if err != nil {
			return nil, err
		}
		return g.append(nil), nil
	case kind == 'p' && len(key) == 10:
		_, err := readPlace(value)
		return value, err
	case kind == 'c' && len(key) == 10:
		if len(value) == 1 && value[0] == 1 || len(value) == 9 && (value[0] == 0 || value[0] == 2) {
			return value, nil
		}
		return nil, errors.New("a change that neither puts a node in nor takes one out")
	case kind == 'r' && len(key) == 18, (kind == 'd' || kind == 'x') && len(key) == 10:
		return encoded.Empty(key, value)
	}
	return nil, errors.New("the key is not one of trees")
}
