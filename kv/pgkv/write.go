package pgkv

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/kv"
)

// Write makes changes in one transaction, which is one round trip. Its error is
// [kv.ErrGuard], [kv.ErrRefused] and [kv.ErrUncertain] as kv.Table says, [kv.ErrTooLarge]
// beyond the bounds, or [kv.ErrReadOnly]. A call whose context ended and whose outcome is
// not known returns both the context's error and ErrUncertain. It does not count the keys
// of the ranges.
func (t *Table) Write(ctx context.Context, g kv.Guard, c *kv.Changes) error {
	return t.wrap("write to", t.write(ctx, g, c))
}

func (t *Table) write(ctx context.Context, g kv.Guard, c *kv.Changes) error {
	if t.readOnly {
		return kv.ErrReadOnly
	}
	if err := t.fits(g, c); err != nil {
		return err
	}
	steps := transaction(g, c)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := t.pool.enter(ctx, forWrite, true); err != nil {
		return err
	}
	defer t.pool.leave(forWrite)
	s, err := t.pool.get(ctx)
	if err != nil {
		return err
	}
	done, sent, err := s.exchange(ctx, steps...)
	if err == nil || done == len(steps) {
		t.pool.put(s)
		return nil
	}
	err = writing(ctx, err, done == len(steps)-1, sent)
	if !s.conn.IsClosed() && s.conn.TxStatus() != 'I' {
		s.end()
	}
	t.pool.put(s)
	return err
}

// fits refuses what is beyond the bounds.
func (t *Table) fits(g kv.Guard, c *kv.Changes) error {
	if n := c.Bytes(); n > t.bounds.ChangeBytes {
		return fmt.Errorf("%w: %d bytes, of %d", kv.ErrTooLarge, n, t.bounds.ChangeBytes)
	}
	key := func(k []byte) error {
		if len(k) > t.bounds.KeyBytes {
			return fmt.Errorf("%w: a key of %d bytes, of %d", kv.ErrTooLarge, len(k), t.bounds.KeyBytes)
		}
		return nil
	}
	if err := key(g.Key); err != nil {
		return err
	}
	for _, p := range c.Set {
		if err := key(p.Key); err != nil {
			return err
		}
		if len(p.Value) > t.bounds.ValueBytes {
			return fmt.Errorf("%w: a value of %d bytes, of %d", kv.ErrTooLarge, len(p.Value), t.bounds.ValueBytes)
		}
	}
	return nil
}

// transaction returns the steps of a transaction. The guard is first, and locks its key:
// of two transactions that expect the same value the second waits for the first.
func transaction(g kv.Guard, c *kv.Changes) []step {
	steps := []step{{do: beginWrite}, {do: insist}}
	if g.Old == nil {
		steps = append(steps, step{do: guardCreate, params: [][]byte{plain(g.Key), plain(g.New)}})
	} else {
		steps = append(steps, step{do: guardChange, params: [][]byte{plain(g.Key), g.Old, plain(g.New)}})
	}
	for _, r := range c.Remove {
		steps = append(steps, step{do: removeBetween, params: [][]byte{plain(r.Lo), plain(r.Hi)}})
	}
	keyLots(c.Delete, func(lot []byte) {
		steps = append(steps, step{do: remove, params: [][]byte{lot}})
	})
	do := set
	if c.New {
		do = add
	}
	steps = appendSet(steps, do, c.Set)
	if touches(c, g.Key) {
		steps = appendSet(steps, set, []kv.Pair{{Key: g.Key, Value: g.New}})
	}
	return append(steps, step{do: commit})
}

func appendSet(steps []step, do statement, pairs []kv.Pair) []step {
	lots(len(pairs), func(i int) int { return len(pairs[i].Key) + len(pairs[i].Value) }, func(from, to int) {
		keys := array(to-from, func(i int) []byte { return pairs[from+i].Key })
		vals := array(to-from, func(i int) []byte { return pairs[from+i].Value })
		steps = append(steps, step{do: do, params: [][]byte{keys, vals}})
	})
	return steps
}

// touches reports whether changes change a key themselves.
func touches(c *kv.Changes, key []byte) bool {
	in := func(r kv.Range) bool {
		return bytes.Compare(r.Lo, key) <= 0 && bytes.Compare(key, r.Hi) < 0
	}
	same := func(k []byte) bool { return bytes.Equal(k, key) }
	return slices.ContainsFunc(c.Remove, in) || slices.ContainsFunc(c.Delete, same) ||
		slices.ContainsFunc(c.Set, func(p kv.Pair) bool { return same(p.Key) })
}
