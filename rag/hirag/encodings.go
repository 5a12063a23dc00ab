package hirag

import (
	"errors"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

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
	case "parts":
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
