package main

import (
	"syscall"
	"time"
	"unsafe"
)

// clockThread is CLOCK_THREAD_CPUTIME_ID.
const clockThread = 3

// threadTime returns the processor time that the calling thread has used, in
// nanoseconds as the kernel counts them; ok is false if it is not told. The
// goroutine must be locked to its thread for a difference to mean anything.
func threadTime() (used time.Duration, ok bool) {
	var t syscall.Timespec
	_, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano()), e == 0
}
