package rag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/ledger"
)

// Encodings tell how to read what this package keeps in graphs, for
// [engine.Options] and [engine.CheckOptions]. Package methods has those of the
// methods too.
func Encodings() []engine.Encoding {
	traces := engine.Encoding{Graph: engine.Base, Bucket: bucketTraces, Decode: decodeTrace, Rebuild: encoded.Forget(bucketTraces)}
	return append(slices.Concat(ledger.Encodings(), models.Encodings(), words.Encodings(), corpus.Encodings(), queue.Encodings()), traces)
}

// decodeTrace reads a trace, of which some parts are not kept, or the number of the next.
func decodeTrace(key, value []byte) ([]byte, error) {
	if bytes.Equal(key, nextTrace) {
		return encoded.Bytes(value, 8)
	}
	t := storedTrace{}
	if err := json.Unmarshal(value, &t); err != nil {
		return nil, err
	}
	if len(key) < 8 || len(key) > 8 && string(key[8:]) != t.ID {
		return nil, fmt.Errorf("the trace %q under another key", t.ID)
	}
	return nil, nil
}
