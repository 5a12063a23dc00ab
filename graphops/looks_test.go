package graphops_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/graphops"
)

// soon is how much processor time may pass from one look at the context to the
// next, so that an algorithm ends soon after its context.
const soon = 100 * time.Millisecond

// looked is a context that notes the longest processor time between two looks at
// it, and ends once so much was used. One goroutine has to work at a time.
type looked struct {
	context.Context
	mu          sync.Mutex
	end         time.Duration // processor time of the process
	last, worst time.Duration
}

func (l *looked) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note()
	if l.last > l.end {
		return context.Canceled
	}
	return nil
}

func (l *looked) note() {
	l.worst = max(l.worst, cpuTime()-l.last)
	l.last = cpuTime()
}

// TestLooks: an algorithm looks at its context every few milliseconds.
func TestLooks(t *testing.T) {
	if cpuTime() == 0 {
		t.Skip("the processor time is not known here")
	}
	m, _ := planted(3, 1200, 160, 100, 3, 1)
	for name, run := range map[string]func(ctx context.Context) error{
		"gmm": func(ctx context.Context) error {
			_, err := graphops.GMM(ctx, m, graphops.GMMOptions{K: 100, Workers: 1})
			return err
		},
		"gmm, search": func(ctx context.Context) error {
			_, err := graphops.GMM(ctx, m, graphops.GMMOptions{KMin: 20, Workers: 1})
			return err
		},
		"kmeans": func(ctx context.Context) error {
			_, err := graphops.KMeans(ctx, m, graphops.KMeansOptions{K: 600, Workers: 1})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			worst := time.Hour
			for try := 0; try < 10 && worst > soon; try++ { // the machine may be busy
				l := &looked{Context: t.Context(), end: cpuTime() + 600*time.Millisecond, last: cpuTime()}
				_ = run(l)
				l.note()
				worst = min(worst, l.worst)
			}
			if worst > soon {
				t.Errorf("%v of processor time passed without a look at the context", worst)
			}
			t.Logf("%v at most between two looks", worst)
		})
	}
}
