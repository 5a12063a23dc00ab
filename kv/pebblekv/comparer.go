package pebblekv

import (
	"bytes"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ragdb/ragdb/kv"
)

// comparer orders keys by bytes.Compare with the schema's Split for filters.
//
// Separator and Successor return a key unchanged: a shortened key might be
// split otherwise. ValidateKey stays unset, because Pebble asks it about the
// bounds of range deletes too and ends the process on an error; batch and
// ingest validate keys instead.
func comparer(s *kv.Schema) *pebble.Comparer {
	return &pebble.Comparer{
		Name:                 s.ComparerName,
		Compare:              bytes.Compare,
		Equal:                bytes.Equal,
		ComparePointSuffixes: bytes.Compare,
		CompareRangeSuffixes: bytes.Compare,
		AbbreviatedKey:       pebble.DefaultComparer.AbbreviatedKey,
		Split:                func(k []byte) int { return split(s, k) },
		Separator:            func(dst, a, _ []byte) []byte { return append(dst, a...) },
		Successor:            func(dst, a []byte) []byte { return append(dst, a...) },
		ImmediateSuccessor:   successor,
		FormatKey:            func(k []byte) fmt.Formatter { return formatted{s, k} },
	}
}

// successor appends a key that is greater than every key with the prefix. A
// seek within a prefix cuts range deletes there, so a key that is merely
// greater than the prefix itself, such as the prefix and a zero byte, would
// uncover deleted keys. A prefix of 0xFF bytes has no such key and gets one
// above all keys in use.
func successor(dst, prefix []byte) []byte {
	for n := len(prefix); n > 0; n-- {
		if c := prefix[n-1]; c != 0xFF {
			return append(append(dst, prefix[:n-1]...), c+1)
		}
	}
	return append(dst, aboveAll...)
}

// aboveAll is greater than any key in use.
var aboveAll = bytes.Repeat([]byte{0xFF}, 64)

// split is the schema's Split, for an empty key too.
func split(s *kv.Schema, k []byte) int {
	if len(k) == 0 {
		return 0
	}
	return s.Split(k)
}

// formatted prints a key as the schema does.
type formatted struct {
	s   *kv.Schema
	key []byte
}

// Format implements fmt.Formatter.
func (f formatted) Format(st fmt.State, _ rune) {
	_, _ = io.WriteString(st, formatKey(f.s, f.key))
}

func formatKey(s *kv.Schema, k []byte) string {
	if s.Format == nil {
		return fmt.Sprintf("%x", k)
	}
	return s.Format(k)
}
