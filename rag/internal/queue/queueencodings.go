package queue

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Encodings tell how to read the marks of work items, in any graph.
func Encodings() []engine.Encoding {
	return []engine.Encoding{{Bucket: bucketJobs, Decode: decodeMark, Rebuild: encoded.Forget(bucketJobs)}}
}

func decodeMark(key, value []byte) ([]byte, error) {
	switch {
	case bytes.IndexByte(key, 0) < 1:
		return nil, errors.New("a mark of no item, or of no stage")
	case len(value) == 1+sha256.Size && value[0] == markDone:
		return value, nil
	case len(value) <= 1+sha256.Size || value[0] != markFailed:
		return nil, fmt.Errorf("a mark of %d bytes that says neither done nor failed", len(value))
	}
	again, err := encoded.JSON[Failure](key, value[1+sha256.Size:])
	return append(bytes.Clone(value[:1+sha256.Size]), again...), err
}
