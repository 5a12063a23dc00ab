package ketrag

import (
	"bytes"
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/varint"
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

	bucketNear = "near"   // what the near edges and the core were found by:
	keyModel   = "model"  // model of the vectors
	keyChosen  = "chosen" // of the core; see choice
	keyBy      = "by"     // digest of the item that found the near edges
	keyAmong   = "among"  // among which chunks; see nearState
	keyLost    = "lost:"  // and a chunk u64: it was near to one that has gone
	keyFloor   = "floor:" // and a block of chunks; see floors

	propTokens = knowledge.PropTokens // chunk
)

// spaceOf returns the name of a vector space for a model.
func spaceOf(kind, model string) string { return kind + "@" + model }

// sumsOf returns the name of the bucket of a model's keyword sums:
// keyword node u64 -> count varint, then the sum's elements as zigzag varints
// in fixed point.
func sumsOf(model string) string { return method.SumsBucket(model) }

// staleOf returns the name of the bucket of the keywords whose vectors are to
// be made again from their sums: keyword node u64 -> empty.
func staleOf(model string) string { return method.StaleBucket(model) }

// Encodings tell how to read what the method keeps in its graph.
func Encodings() []engine.Encoding {
	return []engine.Encoding{
		{Graph: Name, Bucket: bucketNear, Decode: decodeNear},
		{Graph: Name, Bucket: method.SumsBucket(""), Decode: decodeSum},
		{Graph: Name, Bucket: method.StaleBucket(""), Decode: decodeStale},
	}
}

// decodeSum reads the sum of a keyword, whose length is the model's.
func decodeSum(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, 8); err != nil {
		return nil, err
	}
	count, rest, ok := varint.Varint(value)
	if !ok || count <= 0 || len(rest) == 0 {
		return nil, errSum
	}
	if _, err := encoded.Varints(key, rest); err != nil {
		return nil, errors.Join(errSum, err)
	}
	return value, nil
}

func decodeNear(key, value []byte) ([]byte, error) {
	switch {
	case string(key) == keyChosen:
		switch len(value) {
		case choiceSize:
			return readChoice(value).append(nil), nil
		case firstChoiceSize:
			return value, nil
		}
		return nil, errCore
	case string(key) == keyBy:
		return encoded.Bytes(value, 32)
	case string(key) == keyAmong:
		n, ok := readNearState(value)
		if !ok {
			return nil, errNear
		}
		return n.append(nil), nil
	case bytes.HasPrefix(key, []byte(keyLost)):
		if _, ok := lostChunk(key); !ok {
			return nil, errNear
		}
		return encoded.Empty(key, value)
	case bytes.HasPrefix(key, []byte(keyFloor)):
		block, list, err := parseFloors(key, value)
		return appendFloors(nil, block, list), err
	}
	return encoded.Text(key, value)
}

func decodeStale(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, 8); err != nil {
		return nil, err
	}
	return encoded.Empty(key, value)
}
