package eval

import (
	"fmt"
	"testing"
	"time"

	"github.com/ragdb/ragdb/query"
)

func op(name string, depth int, ms int) query.OpTrace {
	return query.OpTrace{Explanation: query.Explanation{Op: name}, Depth: depth, Time: time.Duration(ms) * time.Millisecond}
}

// TestOwnTimes takes the inputs out of each operator's time.
func TestOwnTimes(t *testing.T) {
	t.Parallel()
	trace := &query.Trace{Ops: []query.OpTrace{
		op("Sections", 0, 20),
		op("Pack", 1, 12),
		op("Union", 2, 10),
		op("VectorSearch", 3, 4),
		op("TextSearch", 3, 5),
		op("Pack", 1, 7), // its input ran before
	}}
	got := ownTimes(trace, 25*time.Millisecond)
	if want := "map[Pack:9 Sections:1 TextSearch:5 Union:1 VectorSearch:4 rest:5]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if got := ownTimes(&query.Trace{}, time.Millisecond); fmt.Sprint(got) != "map[rest:1]" {
		t.Errorf("without operators: %v", got)
	}
}

func TestLatency(t *testing.T) {
	t.Parallel()
	var all []*asked
	for i := range 100 {
		a := &asked{ms: float64(i + 1), ops: map[string]float64{"rest": 1}}
		if i%10 == 0 {
			a.ops["PPR"] = float64(i)
		}
		all = append(all, a, nil)
	}
	got := latency(all)
	if got.P50 != 50 || got.P99 != 99 || got.Ops["rest"] != (opLatency{1, 1, 100}) || got.Ops["PPR"] != (opLatency{40, 90, 10}) || len(got.Ops) != 2 {
		t.Errorf("%+v", got)
	}
}
