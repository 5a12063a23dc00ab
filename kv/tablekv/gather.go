package tablekv

import (
	"context"

	"github.com/ragdb/ragdb/kv"
)

var _ kv.Gatherer = (*snapshot)(nil)

// Gather reads keys and the first pairs of ranges, in one round trip as a rule; it takes one
// more if values are in pieces, and several while a large commit is moved to its place.
func (sn *snapshot) Gather(ctx context.Context, keys [][]byte, ranges []kv.Range, limit int) ([][]byte, [][]kv.Pair, error) {
	if err := sn.enter(ctx); err != nil {
		return nil, nil, err
	}
	if sn.v.rec.staged {
		return sn.gatherStaged(ctx, keys, ranges, limit)
	}
	within := make([]kv.Range, len(ranges))
	for i, r := range ranges {
		within[i] = kv.Range{Lo: r.Lo, Hi: bounded(r.Hi)}
	}
	vals, rows, err := sn.v.t.Gather(ctx, keys, within, limit)
	if err != nil {
		return nil, nil, err
	}
	// All values that are in pieces are read together.
	all := make([]kv.Pair, 0, len(keys))
	for i, k := range keys {
		all = append(all, kv.Pair{Key: k, Value: vals[i]})
	}
	for _, some := range rows {
		all = append(all, some...)
	}
	if err := sn.v.whole(ctx, all); err != nil {
		return nil, nil, err
	}
	for i := range keys {
		vals[i] = all[i].Value
	}
	all = all[len(keys):]
	for i, some := range rows {
		rows[i], all = all[:len(some):len(some)], all[len(some):]
	}
	return vals, rows, nil
}

func (sn *snapshot) gatherStaged(ctx context.Context, keys [][]byte, ranges []kv.Range, limit int) ([][]byte, [][]kv.Pair, error) {
	pairs, err := sn.v.values(ctx, keys)
	if err != nil {
		return nil, nil, err
	}
	vals := make([][]byte, len(keys))
	for i, p := range pairs {
		vals[i] = p.Value
	}
	rows := make([][]kv.Pair, len(ranges))
	for i, r := range ranges {
		it := newIterator(ctx, sn.v.hold(), r.Lo, r.Hi)
		for ok := it.First(); ok && len(rows[i]) < limit; ok = it.Next() {
			rows[i] = append(rows[i], it.win[it.at])
		}
		err := it.Err()
		_ = it.Close() // it only gives the view back
		if err != nil {
			return nil, nil, err
		}
	}
	return vals, rows, nil
}
