package tablekv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ragdb/ragdb/kv"
)

// acquire makes this store the writer.
func (s *Store) acquire(ctx context.Context) error {
	var (
		seen   []byte    // the record that was seen last
		since  time.Time // when it was first seen
		giveUp = time.Now().Add(s.opts.Wait)
	)
	for {
		raw, err := s.readRecord(ctx)
		if err != nil {
			return err
		}
		if raw == nil && s.opts.MustExist {
			return kv.ErrNotFound
		}
		var r record
		if raw == nil {
			if err := s.foreign(ctx); err != nil {
				return err
			}
			r.comparer, r.merger = s.schema.ComparerName, s.schema.MergerName
		} else if r, err = decodeRecord(raw); err != nil {
			return err
		}
		if err := s.fits(&r); err != nil {
			return err
		}
		now := time.Now()
		if seen == nil || !bytes.Equal(raw, seen) {
			if seen != nil && now.After(giveUp) && r.owner != "" {
				return &kv.LockedError{Path: s.opts.Name, Holder: r.owner}
			}
			seen, since = raw, now
		}
		if r.owner == "" || now.Sub(since) > s.opts.Lease {
			next := r
			// Its beat, which is drawn, makes the record this writer's own: one that lost the
			// answer tells it from that of another with the same name.
			next.owner, next.fence, next.beat = s.opts.Owner, r.fence+1, s.id
			err := s.table.Write(ctx, kv.Guard{Key: stateKey, Old: raw, New: next.encode()}, &kv.Changes{})
			if errors.Is(err, kv.ErrUncertain) {
				var have []byte
				if have, err = s.readRecord(ctx); err == nil && !bytes.Equal(have, next.encode()) {
					err = kv.ErrGuard
				}
			}
			switch {
			case err == nil:
				s.rec = next
				s.fence.Store(next.fence)
				return nil
			case errors.Is(err, kv.ErrGuard): // another was faster
				seen = nil
			case !errors.Is(err, kv.ErrRefused):
				return err
			}
		}
		if err := sleep(ctx, s.opts.Lease/12); err != nil {
			return err
		}
	}
}

// readRecord returns the state record as it is, nil if there is none.
func (s *Store) readRecord(ctx context.Context) ([]byte, error) {
	var raw []byte
	err := s.patiently(ctx, func() error {
		v, vals, err := s.table.View(ctx, stateKey)
		if err != nil {
			return err
		}
		raw = vals[0]
		return v.Close()
	})
	return raw, err
}

// foreign returns an error if a table without a state record has keys.
func (s *Store) foreign(ctx context.Context) error {
	v, _, err := s.table.View(ctx)
	if err != nil {
		return err
	}
	some, err := v.Scan(ctx, nil, nil, false, 1)
	if err = errors.Join(err, v.Close()); err == nil && len(some) > 0 {
		err = kv.ErrForeign
	}
	return err
}

// renew shows others that this writer is alive, until Close.
func (s *Store) renew() {
	defer close(s.renewed)
	tick := time.NewTicker(s.opts.Lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(context.Background(), s.opts.Lease)
		// What fails is tried again at the next tick, and by writes, whose error tells.
		_ = s.write(ctx, &kv.Changes{}, nil)
		cancel()
		s.mu.Lock()
		stuck := s.stuck
		s.mu.Unlock()
		if stuck != nil {
			return
		}
	}
}

// yield gives the lease up. A lease that is lost already is no error.
func (s *Store) yield(ctx context.Context) error {
	s.mu.Lock()
	stuck := s.stuck
	s.mu.Unlock()
	if stuck != nil {
		return nil
	}
	err := s.write(ctx, &kv.Changes{}, func(r *record) { r.owner = "" })
	if errors.Is(err, kv.ErrLease) {
		return nil
	}
	return err
}

// record returns the state record as the writer left it.
func (s *Store) record() record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rec
}

// write makes changes in one transaction and moves the record, which change may change.
// It tries again what the server refuses.
func (s *Store) write(ctx context.Context, c *kv.Changes, change func(r *record)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck != nil {
		return s.stuck
	}
	next := s.rec
	next.beat++
	if change != nil {
		change(&next)
	}
	g := kv.Guard{Key: stateKey, Old: s.rec.encode(), New: next.encode()}
	unsure := false
	err := s.patiently(ctx, func() error {
		if unsure {
			if done, err := s.wrote(&g); done || err != nil {
				return err
			}
			unsure = false
		}
		err := s.table.Write(ctx, g, c)
		if errors.Is(err, kv.ErrUncertain) || errors.Is(err, kv.ErrGuard) {
			// It did not answer, or an earlier try was done without an answer.
			unsure = true
			return errors.Join(kv.ErrRefused, err)
		}
		return err
	})
	if unsure && err != nil && s.stuck == nil {
		// The caller may have given up: what it is told has to be true all the same.
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Patience)
		defer cancel()
		done := false
		lerr := s.patiently(late, func() (err error) {
			done, err = s.wrote(&g)
			return err
		})
		switch {
		case lerr == nil && done:
			err = nil
		case lerr != nil && s.stuck == nil:
			s.stuck = fmt.Errorf("%w: a commit may have been made or not: %w", kv.ErrReadOnly, err)
			err = s.stuck
		}
	}
	if s.stuck != nil {
		return s.stuck
	}
	if err == nil {
		s.rec = next
	}
	return err
}

// wrote reports whether the transaction of a guard was made. If another writer has
// taken the lease since, nothing more is written.
func (s *Store) wrote(g *kv.Guard) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.opts.Patience)
	defer cancel()
	v, vals, err := s.table.View(ctx, g.Key)
	if err != nil {
		return false, err
	}
	if err := v.Close(); err != nil {
		return false, err
	}
	switch {
	case bytes.Equal(vals[0], g.New):
		return true, nil
	case bytes.Equal(vals[0], g.Old):
		return false, nil
	}
	s.stuck = fmt.Errorf("%w: %w", kv.ErrReadOnly, kv.ErrLease)
	return false, s.stuck
}

// patiently calls fn until it is not refused, or patience or ctx end.
func (s *Store) patiently(ctx context.Context, fn func() error) error {
	const least, most = 2 * time.Millisecond, 500 * time.Millisecond
	end := time.Now().Add(s.opts.Patience)
	for pause := least; ; pause = min(2*pause, most) {
		err := fn()
		if err == nil || !errors.Is(err, kv.ErrRefused) || time.Now().After(end) {
			return err
		}
		if serr := sleep(ctx, pause); serr != nil {
			return errors.Join(serr, err)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
