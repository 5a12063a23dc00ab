package bridge_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// BenchmarkRetrieve asks of 10,000 chunks of generated text in a database on
// disk, with the local model and the default budget: the whole retrieval, by
// bridge and by what it starts from.
func BenchmarkRetrieve(b *testing.B) {
	db, err := engine.Open(b.Context(), b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	c := &ragtest.Corpus{Corpus: ragtest.OpenIn(b, db), Methods: systems()}
	docs, questions := hops(1, 3334)
	c.Index(b, "bridge", docs...)
	m, err := c.Corpus.OpenLocal(b.Context(), false, rag.Parts{})
	if err != nil {
		b.Fatal(err)
	}
	for _, spec := range []string{"bridge", "naive"} {
		b.Run(spec, func(b *testing.B) {
			sys := c.System(b, spec)
			var all []time.Duration
			ops := map[string]time.Duration{}
			for i := 0; b.Loop(); i++ {
				ev, err := c.Retrieve(b.Context(), sys, m, method.Question{Text: questions[i%len(questions)].question})
				if err != nil {
					b.Fatal(err)
				}
				all = append(all, ev.Time)
				for n, op := range ev.Trace.Ops {
					self := op.Time
					for _, in := range ev.Trace.Ops[n+1:] {
						if in.Depth <= op.Depth {
							break
						}
						if in.Depth == op.Depth+1 {
							self -= in.Time
						}
					}
					ops[op.Op] += self
				}
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
			for op, d := range ops {
				b.ReportMetric(float64(d.Microseconds())/1000/float64(len(all)), op+"-ms")
			}
		})
	}
}
