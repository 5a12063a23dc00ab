package extractive_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/llm/local/internal/extractive"
)

// cpu returns the processor time of the thread.
func cpu(t *testing.T) time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestHostileIsLinear: four times the text takes less than ten times the
// processor time, where a second loop over it would take sixteen.
func TestHostileIsLinear(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const n = 24 << 10
	for name, texts := range hostile {
		for _, question := range []string{"Who made the pump of model B?", "水泵的价格是多少？"} {
			took := func(passages []selection.Passage) time.Duration {
				best := time.Hour
				for range 3 {
					start := cpu(t)
					if _, err := extractive.Select(t.Context(), selection.Input{Question: question, Passages: passages}); err != nil {
						t.Fatal(err)
					}
					best = min(best, cpu(t)-start)
				}
				return best
			}
			small, large := took(texts(n)), took(texts(4*n))
			for try := 0; try < 10 && large > 10*small+30*time.Millisecond; try++ { // the machine may be busy
				small, large = min(small, took(texts(n))), min(large, took(texts(4*n)))
			}
			if large > 10*small+30*time.Millisecond {
				t.Errorf("%s, %q: %v, and %v for four times the text", name, question, small, large)
			}
		}
	}
}
