//go:build unix

package rag_test

import (
	"os"
	"runtime"
	"syscall"
)

// mostMemory returns the most memory in bytes that a process had at a time, 0
// where that is not known.
func mostMemory(p *os.ProcessState) int64 {
	ru, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(ru.Maxrss) // in bytes there
	}
	return int64(ru.Maxrss) << 10
}
