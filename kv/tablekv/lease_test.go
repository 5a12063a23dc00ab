package tablekv_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// asleep is a table whose process can be stopped, as by a signal: its calls then wait.
type asleep struct {
	kv.Table
	awake chan struct{} // closed while the process runs
}

func (a *asleep) View(ctx context.Context, keys ...[]byte) (kv.TableView, [][]byte, error) {
	<-a.awake
	return a.Table.View(ctx, keys...)
}

func (a *asleep) Write(ctx context.Context, g kv.Guard, c *kv.Changes) error {
	<-a.awake
	return a.Table.Write(ctx, g, c)
}

func set(t *testing.T, s *tablekv.Store, k, v string) error {
	t.Helper()
	b := s.NewBatch()
	b.Set([]byte(k), []byte(v))
	return s.Apply(t.Context(), b, kv.Sync)
}

func want(t *testing.T, s *tablekv.Store, k, v string) {
	t.Helper()
	if got, err := s.Get(t.Context(), []byte(k), nil); err != nil || string(got) != v {
		t.Errorf("%s is %q, %v; want %q", k, got, err, v)
	}
}

// TestSleeper stops a writer, lets its lease run out, has another write, and wakes the
// first one up.
func TestSleeper(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	sleeper := &asleep{Table: server.Table(kv.Bounds{}), awake: make(chan struct{})}
	close(sleeper.awake)
	first := open(t, sleeper)
	if err := set(t, first, "a", "1"); err != nil {
		t.Fatal(err)
	}
	sleeper.awake = make(chan struct{})
	late := make(chan error)
	go func() { late <- set(t, first, "a", "late") }()

	second := open(t, server.Table(kv.Bounds{}))
	want(t, second, "a", "1")
	if err := set(t, second, "a", "2"); err != nil {
		t.Fatal(err)
	}
	close(sleeper.awake)
	if err := <-late; !errors.Is(err, kv.ErrLease) || !errors.Is(err, kv.ErrReadOnly) {
		t.Errorf("a write after the lease was lost: %v", err)
	}
	if err := set(t, first, "b", "later"); !errors.Is(err, kv.ErrLease) {
		t.Errorf("a second write after the lease was lost: %v", err)
	}
	if _, err := first.Get(t.Context(), []byte("a"), nil); !errors.Is(err, kv.ErrLease) {
		t.Errorf("a read after the lease was lost: %v", err)
	}
	want(t, second, "a", "2")
	if err := errors.Join(first.Close(), set(t, second, "a", "3"), second.Close()); err != nil {
		t.Errorf("the second writer after the first was closed: %v", err)
	}
}

func TestSecondWriter(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	again := func(wait time.Duration) (*tablekv.Store, error) {
		return tablekv.Open(t.Context(), server.Table(kv.Bounds{}), kvtest.Schema(),
			&tablekv.Options{Name: "the shop", Lease: 50 * time.Millisecond, Wait: wait})
	}
	first, err := tablekv.Open(t.Context(), server.Table(kv.Bounds{}), kvtest.Schema(),
		&tablekv.Options{Owner: "process 7 on host a", Lease: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	_, err = again(0)
	if locked := (*kv.LockedError)(nil); !errors.As(err, &locked) || locked.Error() != "the shop is being written by process 7 on host a" {
		t.Errorf("a second writer: %v", err)
	}
	time.AfterFunc(200*time.Millisecond, func() { _ = first.Close() })
	second, err := again(10 * time.Second)
	if err != nil {
		t.Fatalf("a second writer that waits: %v", err)
	}
	if err := errors.Join(set(t, second, "a", "1"), second.Close()); err != nil {
		t.Error(err)
	}
	begin := time.Now()
	third, err := again(0)
	if err != nil || time.Since(begin) > 40*time.Millisecond {
		t.Errorf("a lease that was given up is taken after %v: %v", time.Since(begin), err)
	}
	if err := third.Close(); err != nil {
		t.Error(err)
	}
}

// TestAlive waits for a writer that is alive and writes nothing. It also runs with a wall
// clock that jumps: see package stores, TestWallClock.
func TestAlive(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	o := &tablekv.Options{Lease: 500 * time.Millisecond, Wait: 700 * time.Millisecond}
	first, err := tablekv.Open(t.Context(), server.Table(kv.Bounds{}), kvtest.Schema(), o)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	_, err = tablekv.Open(t.Context(), server.Table(kv.Bounds{}), kvtest.Schema(), o)
	if took := time.Since(begin); !errors.Is(err, kv.ErrLocked) || took < o.Wait {
		t.Errorf("a second writer: %v after %v", err, took)
	}
	if err := errors.Join(set(t, first, "a", "1"), first.Close()); err != nil {
		t.Error(err)
	}
}

// TestReaders opens stores for reading beside a writer.
func TestReaders(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	read := func() (*tablekv.Store, error) {
		return tablekv.Open(t.Context(), server.Table(kv.Bounds{ViewAge: time.Hour}), kvtest.Schema(), &tablekv.Options{ReadOnly: true})
	}
	if _, err := read(); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("an empty table opened for reading: %v", err)
	}
	w := open(t, server.Table(kv.Bounds{}))
	r, err := read()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"1", "2"} {
		if err := set(t, w, "a", v); err != nil {
			t.Fatal(err)
		}
		want(t, r, "a", v)
	}
	if err := set(t, r, "a", "3"); !errors.Is(err, kv.ErrReadOnly) {
		t.Errorf("a reader's write: %v", err)
	}
	if err := errors.Join(r.Close(), w.Close()); err != nil {
		t.Error(err)
	}
}

func TestExpired(t *testing.T) {
	t.Parallel()
	s := open(t, kvtest.NewServer(1).Table(kv.Bounds{ViewAge: 30 * time.Millisecond}))
	if err := set(t, s, "a", "1"); err != nil {
		t.Fatal(err)
	}
	sn, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(40 * time.Millisecond)
	// What was written is in the cache, which needs no view.
	if _, err := sn.Get(t.Context(), []byte("b"), nil); !errors.Is(err, kv.ErrExpired) {
		t.Errorf("a read of an expired snapshot: %v", err)
	}
	it, err := sn.Iter(t.Context(), nil, nil)
	if err != nil || it.First() || !errors.Is(it.Err(), kv.ErrExpired) {
		t.Errorf("a scan of an expired snapshot: %v, %v", err, it.Err())
	}
	want(t, s, "a", "1")
	if err := errors.Join(it.Close(), sn.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}

// TestRefused opens tables that are not a store's, and one of another schema.
func TestRefused(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	tab := server.Table(kv.Bounds{})
	g := kv.Guard{Key: []byte("theirs"), New: []byte("x")}
	if err := tab.Write(t.Context(), g, &kv.Changes{}); err != nil {
		t.Fatal(err)
	}
	if _, err := tablekv.Open(t.Context(), tab, kvtest.Schema(), nil); !errors.Is(err, kv.ErrForeign) {
		t.Errorf("a table of others: %v", err)
	}
	if _, err := tablekv.Open(t.Context(), tab, kvtest.Schema(), &tablekv.Options{ReadOnly: true}); !errors.Is(err, kv.ErrForeign) {
		t.Errorf("a table of others, opened for reading: %v", err)
	}
	server = kvtest.NewServer(1)
	tab = server.Table(kv.Bounds{})
	if _, err := tablekv.Open(t.Context(), tab, kvtest.Schema(), &tablekv.Options{MustExist: true}); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("an empty table that must exist: %v", err)
	}
	if err := open(t, tab).Close(); err != nil {
		t.Fatal(err)
	}
	other := *kvtest.Schema()
	other.MergerName = "other"
	for _, ro := range []bool{false, true} {
		if _, err := tablekv.Open(t.Context(), tab, &other, &tablekv.Options{ReadOnly: ro}); !errors.Is(err, kv.ErrIncompatible) {
			t.Errorf("another schema, read-only %v: %v", ro, err)
		}
	}
}

// silent is a table whose server is gone from a write on: nothing tells whether it was made.
type silent struct {
	kv.Table
	gone, made bool
}

func (s *silent) View(ctx context.Context, keys ...[]byte) (kv.TableView, [][]byte, error) {
	if s.gone {
		return nil, nil, kv.ErrRefused
	}
	return s.Table.View(ctx, keys...)
}

func (s *silent) Write(ctx context.Context, g kv.Guard, c *kv.Changes) error {
	switch {
	case !s.gone:
		return s.Table.Write(ctx, g, c)
	case s.made:
		s.made = false
		_ = s.Table.Write(ctx, g, c)
	}
	return kv.ErrUncertain
}

// TestSilentServer stops the server while a commit is under way, and starts it again. The
// writer does nothing more, since it does not know how the commit ended.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	for _, made := range []bool{false, true} {
		server := kvtest.NewServer(1)
		tab := &silent{Table: server.Table(kv.Bounds{})}
		s, err := tablekv.Open(t.Context(), tab, kvtest.Schema(), &tablekv.Options{Lease: time.Hour, Patience: 30 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		tab.gone, tab.made = true, made
		if err := set(t, s, "a", "1"); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("made %t: a commit without an answer: %v", made, err)
		}
		tab.gone = false
		if err := set(t, s, "b", "2"); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("made %t: the next commit: %v", made, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// overtaken is a table whose first write is lost: another takes the lease meanwhile, and
// the answer does not tell whether the write was made.
type overtaken struct {
	kv.Table
	other func()
	lost  bool
}

func (o *overtaken) Write(ctx context.Context, g kv.Guard, c *kv.Changes) error {
	if o.lost {
		return o.Table.Write(ctx, g, c)
	}
	o.lost = true
	o.other()
	return kv.ErrUncertain
}

// TestLostTake loses the answer of the write that takes the lease, while another process,
// which may call itself the same, takes it: there is one writer.
func TestLostTake(t *testing.T) {
	t.Parallel()
	t.Run("alive", func(t *testing.T) {
		server := kvtest.NewServer(1)
		var other *tablekv.Store
		table := &overtaken{Table: server.Table(kv.Bounds{}), other: func() { other = open(t, server.Table(kv.Bounds{})) }}
		st, err := tablekv.Open(t.Context(), table, kvtest.Schema(), nil)
		if !errors.Is(err, kv.ErrLocked) {
			t.Errorf("a second writer: %v", err)
		}
		if err == nil {
			_ = st.Close()
		}
		if err := set(t, other, "k", "v"); err != nil {
			t.Error(err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("asleep", func(t *testing.T) {
		// The other one has written the record and nothing else: it may wake up at any time.
		server := kvtest.NewServer(1)
		table := &overtaken{Table: server.Table(kv.Bounds{}), other: func() {
			server.SetFaults(kvtest.Faults{Stop: 1})
			_, err := tablekv.Open(t.Context(), server.Table(kv.Bounds{}), kvtest.Schema(), &tablekv.Options{Lease: 50 * time.Millisecond})
			if err == nil {
				t.Error("the server has not stopped")
			}
			server.SetFaults(kvtest.Faults{})
		}}
		st := open(t, table)
		v, vals, err := server.Table(kv.Bounds{}).View(t.Context(), []byte{0xFF, 0})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		if fence := binary.BigEndian.Uint64(vals[0][2:]); fence != 2 {
			t.Errorf("two processes have taken the lease, and its fence is %d", fence)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}
