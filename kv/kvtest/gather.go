package kvtest

import (
	"bytes"
	"context"

	"github.com/ragdb/ragdb/kv"
)

// gatheringSnapshot is a snapshot that reads many keys and ranges in a round trip.
type gatheringSnapshot struct{ *countedSnapshot }

// Gather implements [kv.Gatherer].
func (r *gatheringSnapshot) Gather(ctx context.Context, keys [][]byte, ranges []kv.Range, limit int) (values [][]byte, rows [][]kv.Pair, err error) {
	if len(keys)+len(ranges) > 0 {
		r.c.note(1, keys...)
		r.c.trip()
	}
	values = make([][]byte, len(keys))
	err = r.Snapshot.MultiGet(ctx, keys, func(i int, v []byte) error {
		if v != nil {
			values[i] = append([]byte{}, v...)
		}
		return nil
	})
	for _, s := range ranges {
		if err != nil {
			break
		}
		var some []kv.Pair
		if some, err = r.first(ctx, s, limit); err == nil {
			rows = append(rows, some)
		}
	}
	return values, rows, err
}

// first returns the first pairs of a range.
func (r *gatheringSnapshot) first(ctx context.Context, s kv.Range, limit int) (out []kv.Pair, err error) {
	it, err := r.Snapshot.Iter(ctx, s.Lo, s.Hi)
	if err != nil {
		return nil, err
	}
	for ok := it.First(); ok && len(out) < limit; ok = it.Next() {
		r.c.note(0, it.Key())
		out = append(out, kv.Pair{Key: bytes.Clone(it.Key()), Value: bytes.Clone(it.Value())})
	}
	if err = it.Err(); err != nil {
		_ = it.Close()
		return nil, err
	}
	return out, it.Close()
}
