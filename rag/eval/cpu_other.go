//go:build !unix

package eval

import "time"

// cpuSeconds returns the time of day: the CPU time is not to be had here in a
// portable way, so index_cpu_s is an upper bound.
func cpuSeconds() float64 { return float64(time.Now().UnixNano()) / 1e9 }
