//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package pebblekv

import (
	"errors"
	"io"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// lockShared takes no lock: the system has none that readers share.
func lockShared(vfs.FS, string) (io.Closer, error) { return noLock{}, nil }

// sharingViolation is the Windows error of opening a file that another handle
// keeps for itself.
const sharingViolation = syscall.Errno(32)

// heldElsewhere reports whether a lock failed because another process has it.
func heldElsewhere(err error) bool {
	return errors.Is(err, sharingViolation) || errors.Is(err, syscall.EAGAIN)
}

// lockHolder returns 0: the system does not tell.
func lockHolder(string) int { return 0 }
