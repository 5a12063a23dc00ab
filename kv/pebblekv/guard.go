package pebblekv

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
)

// guard is the file system Pebble works on. It stands between Pebble and a
// failing disk, because Pebble ends the process, or panics while it holds its
// locks, when it cannot write its log or manifest, and retries without end
// when it cannot write a table.
//
// The first failed write freezes the directory: no later write reaches it, so
// it stays a state that a crash could have left. Pebble goes on without it: new files are made in memory and read back from
// there, so that a flush on which a stalled write waits succeeds; writes to
// the log, the manifest and directories are dropped and reported as done;
// writes to a table already begun fail, since it would be read back. New
// tables of compactions wait until the store closes, so that memory does not
// take the whole store, unless a call in flight may be waiting for one.
type guard struct {
	vfs.FS // the real one; reads and unguarded calls
	dir    string
	log    logger

	witness  witness
	readOnly bool // the store is opened for reading

	ram     *vfs.MemFS    // files made since the failure, by base name
	writers atomic.Int64  // calls in flight that may wait for Pebble's work
	closing chan struct{} // closed when the store begins to close
	failed  chan struct{} // closed at the failure
	frozen  atomic.Bool
	refused atomic.Bool // the file system failed, not Pebble's own work

	newestLog atomic.Uint64 // the number of the log made last

	// replayed is the name of the log opened last: Pebble's error of a
	// damaged log does not name it.
	replayed atomic.Value

	mu     sync.Mutex
	cause  error    // of the failure; guarded by mu
	listed []string // the last listing of dir; guarded by mu
}

func newGuard(fs vfs.FS, dir string, log *slog.Logger) *guard {
	g := &guard{
		FS:      fs,
		dir:     dir,
		ram:     vfs.NewMem(),
		closing: make(chan struct{}),
		failed:  make(chan struct{}),
	}
	g.log = logger{log: log, fatal: g.fail}
	g.witness.fs, g.witness.dir = fs, dir
	return g
}

// fail freezes the directory; only the first cause counts.
func (g *guard) fail(cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cause != nil {
		return
	}
	g.cause = cause
	g.frozen.Store(true)
	close(g.failed)
}

// refuse freezes the directory after a failed operation of the file system.
func (g *guard) refuse(cause error) {
	g.refused.Store(true)
	g.fail(cause)
}

// failure returns nil or the error of all writes since the failure.
func (g *guard) failure() error {
	if !g.frozen.Load() {
		return nil
	}
	return fmt.Errorf("%w: an earlier write failed: %w", kv.ErrReadOnly, g.reason())
}

// reason returns the cause of the failure.
func (g *guard) reason() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return translate(g.cause)
}

// began counts a call that may wait for a flush or compaction. It returns the
// failure, if any; else done must be called at its end.
func (g *guard) began() (done func(), err error) {
	g.writers.Add(1)
	if err := g.failure(); err != nil {
		g.writers.Add(-1)
		return nil, err
	}
	return func() { g.writers.Add(-1) }, nil
}

// ours reports whether name is a file of the directory.
func (g *guard) ours(name string) bool { return g.PathDir(name) == g.dir }

func (g *guard) isTable(name string) bool { return strings.HasSuffix(name, ".sst") }

// inRAM returns the memory file system's name of a file made since the
// failure.
func (g *guard) inRAM(name string) (string, bool) {
	if !g.frozen.Load() || !g.ours(name) {
		return "", false
	}
	base := g.PathBase(name)
	_, err := g.ram.Stat(base)
	return base, err == nil
}

// Create implements vfs.FS.
func (g *guard) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if !g.ours(name) {
		return g.FS.Create(name, category)
	}
	if g.frozen.Load() {
		return g.createInRAM(name, category)
	}
	if strings.HasPrefix(g.PathBase(name), "marker.") {
		return g.createMarker(name, category)
	}
	f, err := g.FS.Create(name, category)
	return g.opened(name, f, err)
}

// createMarker makes a file whose name is a fact, such as which manifest is
// current. Pebble makes that with the manifest's own entry in the directory not
// synced yet, and removes the marker before as soon as this one is made. If
// the file system may reorder such entries, a crash would leave a marker without
// its manifest, or none; so the directory is synced before and after. The witness
// knows a manifest before the marker names it.
func (g *guard) createMarker(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasPrefix(g.PathBase(name), "marker.manifest.") {
		err := g.syncDir()
		if err == nil {
			err = g.witness.sync()
		}
		if err != nil {
			return g.opened(name, nil, err)
		}
	}
	f, err := g.FS.Create(name, category)
	if err == nil {
		if err = g.syncDir(); err != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return g.opened(name, f, err)
}

func (g *guard) syncDir() error {
	d, err := g.FS.OpenDir(g.dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// opened guards a file opened for writing, or puts one in memory in its place
// where opening failed and Pebble must not know.
func (g *guard) opened(name string, f vfs.File, err error) (vfs.File, error) {
	if err == nil {
		out := &guardedFile{File: f, g: g, table: g.isTable(name)}
		out.fact, out.witnessed = factOf(g.PathBase(name))
		if out.fact.kind == logFile {
			g.newestLog.Store(out.fact.number)
		}
		return out, nil
	}
	g.refuse(err)
	if g.isTable(name) {
		return nil, err
	}
	return g.ram.Create(g.PathBase(name), vfs.WriteCategoryUnspecified)
}

func (g *guard) createInRAM(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if category == "pebble-compaction" && g.writers.Load() == 0 {
		<-g.closing
		return nil, g.failure()
	}
	return g.ram.Create(g.PathBase(name), category)
}

// OpenReadWrite implements vfs.FS.
func (g *guard) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if !g.ours(name) {
		return g.FS.OpenReadWrite(name, category, opts...)
	}
	if g.frozen.Load() {
		return g.ram.OpenReadWrite(g.PathBase(name), category, opts...)
	}
	f, err := g.FS.OpenReadWrite(name, category, opts...)
	return g.opened(name, f, err)
}

// ReuseForWrite implements vfs.FS.
func (g *guard) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if g.frozen.Load() {
		return g.ram.Create(g.PathBase(newname), category)
	}
	if fact, ok := factOf(g.PathBase(oldname)); ok {
		if err := g.witness.retire(fact); err != nil {
			return g.opened(newname, nil, err)
		}
	}
	f, err := g.FS.ReuseForWrite(oldname, newname, category)
	return g.opened(newname, f, err)
}

// Link implements vfs.FS. Pebble copies if it cannot link.
func (g *guard) Link(oldname, newname string) error {
	if err := g.failure(); err != nil {
		return err
	}
	return g.FS.Link(oldname, newname)
}

// Rename implements vfs.FS.
func (g *guard) Rename(oldname, newname string) error {
	if !g.ours(newname) {
		return g.FS.Rename(oldname, newname)
	}
	if !g.frozen.Load() {
		err := g.FS.Rename(oldname, newname)
		if err == nil {
			err = g.witnessOptions(newname)
		}
		if err != nil {
			g.refuse(err)
		}
	}
	return nil
}

// witnessOptions notes the content of an OPTIONS file, which Pebble writes and
// syncs under another name.
func (g *guard) witnessOptions(name string) error {
	fact, ok := factOf(g.PathBase(name))
	if !ok || fact.kind != optionsFile {
		return nil
	}
	if err := fact.read(g.FS, name); err != nil {
		return err
	}
	g.witness.keep(fact)
	return nil
}

// Remove implements vfs.FS. A file that is not removed does no harm: the next
// open removes it.
func (g *guard) Remove(name string) error {
	if base, ok := g.inRAM(name); ok {
		return g.ram.Remove(base)
	}
	if !g.ours(name) {
		return g.FS.Remove(name)
	}
	if g.frozen.Load() {
		return nil
	}
	if fact, ok := factOf(g.PathBase(name)); ok {
		if err := g.witness.retire(fact); err != nil {
			g.refuse(err)
			return nil
		}
	}
	return g.FS.Remove(name)
}

// Open implements vfs.FS.
func (g *guard) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if base, ok := g.inRAM(name); ok {
		return g.ram.Open(base, opts...)
	}
	if strings.HasSuffix(name, ".log") {
		g.replayed.Store(g.PathBase(name))
	}
	return g.FS.Open(name, opts...)
}

// OpenDir implements vfs.FS.
func (g *guard) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil || name != g.dir {
		return f, err
	}
	return &guardedFile{File: f, g: g}, nil
}

// Stat implements vfs.FS.
func (g *guard) Stat(name string) (vfs.FileInfo, error) {
	if base, ok := g.inRAM(name); ok {
		return g.ram.Stat(base)
	}
	return g.FS.Stat(name)
}

// List implements vfs.FS. Pebble lists the directory three times when it
// opens and leaves a goroutine behind if the last fails, so a listing after
// the first counts as a write: if it fails the one before stands in.
func (g *guard) List(dir string) ([]string, error) {
	if dir != g.dir {
		return g.FS.List(dir)
	}
	names, err := g.FS.List(dir)
	g.mu.Lock()
	before := g.listed
	if err == nil {
		g.listed = slices.Clone(names)
	}
	g.mu.Unlock()
	switch {
	case err == nil:
	case before == nil:
		return nil, err
	default:
		g.refuse(err)
		names = slices.Clone(before)
	}
	if !g.frozen.Load() {
		return names, nil
	}
	made, err := g.ram.List("")
	for _, name := range made {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// Lock implements vfs.FS.
func (g *guard) Lock(name string) (io.Closer, error) {
	c, err := g.FS.Lock(name)
	if g.readOnly && mayNotWrite(err) {
		c, err = lockShared(g.FS, name)
	}
	if err != nil {
		return nil, &lockError{err}
	}
	return c, nil
}

// RemoveAll implements vfs.FS.
func (g *guard) RemoveAll(name string) error { return g.FS.RemoveAll(name) }

// MkdirAll implements vfs.FS.
func (g *guard) MkdirAll(dir string, perm os.FileMode) error { return g.FS.MkdirAll(dir, perm) }

// Unwrap implements vfs.FS.
func (g *guard) Unwrap() vfs.FS { return g.FS }
