package eval

import (
	"slices"
	"time"

	"github.com/ragdb/ragdb/query"
)

// Latency is how long retrievals took, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	// Ops are the parts of it by operator, without their inputs, over the
	// questions that used each: the first use of a vector holds the time of the
	// question's embedding. RestOp is what belongs to no operator: making the plan,
	// and looking up what the evidence rests on.
	Ops map[string]opLatency `json:"ops,omitempty"`
}

// opLatency is the time of one operator in a retrieval, all its uses together.
type opLatency struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	// Questions counts the retrievals that used it.
	Questions int `json:"questions"`
}

// restOp is the name under which Latency.Ops has what belongs to no operator.
const restOp = "rest"

// ownTimes returns the milliseconds of each operator of a trace without its
// inputs, and what is left of the whole.
func ownTimes(t *query.Trace, whole time.Duration) map[string]float64 {
	out := map[string]float64{}
	rest := whole
	for i := range t.Ops {
		o := &t.Ops[i]
		own := o.Time
		// Those of the next depth that follow are what it ran; what ran before
		// is not run again.
		for j := i + 1; j < len(t.Ops) && t.Ops[j].Depth > o.Depth; j++ {
			if t.Ops[j].Depth == o.Depth+1 {
				own -= t.Ops[j].Time
			}
		}
		if o.Depth == 0 {
			rest -= o.Time
		}
		out[o.Op] += milliseconds(max(own, 0))
	}
	out[restOp] = milliseconds(max(rest, 0))
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// latency sums up the times of retrievals.
func latency(asked []*asked) Latency {
	var whole []float64
	ops := map[string][]float64{}
	for _, a := range asked {
		if a == nil {
			continue
		}
		whole = append(whole, a.ms)
		for op, ms := range a.ops {
			ops[op] = append(ops[op], ms)
		}
	}
	slices.Sort(whole)
	out := Latency{P50: percentile(whole, 0.5), P99: percentile(whole, 0.99)}
	for op, ms := range ops {
		slices.Sort(ms)
		if out.Ops == nil {
			out.Ops = map[string]opLatency{}
		}
		out.Ops[op] = opLatency{P50: percentile(ms, 0.5), P99: percentile(ms, 0.99), Questions: len(ms)}
	}
	return out
}
