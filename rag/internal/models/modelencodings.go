package models

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Encodings tell how to read which model a corpus is embedded with.
func Encodings() []engine.Encoding {
	return encoded.InBase(engine.Encoding{Bucket: bucketModels, Decode: encoded.JSON[EmbeddingModel]})
}
