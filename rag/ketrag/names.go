package ketrag

import (
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
	if string(key) != keyChosen {
		return encoded.Text(key, value)
	}
	if len(value) != choiceSize {
		return nil, errCore
	}
	return readChoice(value).append(nil), nil
}

func decodeStale(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, 8); err != nil {
		return nil, err
	}
	return encoded.Empty(key, value)
}
