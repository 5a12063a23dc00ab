package noderag

import (
	"errors"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/vecindex"
)

// spaceOf returns the name of the vector space of T, S, A and H for a model.
func spaceOf(model string) string { return "rich@" + model }

// space returns how the vectors are indexed.
func (s *system) space(model string, dim int) engine.SpaceOptions {
	return engine.SpaceOptions{
		Dim: dim, Model: model, Metric: vecindex.Cosine, Kind: vecindex.HNSW,
		Element: s.p.Vectors, Seed: spaceSeed, M: s.p.M, EfConstruction: s.p.EfConstruction,
	}
}

// spaceSeed is the seed of the vectors' graph, hnswlib's.
const spaceSeed = 100

// Encodings tell how to read what the method keeps in its graph.
func Encodings() []engine.Encoding {
	return []engine.Encoding{
		{Graph: Name, Bucket: schema.BucketImportant, Decode: decodeImportant},
		{Graph: Name, Bucket: schema.BucketCommunities, Decode: decodeCommunity},
		{Graph: Name, Bucket: schema.BucketElements, Decode: decodeElement},
	}
}

var errKey = errors.New("the key is not one of this bucket")

func decodeImportant(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, 8); err != nil {
		return nil, err
	}
	return encoded.Text(key, value)
}

func decodeCommunity(key, value []byte) ([]byte, error) {
	switch {
	case len(key) == 9 && key[0] == keyMember:
		return encoded.Bytes(value, 12)
	case len(key) == 1 && key[0] == keyState:
		return encoded.JSON[communityState](key, value)
	}
	return nil, errKey
}

func decodeElement(key, value []byte) ([]byte, error) {
	switch {
	case len(key) == 17 && key[0] == keyOfCommunity:
		return encoded.Empty(key, value)
	case len(key) == 9 && key[0] == keyOfElement:
		return encoded.Bytes(value, 8)
	}
	return nil, errKey
}
