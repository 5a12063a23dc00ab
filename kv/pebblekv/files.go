package pebblekv

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// ownerOnly is the operating system's file system, on which a new database is its
// owner's alone: its directory has the mode 0700. A file has the mode of its
// directory without the right to execute: 0600, or more if the user has opened
// the directory to others, who then can read what is written later too.
type ownerOnly struct {
	vfs.FS
}

// Create implements vfs.FS.
func (o ownerOnly) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode(name))
		if errors.Is(err, fs.ErrExist) {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		return o.FS.OpenReadWrite(name, c)
	}
}

// OpenReadWrite implements vfs.FS.
func (o ownerOnly) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := touch(name); err != nil {
		return nil, err
	}
	return o.FS.OpenReadWrite(name, c, opts...)
}

// MkdirAll implements vfs.FS. Directories above the last are made as any others.
func (o ownerOnly) MkdirAll(dir string, perm os.FileMode) error {
	if err := o.FS.MkdirAll(filepath.Dir(dir), perm); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return o.FS.MkdirAll(dir, perm) // nil for a directory
	}
	return err
}

// Lock implements vfs.FS.
func (o ownerOnly) Lock(name string) (io.Closer, error) {
	if err := touch(name); err != nil {
		return nil, err
	}
	return o.FS.Lock(name)
}

// Unwrap implements vfs.FS.
func (o ownerOnly) Unwrap() vfs.FS { return o.FS }

// touch makes a file that is not there.
func touch(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode(name))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// fileMode returns the mode of a new file of this name.
func fileMode(name string) os.FileMode {
	info, err := os.Stat(filepath.Dir(name))
	if err != nil {
		return 0o600
	}
	return info.Mode().Perm()&0o666 | 0o600
}
