package ketrag

import (
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/varint"
	"github.com/ragdb/ragdb/rag/method"
)

// Encodings tell how to read what the method keeps in its graph.
func Encodings() []engine.Encoding {
	return []engine.Encoding{
		{Graph: Name, Bucket: bucketNear, Decode: encoded.Text},
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

func decodeStale(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, 8); err != nil {
		return nil, err
	}
	return encoded.Empty(key, value)
}
