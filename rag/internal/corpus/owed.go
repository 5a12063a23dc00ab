package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// bucketOwed is the bucket of the base graph for work that takes several commits. The
// first commit writes what is left to do. If the process is killed, the next one reads it
// and goes on.
const bucketOwed = "owed" // "work" -> Work; hash of a document's key -> how it is removed, and the key

// Work is what the last command does that removes documents or changes what names are
// read as.
type Work struct {
	// Asked identifies what was asked for, "" nothing. It stays when the work is done, so
	// that the same command is recognised.
	Asked string `json:"asked,omitempty"`
	// Index says that all methods are to be run, since names are read as others.
	Index bool `json:"index,omitempty"`
	// Purge says that the files must be rewritten without what was removed.
	Purge bool `json:"purge,omitempty"`
}

// OwedRemoval is a document that is to be removed.
type OwedRemoval struct {
	Doc string
	// KeepCache leaves the document's paid replies and vectors.
	KeepCache bool
}

// AskedBy returns what identifies a command in [Work.Asked].
func AskedBy(command ...string) string {
	sum := Digest(append([]string{"asked"}, command...)...)
	return hex.EncodeToString(sum[:])
}

var workKey = []byte("work")

// The first byte of the value of a document that is to be removed.
const (
	cacheGoes  = 0
	cacheStays = 1
)

// ReadOwed returns the last work, and the documents that are still to be removed.
func ReadOwed(v engine.Reader) (w Work, docs []OwedRemoval, err error) {
	for e, err := range v.Bucket(bucketOwed).Scan(nil, nil) {
		if err != nil {
			return w, nil, err
		}
		if bytes.Equal(e.Key, workKey) {
			continue
		}
		if err := ownsKey(e.Key, e.Value); err != nil {
			return w, nil, err
		}
		docs = append(docs, OwedRemoval{string(e.Value[1:]), e.Value[0] == cacheStays})
	}
	slices.SortFunc(docs, func(a, b OwedRemoval) int { return strings.Compare(a.Doc, b.Doc) })
	_, err = encoded.Get(v.Bucket(bucketOwed), workKey, &w)
	return w, docs, err
}

// PutWork notes the work that is begun, or how far it has come.
func PutWork(v *engine.TxView, w Work) error {
	b, err := v.MakeBucket(bucketOwed)
	if err != nil {
		return err
	}
	return encoded.Put(b, workKey, w)
}

// PutOwed notes that documents are to be removed.
func PutOwed(v *engine.TxView, docs []OwedRemoval) error {
	b, err := v.MakeBucket(bucketOwed)
	if err != nil {
		return err
	}
	for _, d := range docs {
		value := []byte{cacheGoes}
		if d.KeepCache {
			value[0] = cacheStays
		}
		if err := b.Set(owedKey(d.Doc), append(value, d.Doc...)); err != nil {
			return err
		}
	}
	return nil
}

// DropOwed notes that a document is removed.
func DropOwed(v *engine.TxView, doc string) error {
	b, err := v.MakeBucket(bucketOwed)
	if err != nil {
		return err
	}
	return b.Delete(owedKey(doc))
}

// owedKey is of one length, whatever the document's key: a store bounds keys.
func owedKey(doc string) []byte {
	sum := sha256.Sum256([]byte(doc))
	return sum[:]
}

func ownsKey(key, value []byte) error {
	if len(value) == 0 || value[0] > cacheStays || !bytes.Equal(key, owedKey(string(value[1:]))) {
		return errors.New("not the document of its key")
	}
	return nil
}

// readOwed is the bucket's [engine.Encoding].
func readOwed(key, value []byte) ([]byte, error) {
	if bytes.Equal(key, workKey) {
		return encoded.JSON[Work](key, value)
	}
	return value, ownsKey(key, value)
}
