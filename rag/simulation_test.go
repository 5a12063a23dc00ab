package rag_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

var simSeed = flag.Uint64("seed", 0, "run only the simulation of this seed")

// TestSimulation lives the lives of corpora on a disk that fails: documents are
// added, replaced, removed and synced, indexed and asked by several methods, and
// the database is checked, compacted and opened again, while the power goes, a
// read or write fails, the disk is full or the caller gives up, in the midst of
// any of it. A plain list of documents says what there must be whenever the
// database is opened, and the same life in memory, without faults, what it must
// become. What happens follows from the seed; at which operation of the disk a
// fault comes depends on work in the background too, so a failure may need
// several replays to show:
//
//	go test ./rag -run TestSimulation -seed 7 -count 5
func TestSimulation(t *testing.T) {
	t.Parallel()
	first, seeds := uint64(1), 5
	switch {
	case *long:
		seeds = 3000 // or as many as there is time for
	case testing.Short():
		seeds = 2
	}
	if *simSeed > 0 {
		first, seeds = *simSeed, 1
	}
	sum := &simSum{faults: map[simFault]int{}}
	t.Cleanup(func() { // when all have ended
		t.Logf("%d lives: %d operations in %d attempts; faults that came: %v", sum.lives, sum.ops, sum.attempts, sum.faults)
	})
	for seed := first; seed < first+uint64(seeds); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			if end, ok := t.Deadline(); ok && time.Until(end) < 2*time.Minute || sum.failed.Load() > 3 {
				t.Skip("no time is left, or enough have failed")
			}
			s := newSim(t, seed)
			defer sum.add(s)
			s.run()
			if *simSeed > 0 {
				t.Log(strings.Join(s.trail, "\n"))
			}
		})
	}
}

// simSum counts what the simulations did.
type simSum struct {
	failed atomic.Int64

	mu            sync.Mutex
	lives         int
	ops, attempts int
	faults        map[simFault]int
}

// add adds a life that has ended.
func (x *simSum) add(s *sim) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lives++
	x.ops += s.ops
	x.attempts += s.attempts
	for f, n := range s.faults {
		x.faults[f] += n
	}
	if s.t.Failed() {
		x.failed.Add(1)
	}
}

// absent is the version of a document that is not there.
const absent = -1

// sim is a life.
type sim struct {
	t     *testing.T
	seed  uint64
	r     *rand.Rand // of operations
	f     *rand.Rand // of faults
	trail []string

	ops, attempts int
	faults        map[simFault]int // that came

	specs   []string
	workers int
	ledger  *callNotes // nil with the local models, which cost nothing
	budget  kvOptions

	disk   *simDisk
	path   string // of the database
	next   string // where the life goes on, if it is to go on with a copy
	copies int
	on     *simSide // nil while it is closed
	store  kv.Store
	ref    *simSide

	// docs holds the versions of the documents that are there; doubt what the
	// operation at work makes of those that it concerns.
	docs, doubt map[int]int
}

// kvOptions are a store's options that must not matter.
type kvOptions struct{ cache, memtable int64 }

// simSide is one of the two databases that live the life.
type simSide struct {
	db     *engine.DB
	c      *rag.Corpus
	ledger *callNotes
}

func newSim(t *testing.T, seed uint64) *sim {
	s := &sim{
		t: t, seed: seed, path: "db", docs: map[int]int{}, faults: map[simFault]int{},
		r: rand.New(rand.NewPCG(seed, 1)), f: rand.New(rand.NewPCG(seed, 2)),
	}
	s.specs = someSpecs(s.r)
	s.workers = 1 + s.r.IntN(3)
	s.budget = kvOptions{cache: []int64{64 << 10, 4 << 20}[s.r.IntN(2)], memtable: []int64{64 << 10, 1 << 20}[s.r.IntN(2)]}
	paid := s.r.IntN(2) == 0
	if paid {
		s.ledger = &callNotes{sim: s}
	}
	s.note("methods %v, %d workers, paid models: %v, %+v", s.specs, s.workers, paid, s.budget)
	s.disk = newSimDisk(vfs.NewCrashableMem(), rand.New(rand.NewPCG(seed, 3)))
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{Encodings: methods.Encodings(), MemoryBudget: 16 << 20})
	if err != nil {
		s.fail("reference: %v", err)
	}
	s.ref = &simSide{db: db}
	if paid {
		s.ref.ledger = &callNotes{}
	}
	if err := s.ref.openCorpus(t.Context()); err != nil {
		s.fail("reference: %v", err)
	}
	return s
}

// note adds a line to the trail.
func (s *sim) note(format string, args ...any) {
	s.trail = append(s.trail, fmt.Sprintf(format, args...))
}

// fail ends the life with what is wrong and how to see it again.
func (s *sim) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\nseed %d: %s\nreplay: go test ./rag -run 'TestSimulation$' -seed %d", strings.Join(s.trail, "\n"), s.seed, fmt.Sprintf(format, args...), s.seed)
}

// run lives the life.
func (s *sim) run() {
	for range 6 + s.r.IntN(8) {
		if s.r.IntN(16) == 0 {
			s.reopenOp()
		} else {
			s.do(s.operation())
		}
	}
	s.do(s.indexOp(nil))
	if s.on == nil {
		s.reopen()
	}
	s.audit("at the end")
	s.compare()
	s.close()
	if err := s.ref.db.Close(); err != nil {
		s.fail("reference: close: %v", err)
	}
}

// do does an operation, again and again until no fault comes in its way.
func (s *sim) do(op simOp) {
	s.t.Helper()
	s.ops++
	s.note("%s", op.name)
	want, err := op.do(s.t.Context(), s.ref)
	if err != nil {
		s.fail("without faults: %v", err)
	}
	s.doubt = op.makes
	for try := 0; ; try++ {
		if s.on == nil {
			s.reopen()
		}
		s.attempts++
		fault := noFault
		if try < 3 && s.f.IntN(3) > 0 {
			fault = 1 + simFault(s.f.IntN(int(simFaults)-1))
		}
		ctx, cancel := context.WithCancel(s.t.Context())
		disk := s.disk
		disk.arm(fault, s.when(), cancel)
		s.ledger.begin(s.forgets(op))
		var got string
		err := s.watch(op.name, func() (err error) {
			got, err = op.do(ctx, s.on)
			if try > 0 && op.again != nil {
				err = op.again(err)
			}
			return err
		})
		cancel()
		came, at := s.disk.came()
		if came {
			s.note("  %s at %s: %v", fault, at, err)
			s.faults[fault]++
		}
		if err != nil {
			s.excuse(op.name, err, fault, came)
		}
		lost := came && fault == powerLoss
		if err == nil && !lost {
			s.ledger.succeeded()
		}
		switch {
		case lost:
			s.crash()
		case s.store.(kv.Maintainer).Metrics().BackgroundError != nil:
			s.audit("after " + op.name + ", read-only")
			if s.f.IntN(2) == 0 {
				s.crash()
			} else {
				s.closeFailed()
				s.disk.heal()
			}
		case fault == powerLoss && s.f.IntN(2) == 0: // it comes when all is done
			s.note("  power loss at the end")
			if err == nil {
				s.settle()
			}
			s.crash()
			s.reopen()
		default:
			s.disk.heal()
		}
		if s.on != nil {
			s.audit("after " + op.name)
			s.ledger.end(s.on)
		}
		if err == nil && !lost {
			if s.next != "" && s.on != nil && s.disk == disk {
				s.close()
				s.path = s.next
			}
			s.next = ""
			if got != want {
				s.fail("%s gives\n%s\nwithout faults\n%s", op.name, got, want)
			}
			s.settle()
			return
		}
		if try > 30 {
			s.fail("%s: no end of errors: %v", op.name, err)
		}
	}
}

// forgets reports whether an operation may remove documents, or put others in
// their place.
func (s *sim) forgets(op simOp) bool {
	for i, v := range op.makes {
		if was, ok := s.docs[i]; ok && was != v {
			return true
		}
	}
	return false
}

// settle makes what the operation did certain.
func (s *sim) settle() {
	for i, v := range s.doubt {
		if v == absent {
			delete(s.docs, i)
		} else {
			s.docs[i] = v
		}
	}
	s.doubt = nil
}

// when returns the operation of the disk at which a fault comes: mostly an early
// one.
func (s *sim) when() int { return 1 + s.f.IntN(1<<s.f.IntN(11)) }

// excuse fails the life unless an error is a fault's.
func (s *sim) excuse(what string, err error, fault simFault, came bool) {
	s.t.Helper()
	switch {
	case errors.Is(err, rag.ErrPartial):
		s.fail("%s: %s set aside what is good: %v", what, fault, err)
	case !came:
		s.fail("%s: %v", what, err)
	case fault == cancelCall && errors.Is(err, context.Canceled):
	case fault != cancelCall && (errors.Is(err, errPower) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC)):
	default:
		s.fail("%s: %s: %v", what, fault, err)
	}
}

// simTakes is how long a call may take before it counts as hung: far more than
// any needs on a machine that is busy.
const simTakes = 4 * time.Minute

// watch runs a call, and tells of a panic and a hang.
func (s *sim) watch(name string, call func() error) error {
	s.t.Helper()
	done := make(chan error, 1)
	var panicked atomic.Pointer[string]
	go func() {
		defer func() {
			if p := recover(); p != nil {
				why := fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
				panicked.Store(&why)
				done <- nil
			}
		}()
		done <- call()
	}()
	select {
	case err := <-done:
		if why := panicked.Load(); why != nil {
			s.fail("%s: %s", name, *why)
		}
		return err
	case <-time.After(simTakes):
		buf := make([]byte, 1<<20)
		s.fail("%s hangs\n%s", name, buf[:runtime.Stack(buf, true)])
	}
	return nil
}

// reopenOp closes the database, in whose way a fault may come, and opens it
// again.
func (s *sim) reopenOp() {
	s.note("reopen")
	fault := noFault
	if s.f.IntN(2) == 0 {
		fault = []simFault{powerLoss, badOp, badWrites, fullDisk}[s.f.IntN(4)]
	}
	if s.on != nil {
		s.disk.arm(fault, s.when(), nil)
		s.closeFailed()
		came, at := s.disk.came()
		if came {
			s.note("  close: %s at %s", fault, at)
			s.faults[fault]++
		}
		if fault == powerLoss || s.f.IntN(4) == 0 {
			s.disk = s.disk.crashed()
		}
		s.disk.heal()
	}
	s.reopen()
}

// crash closes the database and goes on with what a power loss leaves of the
// disk.
func (s *sim) crash() {
	next := s.disk.crashed()
	s.closeFailed()
	s.disk = next
}

// close closes a sound database.
func (s *sim) close() {
	on := s.on
	s.on = nil
	if err := s.watch("close", on.db.Close); err != nil {
		s.fail("close: %v", err)
	}
}

// closeFailed closes a database whose disk may have failed.
func (s *sim) closeFailed() {
	err := s.watch("close", s.on.db.Close)
	if err != nil && !errors.Is(err, engine.ErrReadOnly) && !errors.Is(err, errPower) && !errors.Is(err, syscall.EIO) && !errors.Is(err, syscall.ENOSPC) {
		s.fail("close: %v", err)
	}
	s.on = nil
}

// reopen opens the database, in whose way a fault may come too, and holds it
// against the documents that must be there.
func (s *sim) reopen() {
	for try := 0; s.on == nil; try++ {
		fault := noFault
		if try < 3 && s.f.IntN(4) == 0 {
			fault = []simFault{powerLoss, badOp, badWrites, fullDisk}[s.f.IntN(4)]
		}
		s.disk.arm(fault, 1+s.f.IntN(1<<s.f.IntN(7)), nil)
		var side *simSide
		err := s.watch("open", func() (err error) {
			side, err = s.open()
			return err
		})
		came, at := s.disk.came()
		if came {
			s.note("  open: %s at %s: %v", fault, at, err)
			s.faults[fault]++
		}
		if err != nil {
			s.excuse("open", err, fault, came)
		}
		s.on = side
		switch {
		case came && fault == powerLoss:
			next := s.disk.crashed()
			if side != nil {
				s.closeFailed()
			}
			s.disk = next
		case side != nil && s.store.(kv.Maintainer).Metrics().BackgroundError != nil:
			s.closeFailed()
		}
		s.disk.heal()
		if try > 20 {
			s.fail("open: no end of errors: %v", err)
		}
	}
	s.audit("opened again")
	s.ledger.end(s.on)
}

// open opens the database and its corpus, or neither.
func (s *sim) open() (*simSide, error) {
	db, err := engine.Open(s.t.Context(), s.path, &engine.Options{
		Encodings: methods.Encodings(), MemoryBudget: 16 << 20, PromoteAt: 8, BlockEdges: 4,
		OpenStore: func(ctx context.Context, path string, schema *kv.Schema) (kv.Store, error) {
			store, err := pebblekv.Open(ctx, path, schema, &pebblekv.Options{FS: s.disk.fs, CacheBytes: s.budget.cache, MemtableBytes: s.budget.memtable})
			s.store = store
			return store, err
		},
	})
	if err != nil {
		return nil, err
	}
	side := &simSide{db: db, ledger: s.ledger}
	if err := side.openCorpus(s.t.Context()); err != nil {
		_ = db.Close() // the error that counts is that of the disk
		return nil, err
	}
	return side, nil
}

func (s *simSide) openCorpus(ctx context.Context) (err error) {
	if s.c, err = rag.OpenCorpus(ctx, s.db, "main", nil); err == nil && s.ledger != nil {
		s.c = s.c.With(rag.Options{Models: s.ledger.models})
	}
	return err
}

// audit holds the documents and a full check of the database against what there
// must be.
func (s *sim) audit(when string) {
	s.t.Helper()
	have := map[int]int{}
	err := s.watch("read documents", func() error {
		return s.on.db.View(s.t.Context(), func(snap *engine.Snapshot) error {
			v := snap.Graph(s.on.c.Base())
			for d, err := range s.on.c.Documents(v) {
				if err != nil {
					return err
				}
				text, err := v.Text(d.ID, "_text")
				if err != nil {
					return err
				}
				i, version, ok := s.identify(d.Key, text)
				if !ok {
					return fmt.Errorf("%s: nobody wrote %q", d.Key, text)
				}
				have[i] = version
			}
			return nil
		})
	})
	if err != nil {
		s.fail("%s: %v", when, err)
	}
	for i := range simDocs {
		got, was := versionIn(have, i), versionIn(s.docs, i)
		if now, ok := s.doubt[i]; got != was && (!ok || got != now) {
			s.fail("%s: document %d has version %d, want %d (in doubt: %v)", when, i, got, was, s.doubt)
		}
	}
	if err := s.frontiers(); err != nil {
		s.fail("%s: %v", when, err)
	}
	var findings []string
	err = s.watch("check", func() error {
		for f, err := range s.on.db.Check(s.t.Context(), engine.CheckOptions{Full: true}) {
			if err != nil {
				return err
			}
			findings = append(findings, f.String())
		}
		return nil
	})
	if err != nil || len(findings) > 0 {
		s.fail("%s: check: %v, finds %s", when, err, strings.Join(findings, "\n"))
	}
}

// frontiers holds what the next run takes for done against the marks.
func (s *sim) frontiers() error {
	ctx := s.t.Context()
	m, err := s.on.c.IndexedModels(ctx)
	if err != nil {
		return err
	}
	var systems []*method.System
	for _, spec := range []string{"dense", "dense:chunks=cl100k/1200/100/window"} {
		parsed, err := method.ParseSpec(spec)
		if err != nil {
			return err
		}
		sys, err := methods.All().Open(ctx, s.on.c.Docs(), parsed)
		if err != nil {
			return err
		}
		systems = append(systems, sys)
	}
	steps, err := s.on.c.BaseStages(systems, m)
	if err != nil {
		return err
	}
	return s.on.db.View(ctx, func(snap *engine.Snapshot) error {
		_, err := pendingByFrontiers(ctx, snap, steps)
		return err
	})
}

func versionIn(docs map[int]int, i int) int {
	if v, ok := docs[i]; ok {
		return v
	}
	return absent
}

// compare holds what the life has come to against the same life without faults.
func (s *sim) compare() {
	s.t.Helper()
	got, want := ragtest.Export(s.t, s.on.db, rag.CanonicalExport()), ragtest.Export(s.t, s.ref.db, rag.CanonicalExport())
	if got != want {
		s.fail("other than without faults: %s", firstDifference(got, want))
	}
	// What is the work's own record is equal too.
	if got, want = state(s.t, s.on.db), state(s.t, s.ref.db); got != want {
		s.fail("other records than without faults: %s", firstDifference(got, want))
	}
}

// firstDifference returns the first lines in which two texts differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d:\n got %.600s\nwant %.600s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// sortedKeys returns the keys of documents in order.
func sortedDocs(docs map[int]int) []int {
	var out []int
	for i := range docs {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}
