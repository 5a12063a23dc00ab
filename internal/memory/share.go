package memory

import (
	"context"
	"time"
)

// step is what a share draws at least at once, in bytes, so that work that grows by
// little asks seldom.
const step = 256 << 10

// Share is what a piece of work has of a [Budget]. It is for one goroutine at a time. A
// nil Share has no bound.
type Share struct {
	b        *Budget
	used     int64
	taken    int64 // from the budget, at least used; guarded by its mu
	patience time.Duration
	mark     *mark // collected with what the share was of, once it is closed
}

// Begin returns a share of nothing. The caller closes it.
func (b *Budget) Begin() *Share {
	if b == nil {
		return nil
	}
	return &Share{b: b, patience: patience, mark: new(mark)}
}

// Used returns the bytes of the share.
func (s *Share) Used() int64 {
	if s == nil {
		return 0
	}
	return s.used
}

// Grow adds to the share, and may wait for room. If it fails the share stays as it is.
// Errors are [ErrBusy], an [*OverError] and the context's.
func (s *Share) Grow(ctx context.Context, bytes int64) error {
	if s == nil {
		return nil
	}
	need := s.used + bytes - s.taken
	if need <= 0 {
		s.used += bytes
		return nil
	}
	err := s.b.take(ctx, s, (need+step-1)/step*step)
	if err == nil {
		s.used += bytes
	}
	return err
}

// Patient has the share wait for as long as the context lets it, which is for work that
// can be put off.
func (s *Share) Patient() *Share {
	if s != nil {
		s.patience = forever
	}
	return s
}

// Shrink gives bytes back.
func (s *Share) Shrink(bytes int64) {
	if s == nil {
		return
	}
	s.used -= bytes
	s.b.give(s, s.taken-(s.used+step-1)/step*step, nil)
}

// Close gives all back: what is much, when it has been collected. A second Close does
// nothing; the share may grow again.
func (s *Share) Close() {
	if s == nil || s.taken == 0 {
		return
	}
	m := s.mark
	s.used, s.mark = 0, new(mark)
	s.b.give(s, s.taken, m)
}
