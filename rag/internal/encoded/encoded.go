// Package encoded decodes the simple values that rag and its methods keep in
// buckets, for the tables of [engine.Encoding]. Each function returns the bytes
// that the encoder writes for the decoded value.
package encoded

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/varint"
)

// JSON reads a value that encoding/json wrote of a T.
func JSON[T any](_, value []byte) ([]byte, error) {
	var x T
	if err := json.Unmarshal(value, &x); err != nil {
		return nil, err
	}
	return json.Marshal(x)
}

// Get reads a value of a bucket that [Put] wrote, and reports whether there is one.
func Get(b engine.Bucket, key []byte, to any) (bool, error) {
	raw, err := b.Get(key, nil)
	if errors.Is(err, engine.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(raw, to)
}

// Malformed reports whether an error of [Get] is that the value cannot be read.
func Malformed(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

// Put writes a value to a bucket as JSON.
func Put(b engine.BucketWriter, key []byte, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return b.Set(key, raw)
}

// Empty reads a value without bytes: the key says all.
func Empty(_, value []byte) ([]byte, error) { return Bytes(value, 0) }

// Bytes reads a value of n bytes.
func Bytes(value []byte, n int) ([]byte, error) {
	if len(value) != n {
		return nil, fmt.Errorf("a value of %d bytes, not %d", len(value), n)
	}
	return value, nil
}

// Text reads text.
func Text(_, value []byte) ([]byte, error) {
	if !utf8.Valid(value) {
		return nil, fmt.Errorf("text that is not UTF-8")
	}
	return value, nil
}

// Vector reads little-endian numbers of 32 bits.
func Vector(_, value []byte) ([]byte, error) {
	if len(value)%4 != 0 {
		return nil, fmt.Errorf("a vector of %d bytes", len(value))
	}
	for i := 0; i < len(value); i += 4 {
		x := math.Float32frombits(uint32(value[i]) | uint32(value[i+1])<<8 | uint32(value[i+2])<<16 | uint32(value[i+3])<<24)
		if x-x != 0 {
			return nil, fmt.Errorf("a vector with the element %v", x)
		}
	}
	return value, nil
}

// Varints reads signed numbers of variable length.
func Varints(_, value []byte) ([]byte, error) {
	for rest, ok := value, true; len(rest) > 0; {
		if _, rest, ok = varint.Varint(rest); !ok {
			return nil, fmt.Errorf("a number that is not one")
		}
	}
	return value, nil
}

// Key returns an error unless a key has n bytes.
func Key(key []byte, n int) error {
	if len(key) != n {
		return fmt.Errorf("a key of %d bytes, not %d", len(key), n)
	}
	return nil
}
