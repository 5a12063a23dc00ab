package eval

import (
	"crypto/sha256"
	"errors"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Encodings tell how to read what an evaluation keeps in a database.
func Encodings() []engine.Encoding {
	return []engine.Encoding{
		{Graph: engine.Base, Bucket: bucketVerdicts, Decode: decodeVerdict},
		{Graph: engine.Base, Bucket: bucketEval, Decode: decodeEval},
	}
}

func decodeVerdict(key, value []byte) ([]byte, error) {
	if err := encoded.Key(key, sha256.Size); err != nil {
		return nil, err
	}
	return encoded.JSON[verdict](key, value)
}

func decodeEval(key, value []byte) ([]byte, error) {
	switch {
	case string(key) == keyReader:
		return encoded.Text(key, value)
	case strings.HasPrefix(string(key), string(keyBuild(""))):
		return encoded.JSON[build](key, value)
	}
	return nil, errors.New("the key is not one of evaluations")
}
