package tablekv

import (
	"context"

	"github.com/ragdb/ragdb/kv"
)

// The value of a staged change begins with what it does.
const (
	stagedDelete = 0
	stagedSet    = 1
)

// stagedValue returns the value that a staged change gives its key, nil if it removes it.
func stagedValue(b []byte) ([]byte, error) {
	switch {
	case len(b) == 1 && b[0] == stagedDelete:
		return nil, nil
	case len(b) > 0 && b[0] == stagedSet:
		return b[1:], nil
	}
	return nil, &kv.CorruptError{Key: "staged change", Why: "does nothing that is known"}
}

// stepRows is how many rows a step of moving or removing reads at most. Each step begins
// where the one before ended: a server may keep removed rows for a while, and pass over
// all of them again.
const stepRows = 1024

// recover finishes what the writer before left. The caller has the lease, and no other
// call writes.
func (s *Store) recover(ctx context.Context) error {
	s.dirty = true
	if err := s.finish(ctx); err != nil {
		return err
	}
	if err := s.clean(ctx); err != nil {
		return err
	}
	return s.loadLarge(ctx)
}

// clean removes staged changes that were never committed.
func (s *Store) clean(ctx context.Context) error {
	if !s.dirty {
		return nil
	}
	if err := s.removeRange(ctx, kv.Range{Lo: stagedLo, Hi: stagedHi}); err != nil {
		return err
	}
	s.dirty = false
	return nil
}

// removeRange removes the keys of a range in as many transactions as the table needs.
func (s *Store) removeRange(ctx context.Context, r kv.Range) error {
	if s.bounds.RemoveKeys == 0 {
		return s.write(ctx, &kv.Changes{Remove: []kv.Range{r}}, nil)
	}
	for {
		pairs, err := s.scan(ctx, r, min(s.bounds.RemoveKeys, stepRows))
		if err != nil || len(pairs) == 0 {
			return err
		}
		r.Lo = pairs[len(pairs)-1].Key
		var del [][]byte
		for _, p := range pairs {
			del = append(del, p.Key)
		}
		if err := s.write(ctx, &kv.Changes{Delete: del}, nil); err != nil {
			return err
		}
	}
}

// scan reads the first pairs of a range of the table.
func (s *Store) scan(ctx context.Context, r kv.Range, limit int) ([]kv.Pair, error) {
	var out []kv.Pair
	err := s.reading(ctx, nil, func(v *view) (err error) {
		out, err = v.t.Scan(ctx, r.Lo, r.Hi, false, limit)
		return err
	})
	return out, err
}

// finish does what the record says is left of the last transaction, in steps that can be
// taken again: it removes the rows that do not count, those of a transaction that was not
// committed among them, and then moves staged changes that are committed.
func (s *Store) finish(ctx context.Context) error {
	rec := s.record()
	if len(rec.removed) > 0 {
		for _, r := range rec.removed {
			if err := s.removeRange(ctx, r); err != nil {
				return err
			}
		}
		if err := s.write(ctx, &kv.Changes{}, func(r *record) { r.removed = nil }); err != nil {
			return err
		}
	}
	if !rec.staged {
		return nil
	}
	return s.move(ctx)
}

// move moves staged changes to their place, some in each transaction.
func (s *Store) move(ctx context.Context) error {
	for lo := stagedLo; ; {
		pairs, err := s.scan(ctx, kv.Range{Lo: lo, Hi: stagedHi}, stepRows)
		if err != nil {
			return err
		}
		c, size := &kv.Changes{}, 0
		for _, p := range pairs {
			k := p.Key[len(stagedLo):]
			v, err := stagedValue(p.Value)
			if err != nil {
				return err
			}
			size += 2*len(p.Key) + len(v) + 2*pairBytes
			if most := s.bounds.ChangeBytes; most > 0 && size > most && len(c.Delete) > 0 {
				break
			}
			lo = p.Key
			c.Delete = append(c.Delete, p.Key)
			if v == nil {
				c.Delete = append(c.Delete, k)
			} else {
				c.Set = append(c.Set, kv.Pair{Key: k, Value: v})
			}
		}
		order(c)
		if len(pairs) == 0 {
			s.dirty = false
			return s.write(ctx, c, func(r *record) { r.staged = false })
		}
		if err := s.write(ctx, c, nil); err != nil {
			return err
		}
	}
}
