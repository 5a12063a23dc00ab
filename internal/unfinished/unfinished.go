// Package unfinished makes files and folders beside the place that they are for,
// and moves them there when they are whole.
//
// What is being made has the name .NAME.ragdb-part and is locked by the process
// that makes it. A process that is killed leaves it behind, unlocked: the next
// that makes the same takes it over or sweeps it. What another process holds is
// [ErrBusy], and what is not of this package's making is never touched.
//
// A [Scratch] is a temporary file, which is nobody's when the process ends.
package unfinished

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrBusy says that another process is making the same file or folder.
var ErrBusy = errors.New("another process is writing it")

// suffix ends the names of what is being made.
const suffix = ".ragdb-part"

// partOf returns the name under which what is for path is made.
func partOf(path string) string {
	path = filepath.Clean(path)
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+suffix)
}

// File is a file that is being made. It is written to like any file, and ends
// with Commit or Discard.
type File struct {
	*os.File
	path string
}

// Create begins the file that is to be at path, which may exist until Commit.
// It is empty and has the permissions perm.
func Create(path string, perm fs.FileMode) (*File, error) {
	f, err := Lock(partOf(path))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Truncate(0), f.Chmod(perm)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &File{f, filepath.Clean(path)}, nil
}

// Commit makes the file durable and puts it in its place.
func (f *File) Commit() error {
	if err := f.Sync(); err != nil {
		return errors.Join(err, f.Discard())
	}
	if err := Rename(f.File, f.path); err != nil {
		return errors.Join(err, os.Remove(partOf(f.path)))
	}
	return nil
}

// Rename moves a file that [Lock] opened, and closes it.
func Rename(f *os.File, to string) error {
	if closeFirst {
		return errors.Join(f.Close(), os.Rename(f.Name(), to))
	}
	return errors.Join(os.Rename(f.Name(), to), f.Close())
}

// Discard removes the file. Its place is as it was.
func (f *File) Discard() error { return remove(f.File, partOf(f.path)) }

// remove removes a file that is locked, and releases it.
func remove(f *os.File, name string) error {
	if closeFirst {
		return errors.Join(f.Close(), os.Remove(name))
	}
	return errors.Join(os.Remove(name), f.Close())
}

// Lock opens a file for writing, making it if it is missing, and locks it
// until it is closed: [ErrBusy] if another process has it. A lock ends with
// the process. On systems without such locks it has no effect.
func Lock(name string) (*os.File, error) {
	for {
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is in the way: %w", name, fs.ErrExist)
		}
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lock(f); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
		}
		// The one who had it may have moved or removed it meanwhile.
		have, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if now, err := os.Lstat(name); err == nil && os.SameFile(have, now) {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// Sweep removes what a killed process left of a file or folder that was to be at
// path. What a process is making stays, and so does what is not of this package's
// making.
func Sweep(path string) error {
	part := partOf(path)
	info, err := os.Lstat(part)
	if err != nil {
		return ignore(err, fs.ErrNotExist)
	}
	if info.IsDir() {
		f, err := claimFolder(path)
		if err != nil {
			return ignore(err, ErrBusy, fs.ErrExist)
		}
		return f.Discard()
	}
	f, err := Create(path, 0o600)
	if err != nil {
		return ignore(err, ErrBusy, fs.ErrExist)
	}
	return f.Discard()
}

func ignore(err error, those ...error) error {
	for _, e := range those {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}
