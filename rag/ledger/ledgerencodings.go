package ledger

import (
	"bytes"
	"crypto/sha256"
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Encodings tell how to read what the ledger keeps.
func Encodings() []engine.Encoding {
	return encoded.InBase(
		engine.Encoding{Bucket: bucketReplies, Decode: digestKeyed(encoded.JSON[StoredReply]), Rebuild: encoded.Forget(bucketReplies)},
		engine.Encoding{Bucket: bucketEmbeddings, Decode: digestKeyed(encoded.Vector), Rebuild: encoded.Forget(bucketEmbeddings)},
		engine.Encoding{Bucket: bucketUses, Decode: decodeUse},
		engine.Encoding{Bucket: bucketRuns, Decode: decodeRun},
	)
}

// digestKeyed reads the values of a bucket whose keys are digests.
func digestKeyed(decode func(key, value []byte) ([]byte, error)) func(key, value []byte) ([]byte, error) {
	return func(key, value []byte) ([]byte, error) {
		if err := encoded.Key(key, sha256.Size); err != nil {
			return nil, err
		}
		return decode(key, value)
	}
}

func decodeUse(key, value []byte) ([]byte, error) {
	switch {
	case len(key) > sha256.Size && key[0] == 'u':
		return encoded.JSON[[]string](key, value)
	case len(key) > sha256.Size && key[0] == 'd' && bytes.IndexByte(key, 0) > 0:
		return encoded.Empty(key, value)
	}
	return nil, errors.New("the key is that of no use")
}

func decodeRun(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, 8); err != nil {
		return nil, err
	}
	return encoded.JSON[Run](key, value)
}
