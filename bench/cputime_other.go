//go:build !unix

package main

import "time"

// cpuTime returns false: the processor time is not known here.
func cpuTime() (used time.Duration, ok bool) { return 0, false }
