package main

import (
	"slices"
	"time"
)

// stopwatch measures wall and processor time from start.
type stopwatch struct {
	wall time.Time
	cpu  time.Duration
}

func start() stopwatch {
	cpu, _ := cpuTime()
	return stopwatch{time.Now(), cpu}
}

// stop returns what went by. If the processor time is not known it is the
// wall time.
func (s stopwatch) stop() (wall, cpu time.Duration) {
	wall = time.Since(s.wall)
	now, ok := cpuTime()
	if !ok {
		return wall, wall
	}
	return wall, now - s.cpu
}

// latencies are durations of single operations.
type latencies []time.Duration

// at returns a quantile, in microseconds. It sorts l.
func (l latencies) at(q float64) float64 {
	if len(l) == 0 {
		return 0
	}
	slices.Sort(l)
	return float64(l[min(int(q*float64(len(l))), len(l)-1)].Nanoseconds()) / 1e3
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
