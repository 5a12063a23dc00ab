package archrag

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/llm"
)

// Encodings tell how to read what the method keeps in its graph.
func Encodings() []engine.Encoding {
	return []engine.Encoding{
		{Graph: Name, Bucket: bucketLevels, Decode: decodeLevel},
		{Graph: Name, Prop: propFindings, Decode: encoded.JSON[[]llm.Finding]},
	}
}

func decodeLevel(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, 1); err != nil {
		return nil, err
	}
	return encoded.JSON[base](key, value)
}
