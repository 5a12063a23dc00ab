package models

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Encodings tell how to read which models a corpus is embedded and read with.
func Encodings() []engine.Encoding {
	return encoded.InBase(engine.Encoding{Bucket: bucketModels, Decode: func(key, value []byte) ([]byte, error) {
		if string(key) == keyTagger {
			return encoded.Text(key, value)
		}
		return encoded.JSON[EmbeddingModel](key, value)
	}})
}
