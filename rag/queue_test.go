package rag_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

const (
	// window is how many items are worked on ahead of what is applied.
	window = 1024
	// fullTx is the size at which a transaction takes no more results, a 32nd of the
	// default memory budget.
	fullTx = 16 << 20
)

// staged returns a method that does nothing but its one stage.
func staged(t *testing.T, st method.Step) *method.System {
	t.Helper()
	id, err := method.NewGraphless(method.ReadParams("staged", nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	return &method.System{Identity: id, Build: func(*rag.Models) []method.Step { return []method.Step{st} }}
}

// numbers is a stage of n items that notes what happens to it.
type numbers struct {
	c      *rag.Corpus
	n      int
	digest func(i int) string // "" of nil is one digest for all
	do     func(ctx context.Context, i int) error

	applied []int
	settled atomic.Int64
}

func (st *numbers) Name() string         { return "numbers" }
func (st *numbers) Graph() *engine.Graph { return st.c.Base() }

func (st *numbers) Items(context.Context, *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		for i := range st.n {
			d := ""
			if st.digest != nil {
				d = st.digest(i)
			}
			if !yield(method.WorkItem{Key: fmt.Sprint(i), Digest: method.Digest(d)}, nil) {
				return
			}
		}
	}
}

func (st *numbers) Do(ctx context.Context, _ *engine.Snapshot, _ *rag.Models, w method.WorkItem) ([]byte, error) {
	var i int
	if _, err := fmt.Sscan(w.Key, &i); err != nil {
		return nil, err
	}
	if st.do != nil {
		if err := st.do(ctx, i); err != nil {
			return nil, err
		}
	}
	return []byte(w.Key), nil
}

func (st *numbers) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	if string(result) != w.Key {
		return fmt.Errorf("item %s has the result %q", w.Key, result)
	}
	var i int
	if _, err := fmt.Sscan(w.Key, &i); err != nil {
		return err
	}
	st.applied = append(st.applied, i)
	st.settled.Add(1)
	b, err := tx.Graph(st.c.Base()).MakeBucket("numbers")
	if err != nil {
		return err
	}
	return b.Set([]byte(w.Key), result)
}

func runStage(t *testing.T, c *rag.Corpus, st method.Step, ctx context.Context, o rag.IndexOptions) (*rag.IndexResult, error) {
	t.Helper()
	x := rag.Indexer{Corpus: c, Systems: []*method.System{staged(t, st)}, Options: o}
	return x.Run(ctx, nil)
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func failures(t *testing.T, c *rag.Corpus) []rag.Failure {
	t.Helper()
	var out []rag.Failure
	err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		for f, err := range c.Failures(s.Graph(c.Base())) {
			if err != nil {
				return err
			}
			out = append(out, f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestApplyOrder says that results are applied in the order of the items,
// however many do them and in whatever order they are ready.
func TestApplyOrder(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, nil).Corpus
	for n, workers := range []int{1, 2, 7, 64} {
		t.Run(fmt.Sprintf("%d workers", workers), func(t *testing.T) {
			var mu sync.Mutex
			r := rand.New(rand.NewPCG(1, uint64(workers)))
			st := &numbers{c: c, n: 3000, digest: func(int) string { return fmt.Sprint(n) }}
			st.do = func(context.Context, int) error {
				mu.Lock()
				turns := r.IntN(20)
				mu.Unlock()
				for range turns {
					runtime.Gosched()
				}
				return nil
			}
			var last rag.Event
			running := 0
			o := rag.IndexOptions{Workers: workers, Notify: func(e rag.Event) {
				if running++; running > 1 {
					t.Error("Notify is called concurrently")
				}
				if e.Stage == "numbers" {
					if e.Done <= last.Done || e.Done > e.Total || e.Total != 3000 {
						t.Errorf("progress goes from %+v to %+v", last, e)
					}
					last = e
				}
				running--
			}}
			res, err := runStage(t, c, method.Step{Stage: st}, t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(st.applied, upTo(st.n)) {
				t.Error("the items are not applied in their order")
			}
			if last.Done != st.n || len(res.Stages) != 1 || res.Stages[0].Done != st.n {
				t.Errorf("last event %+v, result %+v", last, res.Stages)
			}
			// All of it is done now.
			st.applied = nil
			if res, err = runStage(t, c, method.Step{Stage: st}, t.Context(), o); err != nil || len(st.applied) > 0 || len(res.Stages) > 0 {
				t.Errorf("a second run applied %d items: %v, %+v", len(st.applied), err, res.Stages)
			}
		})
	}
}

// TestWindow says that no item is begun more than the window ahead of those
// applied, and that so many are while one is slow.
func TestWindow(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, nil).Corpus
	st := &numbers{c: c, n: 3 * window}
	var begun atomic.Int64
	full := make(chan struct{})
	var once sync.Once
	st.do = func(ctx context.Context, i int) error {
		if ahead := i - int(st.settled.Load()); ahead >= window {
			once.Do(func() { t.Errorf("item %d is begun while %d are applied", i, st.settled.Load()) })
		}
		if begun.Add(1) == window {
			close(full)
		}
		if i == 0 {
			select {
			case <-full:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}
	if _, err := runStage(t, c, method.Step{Stage: st}, t.Context(), rag.IndexOptions{Workers: 4}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(st.applied, upTo(st.n)) {
		t.Error("the items are not applied in their order")
	}
}

// TestFailures says what becomes of items that fail: they are set aside with
// the reason and the model's reply, and are not done again until somebody asks
// for it or they change.
func TestFailures(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, nil).Corpus
	bad := map[int]error{
		3: fmt.Errorf("asked: %w", &llm.ReplyError{Kind: llm.Extract, Raw: "{broken", Why: "no JSON"}),
		7: fmt.Errorf("took too long: %w", context.DeadlineExceeded), // the item's, not the run's
	}
	version := "1"
	st := &numbers{c: c, n: 20, digest: func(i int) string {
		if i == 3 {
			return version
		}
		return ""
	}}
	st.do = func(_ context.Context, i int) error {
		if i == 11 {
			var nothing []int
			_ = nothing[i] // a defect
		}
		return bad[i]
	}
	run := func(o rag.IndexOptions) ([]int, *rag.IndexResult) {
		t.Helper()
		st.applied = nil
		res, err := runStage(t, c, method.Step{Stage: st}, t.Context(), o)
		var partial *rag.PartialError
		if res.Failed > 0 != errors.Is(err, rag.ErrPartial) || res.Failed == 0 && err != nil {
			t.Fatalf("%d failed, error %v", res.Failed, err)
		}
		if errors.As(err, &partial) && partial.Failed != res.Failed {
			t.Fatalf("%d failed, error says %d", res.Failed, partial.Failed)
		}
		return st.applied, res
	}
	applied, res := run(rag.IndexOptions{})
	want := slices.DeleteFunc(upTo(20), func(i int) bool { return i == 3 || i == 7 || i == 11 })
	if !slices.Equal(applied, want) || res.Failed != 3 {
		t.Fatalf("applied %v, %d failed", applied, res.Failed)
	}
	reasons := map[string]string{"3": "no JSON", "7": "took too long", "11": "panic: runtime error: index out of range"}
	list := failures(t, c)
	if len(list) != len(reasons) {
		t.Fatalf("failures %+v", list)
	}
	for _, f := range list {
		if f.Stage != "numbers" || reasons[f.Item] == "" || !strings.Contains(f.Reason, reasons[f.Item]) {
			t.Errorf("failure %+v", f)
		}
		if raw := map[string]string{"3": "{broken"}[f.Item]; f.Raw != raw {
			t.Errorf("failure %+v, want the reply %q", f, raw)
		}
	}
	if applied, res = run(rag.IndexOptions{}); len(applied) != 0 || res.Failed != 3 {
		t.Errorf("without Retry applied %v, %d failed", applied, res.Failed)
	}
	// One that changed is taken up again without being asked for.
	delete(bad, 3)
	version = "2"
	if applied, res = run(rag.IndexOptions{}); !slices.Equal(applied, []int{3}) || res.Failed != 2 {
		t.Errorf("changed: applied %v, %d failed", applied, res.Failed)
	}
	delete(bad, 7)
	if applied, res = run(rag.IndexOptions{Retry: true}); !slices.Equal(applied, []int{7}) || res.Failed != 1 {
		t.Errorf("with Retry applied %v, %d failed", applied, res.Failed)
	}
	if list = failures(t, c); len(list) != 1 || list[0].Item != "11" {
		t.Errorf("failures %+v", list)
	}
}

// TestCancel says that a run that is cancelled keeps what it did, and that the
// next goes on there.
func TestCancel(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, nil).Corpus
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 0))
		st := &numbers{c: c, n: 5000, digest: func(int) string { return fmt.Sprint("cancel", seed) }}
		ctx, cancel := context.WithCancel(t.Context())
		at := r.IntN(st.n)
		st.do = func(ctx context.Context, i int) error {
			if i == at {
				cancel()
			}
			return ctx.Err()
		}
		_, err := runStage(t, c, method.Step{Stage: st}, ctx, rag.IndexOptions{Workers: 3})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("seed %d: error %v", seed, err)
		}
		did := len(st.applied)
		if did > at+window || !slices.Equal(st.applied, upTo(did)) {
			t.Fatalf("seed %d: cancelled at %d, %d applied", seed, at, did)
		}
		if list := failures(t, c); len(list) > 0 {
			t.Fatalf("seed %d: cancelled items are set aside: %+v", seed, list[0])
		}
		st.do = nil
		if _, err := runStage(t, c, method.Step{Stage: st}, t.Context(), rag.IndexOptions{}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(st.applied, upTo(st.n)) {
			t.Fatalf("seed %d: not every item is applied once and in order", seed)
		}
	}
}

// TestRunEnds says that an error that concerns the run and not the item, such as
// that of the disk, ends the run: nothing is set aside, no item is begun but those
// of the workers, and the next run goes on there.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, nil).Corpus
	for _, why := range []error{kv.ErrIO, engine.ErrReadOnly, cost.ErrBudget, llm.ErrProvider} {
		const workers, at = 3, 40
		st := &numbers{c: c, n: 1500, digest: func(int) string { return why.Error() }}
		var begun atomic.Int64
		st.do = func(_ context.Context, i int) error {
			if begun.Add(1); i == at {
				return fmt.Errorf("item %d: %w", i, why)
			}
			if i > at {
				time.Sleep(2 * time.Millisecond)
			}
			return nil
		}
		_, err := runStage(t, c, method.Step{Stage: st}, t.Context(), rag.IndexOptions{Workers: workers})
		if !errors.Is(err, why) {
			t.Fatalf("%v: error %v", why, err)
		}
		if n := begun.Load(); n > at+100*workers {
			t.Errorf("%v: %d items were begun, and item %d ended the run", why, n, at)
		}
		if !slices.Equal(st.applied, upTo(at)) {
			t.Errorf("%v: %d items are applied, want the %d before the error", why, len(st.applied), at)
		}
		if list := failures(t, c); len(list) > 0 {
			t.Fatalf("%v: items are set aside: %+v", why, list[0])
		}
		st.do = nil
		if _, err := runStage(t, c, method.Step{Stage: st}, t.Context(), rag.IndexOptions{}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(st.applied, upTo(st.n)) {
			t.Errorf("%v: not every item is applied once and in order", why)
		}
	}
}

// gathering is a stage that writes what several results change together.
type gathering struct {
	numbers
	pending []string
	flushes int
	most    int
	// bad are items that Apply refuses, or panics on, together those that Flush
	// refuses.
	bad, together map[string]bool
	resets        int
}

func (st *gathering) Apply(_ context.Context, _ *engine.Tx, w method.WorkItem, _ []byte) error {
	if st.bad[w.Key] {
		if len(w.Key)%2 == 0 {
			panic("odd item")
		}
		return errors.New("odd item")
	}
	st.pending = append(st.pending, w.Key)
	return nil
}

func (st *gathering) Reset() {
	st.pending = nil
	st.resets++
}

func (st *gathering) step() method.Step {
	return method.Step{Stage: st, Batch: &method.Batch{Pending: st.Pending, Flush: st.Flush, Reset: st.Reset}}
}

// Pending says that ten items fill a transaction.
func (st *gathering) Pending() int { return len(st.pending) * (fullTx/10 + 1) }

func (st *gathering) Flush(_ context.Context, tx *engine.Tx) error {
	b, err := tx.Graph(st.c.Base()).MakeBucket("gathered")
	if err != nil {
		return err
	}
	for _, k := range st.pending {
		if st.together[k] {
			return errors.New("odd together")
		}
	}
	st.flushes++
	st.most = max(st.most, len(st.pending))
	for _, k := range st.pending {
		if err := b.Set([]byte(k), nil); err != nil {
			return err
		}
	}
	st.pending = nil
	return nil
}

// TestBatch says that what a stage gathers is written with the marks of the
// items it is of, and that a transaction takes no more than fits.
func TestBatch(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, nil).Corpus
	st := &gathering{numbers: numbers{c: c, n: 95}}
	if _, err := runStage(t, c, st.step(), t.Context(), rag.IndexOptions{}); err != nil {
		t.Fatal(err)
	}
	if st.flushes != 10 || st.most != 10 {
		t.Errorf("%d flushes, of %d items at most; want 10 of 10", st.flushes, st.most)
	}
	n := 0
	err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		for _, err := range s.Graph(c.Base()).Bucket("gathered").Scan(nil, nil) {
			if err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if err != nil || n != st.n {
		t.Errorf("%d items are written, want %d: %v", n, st.n, err)
	}
}

// TestApplyFailures says that a result that cannot be written is set aside with
// its reason, whether it fails, panics or spoils what several do together, and
// that all others are written.
func TestApplyFailures(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, nil).Corpus
	st := &gathering{numbers: numbers{c: c, n: 95},
		bad: map[string]bool{"7": true, "8": true, "42": true, "94": true}, together: map[string]bool{"0": true, "33": true, "36": true}}
	res, err := runStage(t, c, st.step(), t.Context(), rag.IndexOptions{})
	if !errors.Is(err, rag.ErrPartial) || res.Failed != 7 {
		t.Fatalf("%+v: %v", res, err)
	}
	var why []string
	for _, f := range failures(t, c) {
		why = append(why, f.Item+" "+f.Reason)
	}
	want := []string{"0 odd together", "33 odd together", "36 odd together", "42 panic: odd item", "7 odd item", "8 odd item", "94 panic: odd item"}
	if !slices.Equal(why, want) {
		t.Errorf("set aside %q, want %q", why, want)
	}
	n := 0
	err = c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		for e, err := range s.Graph(c.Base()).Bucket("gathered").Scan(nil, nil) {
			if err != nil {
				return err
			}
			if n++; st.bad[string(e.Key)] || st.together[string(e.Key)] {
				t.Errorf("item %s is written", e.Key)
			}
		}
		return nil
	})
	if err != nil || n != 88 || st.resets < 7 {
		t.Errorf("%d items are written, want 88, with %d resets: %v", n, st.resets, err)
	}
	// Mended, they are done when they are asked for again.
	st.bad, st.together = nil, nil
	if _, err := runStage(t, c, st.step(), t.Context(), rag.IndexOptions{Retry: true}); err != nil || len(failures(t, c)) > 0 {
		t.Errorf("%v, %v", failures(t, c), err)
	}
}
