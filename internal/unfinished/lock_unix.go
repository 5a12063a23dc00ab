//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package unfinished

import (
	"errors"
	"os"
	"syscall"
)

// closeFirst says that a file must be closed before it is moved or removed.
const closeFirst = false

// lock takes the lock on a file, or returns ErrBusy.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrBusy
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, errors.ErrUnsupported):
			return nil // a file system without locks
		}
		return err
	}
}
