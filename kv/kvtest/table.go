package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// Server is a [kv.Table] in memory that others open too, as a database server is: what
// one has written stays when it closes its table. It enforces bounds, and refuses at
// random. It is safe for concurrent use.
type Server struct {
	store *memkv.Store

	mu     sync.Mutex // guards the fields below, and is held by the one write
	faults Faults
	rnd    *rand.Rand
	writes int
}

// Faults are what a [Server] does wrong: shares of all calls.
type Faults struct {
	// Refuse is the share of calls that are refused without an effect, Uncertain that
	// of writes whose answer is lost, half of them after they were made.
	Refuse, Uncertain float64
	// Expire is the share of reads of views that find the view lost.
	Expire float64
	// Stop, if it is above 0, is the number of writes after which no call is answered.
	Stop int
}

// errStopped is what a stopped server answers.
var errStopped = errors.New("the server has stopped")

// NewServer returns an empty server whose random faults follow a seed.
func NewServer(seed uint64) *Server {
	plain := &kv.Schema{ComparerName: "plain", MergerName: "none", Split: func(k []byte) int { return len(k) }}
	return &Server{store: memkv.New(plain), rnd: rand.New(rand.NewPCG(seed, 7))}
}

// SetFaults has the server fail from now on.
func (s *Server) SetFaults(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.writes = f, 0
}

// Writes returns the writes since the last SetFaults.
func (s *Server) Writes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// Clear removes all keys, as another process may that drops the table and makes it again.
func (s *Server) Clear(t testing.TB) {
	t.Helper()
	b := s.store.NewBatch()
	b.DeleteRange(nil, []byte{0xFF, 0xFF})
	if err := s.store.Apply(t.Context(), b, kv.Sync); err != nil {
		t.Fatal(err)
	}
}

// Table returns a table of the server with bounds.
func (s *Server) Table(b kv.Bounds) kv.Table { return &table{s: s, b: b} }

// fault returns the error of a call that fails at random. The caller holds mu.
func (s *Server) fault() error {
	switch {
	case s.faults.Stop > 0 && s.writes >= s.faults.Stop:
		return errStopped
	case s.faults.Refuse > 0 && s.rnd.Float64() < s.faults.Refuse:
		return kv.ErrRefused
	}
	return nil
}

type table struct {
	s *Server
	b kv.Bounds
}

func (t *table) Bounds() kv.Bounds { return t.b }
func (t *table) Close() error      { return nil }

func (t *table) View(ctx context.Context, keys ...[]byte) (kv.TableView, [][]byte, error) {
	t.s.mu.Lock()
	err := t.s.fault()
	t.s.mu.Unlock()
	if err != nil {
		return nil, nil, err
	}
	sn, err := t.s.store.Snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	v := &tableView{s: t.s, sn: sn}
	if t.b.ViewAge > 0 {
		v.until = time.Now().Add(t.b.ViewAge)
	}
	vals, err := v.MultiGet(ctx, keys)
	if errors.Is(err, kv.ErrExpired) {
		err = kv.ErrRefused // nothing of it was shown: the caller opens another one
	}
	if err != nil {
		return nil, nil, errors.Join(err, sn.Close())
	}
	return v, vals, nil
}

func (t *table) Write(ctx context.Context, g kv.Guard, c *kv.Changes) error {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(ctx.Err(), s.fault()); err != nil {
		return err
	}
	if err := t.fits(ctx, c); err != nil {
		return err
	}
	lost := s.faults.Uncertain > 0 && s.rnd.Float64() < s.faults.Uncertain
	if lost && s.rnd.IntN(2) == 0 {
		return kv.ErrUncertain
	}
	old, err := s.store.Get(ctx, g.Key, nil)
	if errors.Is(err, kv.ErrNotFound) {
		old, err = nil, nil
	} else if old == nil {
		old = []byte{}
	}
	if err != nil {
		return err
	}
	if (old == nil) != (g.Old == nil) || !bytes.Equal(old, g.Old) {
		return kv.ErrGuard
	}
	if err := t.news(ctx, c); err != nil {
		return err
	}
	b := s.store.NewBatch()
	for _, r := range c.Remove {
		b.DeleteRange(r.Lo, r.Hi)
	}
	for _, k := range c.Delete {
		b.Delete(k)
	}
	for _, p := range c.Set {
		b.Set(p.Key, p.Value)
	}
	b.Set(g.Key, g.New)
	if err := s.store.Apply(ctx, b, kv.Sync); err != nil {
		return err
	}
	s.writes++
	if lost {
		return kv.ErrUncertain
	}
	return nil
}

// news refuses changes that say in error that their keys are new.
func (t *table) news(ctx context.Context, c *kv.Changes) error {
	if !c.New {
		return nil
	}
	for _, p := range c.Set {
		if _, err := t.s.store.Get(ctx, p.Key, nil); !errors.Is(err, kv.ErrNotFound) {
			return errors.Join(err, fmt.Errorf("the table has the key %x", p.Key))
		}
	}
	return nil
}

// fits refuses changes beyond the bounds, and such as break the rules of [kv.Changes].
func (t *table) fits(ctx context.Context, c *kv.Changes) error {
	if t.b.ChangeBytes > 0 && c.Bytes() > t.b.ChangeBytes {
		return kv.ErrTooLarge
	}
	keys := map[string]bool{}
	var last []byte
	for i, p := range c.Set {
		if t.b.KeyBytes > 0 && len(p.Key) > t.b.KeyBytes || t.b.ValueBytes > 0 && len(p.Value) > t.b.ValueBytes {
			return kv.ErrTooLarge
		}
		if i > 0 && bytes.Compare(last, p.Key) >= 0 {
			return kv.ErrOrder
		}
		last, keys[string(p.Key)] = p.Key, true
	}
	for i, k := range c.Delete {
		if i > 0 && bytes.Compare(c.Delete[i-1], k) >= 0 || keys[string(k)] {
			return kv.ErrOrder
		}
	}
	if t.b.RemoveKeys == 0 {
		return nil
	}
	n := 0
	for _, r := range c.Remove {
		it, err := t.s.store.Iter(ctx, r.Lo, r.Hi)
		if err != nil {
			return err
		}
		for ok := it.First(); ok && n <= t.b.RemoveKeys; ok = it.Next() {
			n++
		}
		if err := errors.Join(it.Err(), it.Close()); err != nil {
			return err
		}
	}
	if n > t.b.RemoveKeys {
		return kv.ErrTooLarge
	}
	return nil
}

type tableView struct {
	s     *Server
	sn    kv.Snapshot
	until time.Time // zero for ever
}

func (v *tableView) alive() error {
	if !v.until.IsZero() && time.Now().After(v.until) {
		return kv.ErrExpired
	}
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if v.s.faults.Expire > 0 && v.s.rnd.Float64() < v.s.faults.Expire {
		return kv.ErrExpired
	}
	return nil
}

func (v *tableView) Close() error { return v.sn.Close() }

func (v *tableView) MultiGet(ctx context.Context, keys [][]byte) ([][]byte, error) {
	if err := errors.Join(ctx.Err(), v.alive()); err != nil {
		return nil, err
	}
	out := make([][]byte, len(keys))
	return out, v.sn.MultiGet(ctx, keys, func(i int, val []byte) error {
		if val != nil {
			out[i] = append([]byte{}, val...)
		}
		return nil
	})
}

func (v *tableView) Gather(ctx context.Context, keys [][]byte, ranges []kv.Range, limit int) ([][]byte, [][]kv.Pair, error) {
	vals, err := v.MultiGet(ctx, keys)
	rows := make([][]kv.Pair, len(ranges))
	for i, r := range ranges {
		if err == nil {
			rows[i], err = v.Scan(ctx, r.Lo, r.Hi, false, limit)
		}
	}
	return vals, rows, err
}

func (v *tableView) Scan(ctx context.Context, lo, hi []byte, reverse bool, limit int) ([]kv.Pair, error) {
	if err := errors.Join(ctx.Err(), v.alive()); err != nil {
		return nil, err
	}
	it, err := v.sn.Iter(ctx, lo, hi)
	if err != nil {
		return nil, err
	}
	first, next := it.First, it.Next
	if reverse {
		first, next = it.Last, it.Prev
	}
	var out []kv.Pair
	for ok := first(); ok && len(out) < limit; ok = next() {
		out = append(out, kv.Pair{Key: bytes.Clone(it.Key()), Value: append([]byte{}, it.Value()...)})
	}
	return out, errors.Join(it.Err(), it.Close())
}
