package tablekv

import (
	"bytes"
	"context"

	"github.com/ragdb/ragdb/kv"
)

var _ kv.Gatherer = (*snapshot)(nil)

// Gather reads keys and the first pairs of ranges, in one round trip as a rule; it takes one
// more if values are in pieces, and several while a large commit is written or moved to
// its place.
func (sn *snapshot) Gather(ctx context.Context, keys [][]byte, ranges []kv.Range, limit int) ([][]byte, [][]kv.Pair, error) {
	if err := sn.enter(ctx); err != nil {
		return nil, nil, err
	}
	if sn.v.rec.staged || sn.v.rec.touches(ranges) {
		return sn.gatherEach(ctx, keys, ranges, limit)
	}
	pairs := make([]kv.Pair, len(keys))
	at, missing := sn.v.unknown(keys, pairs)
	rows := make([][]kv.Pair, len(ranges))
	var from []int // the ranges that are not known
	var within []kv.Range
	for i, r := range ranges {
		hi := bounded(r.Hi)
		if known, end, ok := sn.v.s.cache.rows(sn.v.at, r.Lo, hi); ok && (len(known) >= limit || bytes.Compare(end, hi) >= 0) {
			n := min(limit, len(known))
			rows[i] = known[:n:n]
			continue
		}
		from, within = append(from, i), append(within, kv.Range{Lo: r.Lo, Hi: hi})
	}
	if len(missing)+len(within) > 0 {
		got, some, err := sn.gather(ctx, missing, within, limit)
		if err != nil {
			return nil, nil, err
		}
		for i, p := range got {
			pairs[at[i]] = p
		}
		for i, r := range some {
			rows[from[i]] = r
		}
	}
	vals := make([][]byte, len(keys))
	for i, p := range pairs {
		vals[i] = p.Value
	}
	return vals, rows, nil
}

// gather reads what the cache does not know, and keeps it.
func (sn *snapshot) gather(ctx context.Context, keys [][]byte, ranges []kv.Range, limit int) (got []kv.Pair, rows [][]kv.Pair, err error) {
	vals, rows, err := sn.v.t.Gather(ctx, keys, ranges, limit)
	if err != nil {
		return nil, nil, err
	}
	vals = sn.v.count(keys, vals)
	// All values that are in pieces are read together.
	all := make([]kv.Pair, 0, len(keys))
	for i, k := range keys {
		all = append(all, kv.Pair{Key: k, Value: vals[i]})
	}
	for _, r := range rows {
		all = append(all, r...)
	}
	if err := sn.v.whole(ctx, all); err != nil {
		return nil, nil, err
	}
	got, all = all[:len(keys):len(keys)], all[len(keys):]
	sn.v.keep(got)
	for i, r := range rows {
		n := len(r)
		rows[i], all = all[:n:n], all[n:]
		end := ranges[i].Hi
		if n > 0 && n >= limit {
			end = after(r[n-1].Key)
		}
		if limit > 0 {
			sn.v.s.cache.putRange(sn.v.at, bytes.Clone(ranges[i].Lo), bytes.Clone(end), rows[i])
		}
	}
	return got, rows, nil
}

func (sn *snapshot) gatherEach(ctx context.Context, keys [][]byte, ranges []kv.Range, limit int) ([][]byte, [][]kv.Pair, error) {
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
