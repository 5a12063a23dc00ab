package pgkv

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/ragdb/ragdb/kv"
)

// shareConns bounds the connections of a view.
const shareConns = 4

// view is a transaction that reads one state. Calls that overlap take turns, until the
// first of them that has waited exports the state; then further connections read it too.
type view struct {
	t     *Table
	until time.Time
	free  chan *session // those that no call uses
	done  chan struct{} // closed by Close

	mu     sync.Mutex // guards the fields below
	conns  int        // how many sessions the view has
	shared string     // the name of the exported state, "" if there is none
	alone  bool       // another connection could not share the state
	dead   error      // why the state is gone
	closed bool
}

// View opens the state of the latest commit and reads keys of it, in one round trip.
func (t *Table) View(ctx context.Context, keys ...[]byte) (kv.TableView, [][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := t.pool.enter(ctx, forView, true); err != nil {
		return nil, nil, t.wrap("read", err)
	}
	v := &view{t: t, until: time.Now().Add(t.bounds.ViewAge), free: make(chan *session, shareConns), done: make(chan struct{}), conns: 1, alone: !t.exports}
	s, vals, err := t.begin(ctx, keys)
	if err != nil {
		t.pool.leave(forView)
		return nil, nil, t.wrap("read", err)
	}
	v.free <- s
	return v, vals, nil
}

// begin begins the transaction of a view. A session of the pool may have lost its server
// unnoticed: then a new one is tried.
func (t *Table) begin(ctx context.Context, keys [][]byte) (*session, [][]byte, error) {
	for range cap(t.pool.slots[forView]) + 2 {
		s, err := t.pool.take()
		reused := s != nil
		if err == nil && !reused {
			s, err = t.pool.dial(ctx)
		}
		if err != nil {
			return nil, nil, err
		}
		out, steps := gets(keys)
		if len(keys) == 0 {
			steps = append(steps, step{do: touch})
		}
		_, _, err = s.exchange(ctx, append([]step{{do: beginView}}, steps...)...)
		if err == nil {
			return s, out, nil
		}
		gone := s.conn.IsClosed()
		if !gone && s.conn.TxStatus() != 'I' {
			s.end()
		}
		t.pool.put(s)
		if !gone || !reused || ctx.Err() != nil {
			return nil, nil, opening(ctx, err)
		}
	}
	return nil, nil, fmt.Errorf("%w: the connections break", kv.ErrRefused)
}

// gets returns the steps that read keys, and where they put the values.
func gets(keys [][]byte) (out [][]byte, steps []step) {
	if len(keys) == 0 {
		return nil, nil
	}
	out = make([][]byte, len(keys))
	at := make(map[string]int, len(keys))
	next := make([]int, len(keys)) // the next place of the same key, -1 for none
	var ask [][]byte
	for i, k := range keys {
		first, twice := at[string(k)]
		if next[i] = -1; twice {
			next[i] = first
		} else {
			ask = append(ask, k)
		}
		at[string(k)] = i
	}
	row := func(vals [][]byte) {
		i, asked := at[string(vals[0])]
		if !asked {
			return
		}
		for ; i >= 0; i = next[i] {
			out[i] = append([]byte{}, vals[1]...)
		}
	}
	keyLots(ask, func(lot []byte) {
		steps = append(steps, step{do: get, params: [][]byte{lot}, row: row})
	})
	return out, steps
}

// MultiGet returns the values of keys in their order.
func (v *view) MultiGet(ctx context.Context, keys [][]byte) ([][]byte, error) {
	out, steps := gets(keys)
	if err := v.read(ctx, steps...); err != nil {
		return nil, v.t.wrap("read", err)
	}
	return out, nil
}

// scan returns the steps of a scan, none if it finds nothing, that append to out.
func scan(lo, hi []byte, reverse bool, limit int, out *[]kv.Pair) []step {
	if limit <= 0 || hi != nil && bytes.Compare(lo, hi) >= 0 {
		return nil
	}
	st := step{do: scanFrom, params: [][]byte{plain(lo)}, row: func(vals [][]byte) {
		*out = append(*out, kv.Pair{Key: append([]byte{}, vals[0]...), Value: append([]byte{}, vals[1]...)})
	}}
	if hi != nil {
		st.do, st.params = scanBetween, append(st.params, hi)
	}
	if reverse {
		st.do += scanFromDown - scanFrom
	}
	st.params = append(st.params, number(limit))
	return []step{st}
}

// Scan returns the first pairs of a range, or the last ones.
func (v *view) Scan(ctx context.Context, lo, hi []byte, reverse bool, limit int) ([]kv.Pair, error) {
	var out []kv.Pair
	if err := v.read(ctx, scan(lo, hi, reverse, limit, &out)...); err != nil {
		return nil, v.t.wrap("scan", err)
	}
	return out, nil
}

// Gather reads keys and the first pairs of ranges.
func (v *view) Gather(ctx context.Context, keys [][]byte, ranges []kv.Range, limit int) ([][]byte, [][]kv.Pair, error) {
	vals, steps := gets(keys)
	rows := make([][]kv.Pair, len(ranges))
	for i, r := range ranges {
		steps = append(steps, scan(r.Lo, r.Hi, false, limit, &rows[i])...)
	}
	if err := v.read(ctx, steps...); err != nil {
		return nil, nil, v.t.wrap("read", err)
	}
	return vals, rows, nil
}

// read runs steps on one of the view's sessions. No steps only look at the view.
func (v *view) read(ctx context.Context, steps ...step) error {
	if err := v.alive(ctx); err != nil || len(steps) == 0 {
		return err
	}
	s, waited, err := v.seat(ctx)
	if err != nil {
		return err
	}
	export := waited && v.mayExport()
	if export {
		steps = append(steps, step{sql: exportState, row: func(vals [][]byte) { v.export(string(vals[0])) }})
	}
	_, _, err = s.exchange(ctx, steps...)
	v.leave(s, err)
	if err != nil {
		return reading(ctx, err)
	}
	return nil
}

// alive returns why the view cannot be read.
func (v *view) alive(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.closed:
		return kv.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case v.dead != nil:
		return fmt.Errorf("%w: %s", kv.ErrExpired, describe(v.dead))
	case v.t.bounds.ViewAge < math.MaxInt64 && time.Now().After(v.until):
		return kv.ErrExpired
	}
	return nil
}

// seat returns a session that sees the view's state, and whether the caller has waited
// for another call's.
func (v *view) seat(ctx context.Context) (s *session, waited bool, err error) {
	select {
	case s := <-v.free:
		return s, false, nil
	default:
	}
	if s := v.join(ctx); s != nil {
		return s, false, nil
	}
	select {
	case s := <-v.free:
		return s, true, v.aliveWith(ctx, s)
	case <-v.done:
		return nil, true, kv.ErrClosed
	case <-ctx.Done():
		return nil, true, ctx.Err()
	}
}

// aliveWith looks at the view again after a wait, and gives s back if it is over.
func (v *view) aliveWith(ctx context.Context, s *session) error {
	err := v.alive(ctx)
	if err != nil {
		v.leave(s, nil)
	}
	return err
}

// leave gives a session back after a call.
func (v *view) leave(s *session, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil && v.dead == nil {
		v.dead = err
	}
	if v.closed {
		v.release(s)
		return
	}
	v.free <- s
}

// release ends the transaction of a session and gives it to the pool.
func (v *view) release(s *session) {
	if !s.conn.IsClosed() {
		s.end()
	}
	v.t.pool.put(s)
	v.t.pool.leave(forView)
}

// Close ends the view. It does not wait for the server. A call that runs is finished.
func (v *view) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return nil
	}
	v.closed = true
	close(v.done)
	for {
		select {
		case s := <-v.free:
			v.release(s)
		default:
			return nil
		}
	}
}
