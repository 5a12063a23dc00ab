//go:build !linux

package main

import "time"

// threadTime returns false: the processor time of a thread is not known here.
func threadTime() (used time.Duration, ok bool) { return 0, false }
