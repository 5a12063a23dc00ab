package pebblekv

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
)

// lockError marks an error of the LOCK file, so that Open can tell it from
// the others.
type lockError struct{ err error }

func (e *lockError) Error() string { return e.err.Error() }
func (e *lockError) Unwrap() error { return e.err }

// locked returns a *kv.LockedError if err says that another process holds
// the LOCK file of dir, and err otherwise.
func locked(fsys vfs.FS, path, dir string, err error) error {
	var le *lockError
	var pe *fs.PathError
	if !errors.As(err, &le) || errors.As(err, &pe) || !heldElsewhere(le.err) {
		return err
	}
	pid := 0
	if vfs.Root(fsys) == vfs.Default {
		pid = lockHolder(filepath.Join(dir, "LOCK"))
	}
	return &kv.LockedError{Path: path, PID: pid}
}

// mayNotWrite reports whether a file could not be made or opened for writing for
// want of permission, or because its file system is mounted for reading.
func mayNotWrite(err error) bool {
	var pe *fs.PathError
	return errors.As(err, &pe) && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS))
}

// noLock is the lock of a directory that has no LOCK file and may not get one.
type noLock struct{}

func (noLock) Close() error { return nil }

// openDirs are the directories of the operating system's file system that
// this process has open. The system's lock on the LOCK file does not hold off
// the process that has it, and is lost when that process closes any other
// handle of the file, so a second open in the process must be refused before
// the file is touched.
var openDirs registry

type registry struct {
	mu   sync.Mutex
	dirs []*openDir
}

// openDir is one directory, by its resolved path and, once it exists, by its
// identity, which a mount or another spelling of the name does not change.
type openDir struct {
	path string
	info os.FileInfo
}

// acquire enters path, or fails if it is entered already. It returns the
// resolved path.
func (r *registry) acquire(path string) (*openDir, error) {
	resolved, err := resolve(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(resolved)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.dirs {
		if d.path == resolved || d.info != nil && info != nil && os.SameFile(d.info, info) {
			return nil, &kv.LockedError{Path: path, PID: os.Getpid()}
		}
	}
	d := &openDir{resolved, info}
	r.dirs = append(r.dirs, d)
	return d, nil
}

// identify notes the identity of a directory that acquire did not find.
func (r *registry) identify(d *openDir) {
	info, err := os.Stat(d.path)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		d.info = info
	}
}

func (r *registry) release(d *openDir) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.dirs {
		if r.dirs[i] == d {
			r.dirs = append(r.dirs[:i], r.dirs[i+1:]...)
			return
		}
	}
}

// resolve returns the absolute path without symbolic links; of a path that
// does not exist, the part that does is resolved.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for dir := abs; ; {
		resolved, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(resolved, rest), nil
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return "", err
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
}
