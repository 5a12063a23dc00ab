package words

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// Encodings tell how to read what was learnt of words.
func Encodings() []engine.Encoding {
	return encoded.InBase(engine.Encoding{Bucket: BucketWords, Decode: decodeWordEntry, Rebuild: rebuildWordEntry})
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
	if word, ok := of("case/"); ok && word != "" && utf8.ValidString(word) {
		lower, upper, err := decodeCase(value)
		if err != nil {
			return nil, err
		}
		return appendCase(nil, lower, upper), nil
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
		return value, local.CheckEntry([]byte(tail), value)
	}
	return nil, errors.New("the key is not one of words")
}

// rebuildWordEntry mends an entry of the bucket of words. Case statistics are
// counted again. What else was learnt is dropped, and the next index learns it
// again from all texts.
func rebuildWordEntry(v *engine.TxView, key []byte) error {
	b, err := v.MakeBucket(BucketWords)
	if err != nil {
		return err
	}
	version, rest := wordEntry(key)
	switch {
	case version == 0:
		return fmt.Errorf("the entry %q says which words there are, and follows from nothing else", rest)
	case len(rest) >= 5 && rest[:5] == "case/":
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
