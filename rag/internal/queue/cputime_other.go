//go:build !unix

package queue

import "time"

var began = time.Now()

// cpuTime returns the time since the start, where the system does not tell what the
// process has used.
func cpuTime() time.Duration { return time.Since(began) }
