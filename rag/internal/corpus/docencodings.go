package corpus

import (
	"crypto/sha256"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Encodings tell how to read what a corpus keeps beside documents and chunks.
func Encodings() []engine.Encoding {
	return encoded.InBase(
		engine.Encoding{Bucket: bucketMethods, Decode: encoded.JSON[Manifest]},
		engine.Encoding{Bucket: bucketSettings, Decode: encoded.Text},
		engine.Encoding{Bucket: bucketAliases, Decode: encoded.JSON[Alias]},
		engine.Encoding{Bucket: bucketReread, Decode: encoded.Empty},
		engine.Encoding{Bucket: bucketOwed, Decode: readOwed},
		engine.Encoding{Prop: propBlocks, Decode: encoded.JSON[[]block]},
		engine.Encoding{Prop: propDigest, Decode: func(_, b []byte) ([]byte, error) { return encoded.Bytes(b, sha256.Size) }},
	)
}
