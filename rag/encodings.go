package rag

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// Encodings tell how to read what this package keeps in graphs, for
// [engine.Options] and [engine.CheckOptions]. Package methods has those of the
// methods too.
func Encodings() []engine.Encoding {
	base := []engine.Encoding{
		{Bucket: bucketReplies, Decode: digestKeyed(encoded.JSON[storedReply]), Rebuild: forget(bucketReplies)},
		{Bucket: bucketEmbeddings, Decode: digestKeyed(encoded.Vector), Rebuild: forget(bucketEmbeddings)},
		{Bucket: bucketUses, Decode: decodeUse},
		{Bucket: bucketModels, Decode: encoded.JSON[EmbeddingModel]},
		{Bucket: bucketRuns, Decode: decodeRun},
		{Bucket: bucketWords, Decode: decodeWordEntry, Rebuild: rebuildWordEntry},
		{Bucket: bucketMethods, Decode: encoded.JSON[manifest]},
		{Bucket: bucketTraces, Decode: decodeTrace, Rebuild: forget(bucketTraces)},
		{Bucket: bucketSettings, Decode: encoded.Text},
		{Prop: propBlocks, Decode: encoded.JSON[[]block]},
		{Prop: propDigest, Decode: func(_, b []byte) ([]byte, error) { return encoded.Bytes(b, sha256.Size) }},
	}
	for i := range base {
		base[i].Graph = engine.Base
	}
	return append(base, engine.Encoding{Bucket: bucketJobs, Decode: decodeMark, Rebuild: forget(bucketJobs)})
}

// forget removes an entry that cannot be read: what it was kept for is then done
// again, or does without it.
func forget(bucket string) func(v *engine.TxView, key []byte) error {
	return func(v *engine.TxView, key []byte) error {
		b, err := v.MakeBucket(bucket)
		if err != nil {
			return err
		}
		return b.Delete(key)
	}
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

// decodeTrace reads a trace, of which some parts are not kept.
func decodeTrace(key, value []byte) ([]byte, error) {
	t := StoredTrace{}
	if err := json.Unmarshal(value, &t); err != nil {
		return nil, err
	}
	if len(key) < 8 || string(key[8:]) != t.ID {
		return nil, fmt.Errorf("the trace %q under another key", t.ID)
	}
	return nil, nil
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

// wordEntry returns the version in a key of the bucket of words and what follows
// it; version 0 is of the keys without one.
func wordEntry(key []byte) (version uint32, rest string) {
	if len(key) > 8 && key[8] == '/' {
		if n, err := strconv.ParseUint(string(key[:8]), 10, 32); err == nil {
			return uint32(n), string(key[9:])
		}
	}
	return 0, string(key)
}

func decodeWordEntry(key, value []byte) ([]byte, error) {
	version, rest := wordEntry(key)
	of := func(prefix string) (string, bool) {
		tail, ok := bytes.CutPrefix([]byte(rest), []byte(prefix))
		return string(tail), ok
	}
	if version == 0 {
		switch rest {
		case "current", "next", "trained":
			return encoded.Bytes(value, 8)
		case "set":
			_, err := text.ParseChunkSet(string(value))
			return value, err
		}
		return nil, errors.New("the key is not one of words")
	}
	if rest == "texts" {
		return encoded.Bytes(value, 8)
	}
	if tail, ok := of("cases"); ok && (tail == "" || len(tail) == 17 && tail[0] == '/') {
		var c text.CaseStats
		if err := c.UnmarshalBinary(value); err != nil {
			return nil, err
		}
		return c.MarshalBinary()
	}
	if word, ok := of("row/"); ok && word != "" {
		r, err := local.DecodeRow(word, value)
		if err != nil {
			return nil, err
		}
		return r.Append(nil), nil
	}
	if word, ok := of("gone/"); ok && word != "" {
		return encoded.Empty(key, value)
	}
	if tail, ok := of("table/"); ok {
		return value, local.CheckBlock([]byte(tail), value)
	}
	return nil, errors.New("the key is not one of words")
}

// rebuildWordEntry mends an entry of the bucket of words. Case statistics are
// counted again. What else was learnt is dropped, and the next index learns it
// again from all texts.
func rebuildWordEntry(v *engine.TxView, key []byte) error {
	b, err := v.MakeBucket(bucketWords)
	if err != nil {
		return err
	}
	version, rest := wordEntry(key)
	switch {
	case version == 0:
		return fmt.Errorf("the entry %q says which words there are, and follows from nothing else", rest)
	case len(rest) >= 5 && rest[:5] == "cases":
		return rebuildCases(v, version)
	case len(rest) >= 5 && rest[:5] == "gone/":
		return b.Set(key, nil)
	case len(rest) >= 6 && rest[:6] == "table/":
		err = b.DeletePrefix(wordKey(version, "table/"))
	default:
		err = b.Delete(key)
	}
	return errors.Join(err, forgetTraining(b))
}

// forgetTraining makes the next index learn the words again.
func forgetTraining(b engine.BucketWriter) error { return b.Delete([]byte("trained")) }
