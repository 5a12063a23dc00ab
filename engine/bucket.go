package engine

import (
	"bytes"
	"errors"
	"iter"

	"github.com/ragdb/ragdb/internal/layout"
)

// Bucket is an ordered set of private bytes of a graph: what the layers above
// keep beside nodes and edges, such as queues, caches and manifests. Writing
// to a bucket does not move the graph's version.
type Bucket struct {
	r  *reader
	id uint32
	ok bool // the name is in the catalog
}

// Bucket implements [Reader]. A bucket is empty until it is written to.
func (r *reader) Bucket(name string) Bucket {
	id, ok := r.lookupName(layout.KindBucket, name)
	return Bucket{r: r, id: id, ok: ok}
}

// Buckets returns the names of the buckets that were ever made in the graph, in
// order of their making; some may be empty.
func (r *reader) Buckets() []string {
	var out []string
	for _, id := range r.idsOf(layout.KindBucket) {
		out = append(out, r.nameOf(layout.KindBucket, id))
	}
	return out
}

// Get appends the value of key to dst, or returns [ErrNotFound].
func (b Bucket) Get(key, dst []byte) ([]byte, error) {
	if !b.ok {
		return dst, ErrNotFound
	}
	return b.r.kv.Get(b.r.ctx, layout.Bucket(b.r.g, b.id, key), dst)
}

// MultiGet calls fn with the place in keys of each key that has a value, and the value,
// in any order. The value is valid until fn returns. It costs a fraction of as many
// calls of Get.
func (b Bucket) MultiGet(keys [][]byte, fn func(i int, value []byte) error) error {
	if fn == nil {
		return phase.Mark(ErrInvalid, "bucket: no function to call")
	}
	if !b.ok || len(keys) == 0 {
		return nil
	}
	full := make([][]byte, len(keys))
	for i, k := range keys {
		full[i] = layout.Bucket(b.r.g, b.id, k)
	}
	return b.r.kv.MultiGet(b.r.ctx, full, func(i int, v []byte) error {
		if v == nil {
			return nil
		}
		return fn(i, v)
	})
}

// Has reports whether key has a value.
func (b Bucket) Has(key []byte) (bool, error) {
	_, err := b.Get(key, nil)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Scan yields the entries with lo <= key < hi in order; a nil bound is open.
// The slices are valid until the scan moves on.
func (b Bucket) Scan(lo, hi []byte) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if !b.ok {
			return
		}
		from := layout.Bucket(b.r.g, b.id, lo)
		to := layout.Next(layout.Bucket(b.r.g, b.id, nil))
		if hi != nil {
			to = layout.Bucket(b.r.g, b.id, hi)
		}
		if bytes.Compare(from, to) >= 0 {
			return
		}
		for p, err := range scanRange(b.r.ctx, b.r.kv, from, to) {
			if err != nil {
				yield(Entry{}, b.r.wrap("bucket", err))
				return
			}
			if !yield(Entry{layout.BucketPrivate(p.key), p.value}, nil) {
				return
			}
		}
	}
}

// Prefix yields the entries whose keys begin with prefix, in order.
func (b Bucket) Prefix(prefix []byte) iter.Seq2[Entry, error] {
	return b.Scan(prefix, layout.Next(prefix))
}

// Entry is a key and value of a bucket.
type Entry struct{ Key, Value []byte }

// BucketWriter writes to a bucket in a transaction.
type BucketWriter struct {
	Bucket
	v *TxView
}

// check refuses a writer that MakeBucket did not return.
func (w BucketWriter) check() error {
	if w.v == nil {
		return phase.Mark(ErrInvalid, "a bucket that MakeBucket did not make")
	}
	return w.v.check()
}

// MakeBucket returns the bucket of a name for writing, adding the name to the
// graph's catalog if it is new.
func (v *TxView) MakeBucket(name string) (BucketWriter, error) {
	id, err := v.name(layout.KindBucket, "bucket", name, nil)
	if err != nil {
		return BucketWriter{}, v.wrap("bucket", err)
	}
	return BucketWriter{Bucket{r: &v.reader, id: id, ok: true}, v}, nil
}

// Set writes a value of at most 64 MiB, less what the transaction holds.
func (w BucketWriter) Set(key, value []byte) error {
	if err := w.check(); err != nil {
		return phase.Errorf("bucket: %w", err)
	}
	if invariants {
		if err := w.verifyEntry(key, value); err != nil {
			return phase.At("", err)
		}
	}
	w.v.transact.overlay.Set(layout.Bucket(w.r.g, w.id, key), value)
	return nil
}

// Delete removes a key. It returns no error if the key is missing.
func (w BucketWriter) Delete(key []byte) error {
	if err := w.check(); err != nil {
		return phase.Errorf("bucket: %w", err)
	}
	w.v.transact.overlay.Delete(layout.Bucket(w.r.g, w.id, key))
	return nil
}

// DeletePrefix removes all keys that begin with prefix; nil removes all.
func (w BucketWriter) DeletePrefix(prefix []byte) error {
	if err := w.check(); err != nil {
		return phase.Errorf("bucket: %w", err)
	}
	k := layout.Bucket(w.r.g, w.id, prefix)
	w.v.transact.overlay.DeleteRange(k, layout.Next(k))
	return nil
}
