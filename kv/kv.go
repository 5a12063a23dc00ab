package kv

import (
	"context"
	"errors"
	"fmt"
)

// Schema tells a backend what it must know of the keys. It is given at open;
// a backend that persists stores the two names and refuses a directory that
// was written under others.
type Schema struct {
	// ComparerName names the key order and Split, MergerName the fold.
	ComparerName, MergerName string
	// Split returns the length of the prefix of key that point filters are
	// built on; 0 < Split(key) <= len(key) for a non-empty key. Keys with
	// equal prefixes are adjacent, and Split(key[:Split(key)]) is its length.
	Split func(key []byte) int
	// Validate returns an error for a key that no builder makes; nil accepts
	// every key but the empty one, which is never valid. A batch or ingest
	// with an invalid key is refused whole.
	Validate func(key []byte) error
	// Format renders a key for people, such as out(g1,17,e3,c0).
	Format func(key []byte) string
	// NewFold starts folding the operands of key with the first operand.
	NewFold func(key, first []byte) Fold
	// Dense reports whether the values from key on, up to the key end, hardly
	// compress, so that a backend need not try. A nil end is the end of all
	// keys. If Dense is nil, all values are assumed to be compressible.
	Dense func(key []byte) (dense bool, end []byte)
}

// ValidateKey returns an error for a key that a batch or ingest must refuse:
// the empty one, and those that Validate returns one for.
func (s *Schema) ValidateKey(key []byte) error {
	if len(key) == 0 {
		return errors.New("empty key")
	}
	if s.Validate == nil {
		return nil
	}
	if err := s.Validate(key); err != nil {
		return fmt.Errorf("invalid key %x: %w", key, err)
	}
	return nil
}

// Fold combines the operands of one key. It never fails and never deletes. If it
// cannot read an operand, it returns a value that keeps the bytes of all operands
// and that readers refuse.
// Operands passed in are copied or consumed before the method returns.
type Fold interface {
	// Newer adds an operand written after all seen so far.
	Newer(op []byte)
	// Older adds an operand or base value written before all seen so far.
	Older(op []byte)
	// Finish returns the folded value. With hasBase false older operands may
	// still exist, so the result must remain an operand that can be folded
	// over them; with hasBase true nothing older exists.
	Finish(hasBase bool) []byte
}

// Reader reads one consistent state. It is safe for concurrent use; the
// iterators it makes are not.
type Reader interface {
	// Get appends the value of key to dst and returns it; the caller owns it.
	// The error is ErrNotFound if key has no value.
	Get(ctx context.Context, key, dst []byte) ([]byte, error)
	// MultiGet calls fn with each key's index and value, v being nil if the
	// key has none, in any order, never concurrently. v is valid until fn
	// returns. An error of fn ends the call and is returned.
	MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error
	// Iter returns an iterator over lo <= key < hi; a nil bound is open. It
	// must be closed.
	Iter(ctx context.Context, lo, hi []byte) (Iterator, error)
}

// Iterator walks keys in both directions. A positioning method returns false
// at the end of the range, on error and when its context has ended; Err tells
// which. An iterator that is not Valid stays so under Next and Prev: First,
// Last or a seek positions it. Key and Value are valid until the next
// positioning call. A seek to a key before the range finds the range's start.
type Iterator interface {
	First() bool
	Last() bool
	// SeekGE moves to the first key >= k.
	SeekGE(k []byte) bool
	// SeekPrefix moves to the first key >= k that shares k's Split prefix, and
	// Next and Prev then stay within that prefix. It is cheaper than SeekGE
	// if the prefix has no key.
	SeekPrefix(k []byte) bool
	Next() bool
	Prev() bool
	Valid() bool
	Key() []byte
	Value() []byte
	Err() error
	Close() error
}

// Batch collects operations; later ones win over earlier ones. It is not safe
// for concurrent use. It cannot be used after it was applied.
type Batch interface {
	Set(k, v []byte)
	Delete(k []byte)
	// DeleteRange removes lo <= key < hi. It removes nothing if hi <= lo or hi
	// is nil.
	DeleteRange(lo, hi []byte)
	// Merge adds an operand to k.
	Merge(k, op []byte)
	// Bytes is the approximate size of the operations so far.
	Bytes() int
}

// Snapshot is a Reader frozen at one commit. Close releases it.
type Snapshot interface {
	Reader
	Close() error
}

// Store is an open storage engine. It is safe for concurrent use. Reads
// directly on a Store see the latest commit.
type Store interface {
	Reader
	NewBatch() Batch
	// Apply commits b atomically. With Sync it returns when b is durable; with
	// NoSync a crash may lose b, but never without every later batch too.
	Apply(ctx context.Context, b Batch, d Durability) error
	Snapshot(ctx context.Context) (Snapshot, error)
	// HoldCache keeps a cache of what is read from growing beyond an eighth of
	// what it may take, or what it has, until release is called, before Close:
	// for scans of much that is read once.
	HoldCache() (release func())
	// Close releases everything. Snapshots and iterators must be closed first;
	// Close waits for none and returns an error that counts those left open.
	Close() error
}

// Durability says when Apply may return.
type Durability uint8

// The two durabilities. Sync is the zero value.
const (
	Sync Durability = iota
	NoSync
)

// SortedWriter receives keys in strictly ascending order. The error of a
// refused key fails the ingest too.
type SortedWriter interface {
	Set(k, v []byte) error
	Merge(k, op []byte) error
	// Delete removes what the store holds of a key.
	Delete(k []byte) error
	// DeleteRange removes what the store holds of lo <= key < hi; nothing if
	// hi <= lo. It comes where lo stands in the order, before a write of lo
	// itself, and not before the end of an earlier range. Keys that are written
	// within the range stay.
	DeleteRange(lo, hi []byte) error
}

// Ingester is implemented by stores that can write sorted input without the
// write-ahead log. Everything that fill writes becomes visible and durable at
// once and is newer than everything in the store: Merge folds over existing
// keys, Set replaces them, Delete removes them. If fill returns an error, the
// store does not change.
type Ingester interface {
	Ingest(ctx context.Context, fill func(w SortedWriter) error) error
}

// Checkpointer is implemented by stores that can write a consistent copy of
// themselves to a new directory while in use. dir must not exist.
type Checkpointer interface {
	Checkpoint(ctx context.Context, dir string) error
}

// Maintainer is implemented by stores that do work in the background and can
// be told to do it now.
type Maintainer interface {
	// Flush makes all applied batches durable and moves them out of memory.
	Flush(ctx context.Context) error
	// Compact rewrites lo <= key < hi so that reads and size are best.
	Compact(ctx context.Context, lo, hi []byte) error
	// Check verifies what the store holds of itself: checksums and order. It
	// returns an error that satisfies errors.Is(err, ErrCorrupt) for damage.
	Check(ctx context.Context) error
	Metrics() Metrics
}

// Metrics are a backend's own figures at one moment; zero if unknown.
type Metrics struct {
	DiskBytes       uint64 // live files, write-ahead log included
	WALBytes        uint64
	MemtableBytes   uint64
	CacheBytes      uint64 // block cache in use
	CacheHits       int64
	CacheMisses     int64
	Files           int
	ReadAmp         int
	WriteStalls     int64
	OpenSnapshots   int
	PinnedKeys      uint64 // kept only because of open snapshots
	CompactedBytes  uint64
	BackgroundError error // sticky: the store is read-only since
}
