//go:build unix

package main

import (
	"io/fs"
	"syscall"
	"time"
)

// cpuTime returns the processor time that the process has used; ok is false
// where the system does not tell.
func cpuTime() (used time.Duration, ok bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}

// diskBytes returns what a file takes on the disk.
func diskBytes(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return min(int64(st.Blocks)*512, info.Size())
	}
	return info.Size()
}
