//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that the process has used; ok is false
// if the system does not tell.
func cpuTime() (used time.Duration, ok bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
