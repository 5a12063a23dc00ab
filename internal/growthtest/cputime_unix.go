//go:build unix

package growthtest

import (
	"syscall"
	"time"
)

// CPUTime returns the processor time that the process has used: what a shared
// machine can be compared by. It is 0 where it is not known.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
