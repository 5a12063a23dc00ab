package cypher

import (
	"encoding/json"
	"errors"

	"github.com/ragdb/ragdb/engine"
)

// Encodings returns the encodings of the data that the query language keeps in
// graphs. Pass them to [engine.Options] and [engine.CheckOptions].
func Encodings() []engine.Encoding {
	return []engine.Encoding{
		{Bucket: indexBucket, Decode: func(_, value []byte) ([]byte, error) {
			var ix vectorIndex
			if err := json.Unmarshal(value, &ix); err != nil {
				return nil, err
			}
			return json.Marshal(ix)
		}},
		{Bucket: indexNameBucket, Decode: func(_, value []byte) ([]byte, error) {
			if len(value) == 0 {
				return nil, errors.New("a name for the index of no property")
			}
			return value, nil
		}},
	}
}
