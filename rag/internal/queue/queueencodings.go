package queue

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Encodings tell how to read the marks of work items, the frontiers of stages, what
// is kept of idle systems, and what stages cost, in any graph.
func Encodings() []engine.Encoding {
	return []engine.Encoding{
		{Bucket: bucketJobs, Decode: decodeMark, Rebuild: rebuildMark},
		{Bucket: bucketFrontiers, Decode: decodeFrontierEntry, Rebuild: encoded.Forget(bucketFrontiers)},
		{Bucket: bucketIdle, Decode: encoded.JSON[map[string]Idle], Rebuild: encoded.Forget(bucketIdle)},
		{Bucket: bucketWhole, Decode: decodeWhole, Rebuild: encoded.Forget(bucketWhole)},
	}
}

// rebuildMark removes a mark that cannot be read, so that its item is pending again,
// and with it the frontier of its stage, which says that nothing is.
func rebuildMark(v *engine.TxView, key []byte) error {
	if _, stage, ok := bytes.Cut(key, []byte{0}); ok {
		if err := forgetFrontier(v, string(stage)); err != nil {
			return err
		}
	}
	if err := forgetIdle(v); err != nil {
		return err
	}
	return encoded.Forget(bucketJobs)(v, key)
}

func decodeFrontierEntry(key, value []byte) ([]byte, error) {
	if len(key) == 0 {
		return nil, errors.New("a frontier of no stage")
	}
	f, err := decodeFrontier(value)
	if err != nil {
		return nil, err
	}
	return f.encode(), nil
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
