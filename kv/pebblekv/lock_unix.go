//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package pebblekv

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// lockShared takes a lock that holds off a writer and no reader, on a LOCK file
// that may only be read.
func lockShared(fsys vfs.FS, name string) (io.Closer, error) {
	if vfs.Root(fsys) != vfs.Default {
		return noLock{}, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return noLock{}, nil
	}
	if err != nil {
		return nil, err
	}
	lk := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lk); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// heldElsewhere reports whether a lock failed because another process has it.
func heldElsewhere(err error) bool {
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES)
}

// lockHolder returns the process that holds the lock on a LOCK file, or 0. It
// must not be called by the process that holds it, which would lose it.
func lockHolder(file string) int {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	lk := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lk)
	if err != nil || lk.Type == syscall.F_UNLCK || lk.Pid < 0 {
		return 0
	}
	return int(lk.Pid)
}
