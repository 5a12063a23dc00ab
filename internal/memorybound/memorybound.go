// Package memorybound runs the tests of a package under a bound on the memory
// of their process. A test that allocates without end then fails with the
// places that hold the memory; without the bound it takes down the machine and
// leaves no trace.
package memorybound

import (
	"fmt"
	"io"
	"os"
	"runtime/metrics"
	"runtime/pprof"
	"testing"
	"time"
)

// Tests is a bound for the tests of the storage packages: several times what
// they need, and a fraction of what a machine has.
const Tests = 4 << 30

// every is the time between two looks. A process that writes as fast as it can
// grows by about 200 MB in it.
const every = 100 * time.Millisecond

// Run runs the tests and ends the process with their result. If the process
// takes more than limit bytes, Run writes the heap profile and all goroutines
// to standard error and ends the process with code 2.
func Run(m *testing.M, limit int64) {
	go func() {
		for range time.Tick(every) {
			if n := inUse(); n > limit {
				report(os.Stderr, n, limit)
				os.Exit(2)
			}
		}
	}()
	os.Exit(m.Run())
}

// inUse returns the bytes that the process takes: what the Go runtime counts,
// or the resident memory, if the system tells it and it is more. The runtime
// does not count mapped memory, such as that of vector graphs.
func inUse() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	n := int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return n
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(b), &size, &resident); err != nil {
		return n
	}
	return max(n, resident*int64(os.Getpagesize()))
}

// report writes what holds the memory and what all goroutines do.
func report(w io.Writer, n, limit int64) {
	fmt.Fprintf(w, "memorybound: the tests take %d MB of memory, more than %d MB\n", n>>20, limit>>20)
	_ = pprof.Lookup("heap").WriteTo(w, 1)
	_ = pprof.Lookup("goroutine").WriteTo(w, 2)
}
