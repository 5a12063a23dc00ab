package baseline

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Encodings tell how to read what the methods keep in their graphs.
func Encodings() []engine.Encoding {
	return []engine.Encoding{{Graph: "raptor", Bucket: bucketClusters, Decode: decodeClusters}}
}

func decodeClusters(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, 1); err != nil {
		return nil, err
	}
	return encoded.JSON[[]cluster](key, value)
}
