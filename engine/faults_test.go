package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// faultDB lives a life on a file system that fails once. A step that fails
// while the store goes on is done again; else the database is opened again on
// the files that are there, and goes on from the commit that it is at.
type faultDB struct {
	t      *testing.T
	what   string
	ref    *faultReference
	path   string // on faulty
	disk   *vfs.MemFS
	faulty vfs.FS     // disk with its fault
	heal   func()     // ends the fault, called at each error that it excuses
	cause  error      // what errors of the fault wrap
	loss   *rand.Rand // of crashes

	db     *engine.DB
	store  kv.Store
	copies int
	errors int
	acked  uint64 // the last commit that was told to be done
	synced uint64 // the last that survives a crash, and a failure of the store
}

// faultReference is a life without a fault.
type faultReference struct {
	steps  []faultStep
	ends   []uint64          // the epoch after each step
	states map[uint64]string // by epoch
	ops    int64             // operations of the file system
	writes int64             // those that take room
}

// TestFaults lets the n-th operation of the file system fail, once, wherever it
// comes in the life of a database.
func TestFaults(t *testing.T) {
	t.Parallel()
	ref := newFaultReference(t)
	sampled(t, ref.ops, 50, func(n int64, loss *rand.Rand) {
		var count atomic.Int64
		disk := vfs.NewCrashableMem()
		d := &faultDB{
			t: t, ref: ref, disk: disk, loss: loss, heal: func() {}, cause: errorfs.ErrInjected,
			what: fmt.Sprintf("operation %d", n), path: "db",
		}
		d.faulty = errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if count.Add(1)-1 == n {
				return errorfs.ErrInjected
			}
			return nil
		}))
		d.live()
	})
}

// TestDiskFull lets the disk be full from the n-th write on, in the midst of
// which it fills up, until something has failed some times.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	ref := newFaultReference(t)
	sampled(t, ref.writes, 35, func(n int64, loss *rand.Rand) {
		mem := vfs.NewCrashableMem()
		disk := &fullDisk{FS: mem}
		disk.room.Store(n)
		failures := 1 + loss.IntN(3)
		(&faultDB{
			t: t, ref: ref, disk: mem, faulty: disk, loss: loss, cause: syscall.ENOSPC,
			what: fmt.Sprintf("full at write %d", n), path: "db",
			heal: func() {
				if failures--; failures <= 0 {
					disk.room.Store(1 << 40)
				}
			},
		}).live()
	})
}

// sampled calls fn with n numbers spread over those below end, or under -long
// with all.
func sampled(t *testing.T, end int64, n int, fn func(n int64, loss *rand.Rand)) {
	rnd := rand.New(rand.NewPCG(1, uint64(end)))
	if *long {
		n = int(end)
	} else if testing.Short() {
		n /= 5
	}
	for i := range int64(n) {
		lo, hi := end*i/int64(n), end*(i+1)/int64(n)
		if at := lo + rnd.Int64N(max(1, hi-lo)); !t.Failed() {
			fn(at, rand.New(rand.NewPCG(uint64(at), 7)))
		}
	}
	t.Logf("%d of %d", n, end)
}

// newFaultReference lives the life without a fault.
func newFaultReference(t *testing.T) *faultReference {
	ref := &faultReference{steps: faultSteps(), states: map[uint64]string{}}
	mem := vfs.NewCrashableMem()
	full := &fullDisk{FS: mem}
	full.room.Store(1 << 40)
	var count atomic.Int64
	d := &faultDB{t: t, what: "no fault", path: "db", disk: mem}
	d.faulty = errorfs.Wrap(full, errorfs.InjectorFunc(func(errorfs.Op) error {
		count.Add(1)
		return nil
	}))
	if err := d.open(); err != nil {
		t.Fatal(err)
	}
	ref.states[d.db.Epoch()] = d.state(d.db)
	for _, step := range ref.steps {
		before := d.db.Epoch()
		if err := step.do(d); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if moved := d.db.Epoch() - before; moved > 1 {
			t.Fatalf("%s: %d commits", step.name, moved)
		}
		ref.ends = append(ref.ends, d.db.Epoch())
		ref.states[d.db.Epoch()] = d.state(d.db)
	}
	if err := d.db.Close(); err != nil {
		t.Fatal(err)
	}
	ref.ops, ref.writes = count.Load(), 1<<40-full.room.Load()
	if last := ref.ends[len(ref.ends)-1]; len(ref.states) != int(last) {
		t.Fatalf("%d states of %d commits", len(ref.states), last)
	}
	return ref
}

// live does all steps, and compares the database whenever it has been opened.
func (d *faultDB) live() {
	for at := 0; at < len(d.ref.steps) || d.db != nil; {
		if d.t.Failed() {
			return
		}
		if d.db == nil {
			if err := d.open(); err != nil {
				d.excuse("open", err)
				continue
			}
			epoch := d.compare("reopened", d.db, d.synced)
			d.acked, d.synced = epoch, epoch
			at = slices.IndexFunc(d.ref.ends, func(end uint64) bool { return end > epoch })
			if at < 0 {
				at = len(d.ref.steps)
			}
		}
		if at == len(d.ref.steps) {
			d.close(false)
			continue
		}
		step := d.ref.steps[at]
		switch err := step.do(d); {
		case err == nil:
			d.acked = d.ref.ends[at]
			if step.durable {
				d.synced = d.acked
			}
			if epoch := d.db.Epoch(); epoch != d.acked {
				d.t.Errorf("%s, %s: epoch %d, want %d", d.what, step.name, epoch, d.acked)
			}
			at++
		case d.store.(kv.Maintainer).Metrics().BackgroundError != nil:
			d.excuse(step.name, err)
			d.close(true)
		default:
			// The call alone has failed, and left nothing.
			d.excuse(step.name, err)
			if epoch := d.db.Epoch(); epoch != d.acked {
				d.t.Errorf("%s, %s: epoch %d after an error, want %d: %v", d.what, step.name, epoch, d.acked, err)
			}
		}
	}
	d.faulty = d.disk
	if err := d.open(); err != nil {
		d.t.Fatalf("%s: open at the end: %v", d.what, err)
	}
	d.compare("the end", d.db, d.ref.ends[len(d.ref.ends)-1])
	if err := d.db.Close(); err != nil {
		d.t.Errorf("%s: close at the end: %v", d.what, err)
	}
}

// excuse fails the test unless an error is the fault's.
func (d *faultDB) excuse(what string, err error) {
	d.t.Helper()
	if !errors.Is(err, d.cause) {
		d.t.Errorf("%s, %s: %v", d.what, what, err)
	}
	if d.errors++; d.errors > 20 {
		d.t.Fatalf("%s, %s: no end of errors: %v", d.what, what, err)
	}
	d.heal()
}

// open opens the database on what is on the disk.
func (d *faultDB) open() (err error) {
	var store kv.Store
	d.db, err = engine.Open(background, d.path, &engine.Options{
		MemoryBudget: 16 << 20, MaxTxBytes: 192 << 10, PromoteAt: 8, BlockEdges: 2, NoBackground: true,
		OpenStore: func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
			store, err = pebblekv.Open(ctx, path, s, &pebblekv.Options{FS: d.faulty, MemtableBytes: 64 << 10, CacheBytes: 1 << 20})
			return store, err
		},
	})
	d.store = store
	if err != nil {
		d.db = nil
	}
	return err
}

// close closes the database, and opens what a crash would leave of it.
func (d *faultDB) close(frozen bool) {
	err := d.db.Close()
	d.db = nil
	switch {
	case err != nil && errors.Is(err, engine.ErrReadOnly):
		d.excuse("close", err)
	case err != nil || frozen:
		d.t.Errorf("%s: close: %v", d.what, err)
	default:
		d.synced = d.acked
	}
	clone := *d
	clone.faulty = d.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: max(0, d.loss.IntN(140)-40), RNG: d.loss})
	if err := clone.open(); err != nil {
		d.t.Errorf("%s: open after a crash: %v", d.what, err)
		return
	}
	clone.compare("after a crash", clone.db, d.synced)
	if err := clone.db.Close(); err != nil {
		d.t.Errorf("%s: close after a crash: %v", d.what, err)
	}
}

// compare checks that a database is in the state after a commit, which is none
// before first and at most the one in doubt after the last that was done.
func (d *faultDB) compare(when string, db *engine.DB, first uint64) (epoch uint64) {
	d.t.Helper()
	epoch = db.Epoch()
	want, ok := d.ref.states[epoch]
	switch {
	case !ok || epoch < first || epoch > d.acked+1:
		d.t.Errorf("%s, %s: epoch %d, want %d to %d", d.what, when, epoch, first, d.acked+1)
	case d.state(db) != want:
		d.t.Errorf("%s, %s: another state than that of commit %d", d.what, when, epoch)
	}
	for _, f := range check(d.t, db, engine.CheckOptions{Full: true}) {
		d.t.Errorf("%s, %s: check finds %v", d.what, when, f)
	}
	return epoch
}

// state returns what a database holds.
func (d *faultDB) state(db *engine.DB) string {
	content, err := exportAll(db)
	if err != nil {
		d.t.Errorf("%s: export: %v", d.what, err)
	}
	return content
}

// checkpoint makes a checkpoint and compares it.
func (d *faultDB) checkpoint() error {
	d.copies++
	dir := fmt.Sprint("copy", d.copies)
	if err := d.store.(kv.Checkpointer).Checkpoint(background, dir); err != nil || d.ref == nil {
		return err
	}
	db, err := engine.Open(background, dir, &engine.Options{
		ReadOnly: true,
		OpenStore: func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
			return pebblekv.Open(ctx, path, s, &pebblekv.Options{FS: d.disk, ReadOnly: true})
		},
	})
	if err != nil {
		d.t.Errorf("%s: open the checkpoint: %v", d.what, err)
		return nil
	}
	d.compare("the checkpoint", db, d.acked)
	if err := db.Close(); err != nil {
		d.t.Errorf("%s: close the checkpoint: %v", d.what, err)
	}
	return nil
}

// fullDisk is a file system with room for so many writes.
type fullDisk struct {
	vfs.FS
	room atomic.Int64
}

// take takes the room of a write, or tells that there is none.
func (f *fullDisk) take() error {
	if f.room.Add(-1) < 0 {
		return syscall.ENOSPC
	}
	return nil
}

func (f *fullDisk) file(file vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &fullFile{file, f}, nil
}

// Create implements [vfs.FS].
func (f *fullDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.take(); err != nil {
		return nil, err
	}
	return f.file(f.FS.Create(name, c))
}

// OpenReadWrite implements [vfs.FS].
func (f *fullDisk) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	if err := f.take(); err != nil {
		return nil, err
	}
	return f.file(f.FS.OpenReadWrite(name, c, o...))
}

// ReuseForWrite implements [vfs.FS].
func (f *fullDisk) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.file(f.FS.ReuseForWrite(from, to, c))
}

// Link implements [vfs.FS].
func (f *fullDisk) Link(from, to string) error {
	if err := f.take(); err != nil {
		return err
	}
	return f.FS.Link(from, to)
}

// fullFile is a file on a full disk.
type fullFile struct {
	vfs.File
	disk *fullDisk
}

// Write writes half of what has no room.
func (f *fullFile) Write(p []byte) (int, error) {
	if err := f.disk.take(); err != nil {
		n, werr := f.File.Write(p[:len(p)/2])
		return n, errors.Join(err, werr)
	}
	return f.File.Write(p)
}

// Preallocate implements [vfs.File].
func (f *fullFile) Preallocate(offset, length int64) error {
	if err := f.disk.take(); err != nil {
		return err
	}
	return f.File.Preallocate(offset, length)
}
