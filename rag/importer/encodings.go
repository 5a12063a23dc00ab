package importer

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Encodings tell how to read what an import keeps in its graph.
func Encodings() []engine.Encoding {
	return []engine.Encoding{{Graph: GraphName, Bucket: bucketImport, Decode: func(_, b []byte) ([]byte, error) {
		return encoded.Bytes(b, 32)
	}}}
}
