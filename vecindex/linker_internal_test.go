package vecindex

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// linked is an index of random vectors in memory.
type linked struct {
	t   *testing.T
	st  kv.Store
	cfg Config
	ix  *Index
	rng *rand.Rand
	seq uint64
}

func newLinked(t *testing.T, o Options) *linked {
	st := memkv.New(layout.Schema())
	t.Cleanup(func() { _ = st.Close() })
	l := &linked{t: t, st: st, rng: rand.New(rand.NewPCG(1, 2))}
	l.cfg = Config{Table: layout.Table{Graph: 1, Space: 1}, Model: "m", Dim: 40, Kind: HNSW, M: 6, EfConstruction: 24}
	l.reopen(o)
	return l
}

func (l *linked) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *linked) reopen(o Options) {
	l.t.Helper()
	var err error
	l.ix, err = Open(context.Background(), l.st, l.cfg, &o)
	l.must(err)
}

func (l *linked) draw() []float32 {
	c := rand.New(rand.NewPCG(uint64(l.rng.IntN(20)), 9))
	x := make([]float32, l.cfg.Dim)
	for i := range x {
		x[i] = float32(c.NormFloat64() + 0.4*l.rng.NormFloat64())
	}
	return x
}

func (l *linked) put(from, n uint64) {
	l.t.Helper()
	l.seq++
	b := l.st.NewBatch()
	w, err := l.ix.Begin(context.Background(), b, l.seq)
	l.must(err)
	for id := from; id < from+n; id++ {
		l.must(w.Put(context.Background(), id, 0, l.draw()))
	}
	l.must(l.st.Apply(context.Background(), b, kv.NoSync))
	w.Publish()
}

func (l *linked) commit(ctx context.Context, fn func(b kv.Batch) error) error {
	b := l.st.NewBatch()
	if err := fn(b); err != nil {
		return err
	}
	return l.st.Apply(ctx, b, kv.NoSync)
}

// TestReleaseAfterLinking says that an index which is not being linked gives
// its memory up, however the linking ended.
func TestReleaseAfterLinking(t *testing.T) {
	ctx := context.Background()
	boom := errors.New("boom")
	refuse := func(context.Context, func(b kv.Batch) error) error { return boom }
	for name, do := range map[string]func(l *linked) error{
		"tend":            func(l *linked) error { return l.ix.Tend(ctx, l.commit) },
		"flush":           func(l *linked) error { return l.ix.Flush(ctx, l.commit) },
		"settle":          func(l *linked) error { return l.ix.Settle(ctx, l.commit) },
		"tend, refused":   func(l *linked) error { return l.ix.Tend(ctx, refuse) },
		"settle, refused": func(l *linked) error { l.put(0, 9); return l.ix.Settle(ctx, refuse) },
		"nothing to relink": func(l *linked) error {
			l.must(l.ix.Settle(ctx, l.commit))
			return l.ix.Settle(ctx, refuse)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLinked(t, Options{})
			l.put(1, 1100)
			if err := do(l); err != nil && !errors.Is(err, boom) {
				t.Fatal(err)
			}
			if l.ix.inFlight != nil || l.ix.lost != nil {
				t.Errorf("%d nodes are being linked", len(l.ix.inFlight))
			}
			if _, err := l.ix.load(ctx); err != nil || !l.ix.Release() || l.ix.MemoryBytes() != 0 {
				t.Errorf("%d bytes are not released (%v)", l.ix.MemoryBytes(), err)
			}
		})
	}
}

// TestLinkingWaits says that who waits for a linker waits no longer than the
// context lets.
func TestLinkingWaits(t *testing.T) {
	l := newLinked(t, Options{})
	l.put(1, 1100)
	inside, goOn := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		first := true
		done <- l.ix.Flush(context.Background(), func(ctx context.Context, fn func(b kv.Batch) error) error {
			if first {
				first = false
				close(inside)
				<-goOn
			}
			return l.commit(ctx, fn)
		})
	}()
	<-inside
	view, err := l.ix.At(context.Background(), l.st, l.seq)
	l.must(err)
	defer view.Close()
	for name, do := range map[string]func(ctx context.Context) error{
		"tend":   func(ctx context.Context) error { return l.ix.Tend(ctx, l.commit) },
		"settle": func(ctx context.Context) error { return l.ix.Settle(ctx, l.commit) },
	} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		if err := do(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
	close(goOn)
	l.must(<-done)
}

// TestMarksFrom says from which slot on vectors are looked for that wait to be
// linked: not among those of which the marks are gone, but where slots are used
// again.
func TestMarksFrom(t *testing.T) {
	ctx := context.Background()
	l := newLinked(t, Options{})
	l.put(1, 2100)
	l.must(l.ix.Tend(ctx, l.commit))
	if n := l.ix.marksFrom.Load(); n != 2048 {
		t.Errorf("from slot %d after two batches", n)
	}
	l.must(l.ix.Flush(ctx, l.commit))
	if n := l.ix.marksFrom.Load(); n != 2100 {
		t.Errorf("from slot %d after all", n)
	}
	l.put(1, 300) // in other slots
	l.must(l.ix.Flush(ctx, l.commit))
	if n := l.ix.marksFrom.Load(); n != 2400 {
		t.Errorf("from slot %d after those that were replaced", n)
	}
	l.put(5000, 10) // in free slots
	if n := l.ix.marksFrom.Load(); n >= 300 {
		t.Errorf("from slot %d, some slots of below 300 being used again", n)
	}
	l.must(l.ix.Flush(ctx, l.commit))
	if s, err := l.ix.Stats(ctx); err != nil || s.Pending != 0 || s.Linked != 2110 {
		t.Errorf("%v, %+v", err, s)
	}
}
