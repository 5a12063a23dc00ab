//go:build !unix

package main

import (
	"io/fs"
	"time"
)

// cpuTime returns false: the processor time is not known here.
func cpuTime() (used time.Duration, ok bool) { return 0, false }

// diskBytes returns the length of a file.
func diskBytes(info fs.FileInfo) int64 { return info.Size() }
