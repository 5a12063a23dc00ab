//go:build unix

package encoder_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ragdb/ragdb/rag/llm/encoder"
)

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkReal reports what bench/models/reference.py prints for onnxruntime: the
// texts a CPU-second in batches of 32, and the CPU time of a query of 12 tokens,
// the best of 20 rounds, on one thread.
func BenchmarkReal(b *testing.B) {
	for _, dir := range realModels(b, "reference/vectors.f32") {
		texts, _ := reference(b, dir)
		for form, i8 := range map[string]bool{"f32": false, "int8": true} {
			m := openModel(b, dir, &encoder.Options{Int8: i8, Threads: 1})
			b.Run(filepath.Base(dir)+"/"+form+"/batch", func(b *testing.B) {
				embed(b, m, texts[:32], encoder.Passage)
				from := cpuTime(b)
				for range b.N {
					for i := 0; i < len(texts); i += 32 {
						embed(b, m, texts[i:min(i+32, len(texts))], encoder.Passage)
					}
				}
				b.ReportMetric(float64(b.N*len(texts))/(cpuTime(b)-from).Seconds(), "texts/CPU-s")
			})
			b.Run(filepath.Base(dir)+"/"+form+"/query", func(b *testing.B) {
				query := []string{strings.Repeat("the ", 10)} // a token each, and two special ones
				best := time.Hour
				for range b.N {
					for range 20 {
						from := cpuTime(b)
						for range 20 {
							embed(b, m, query, encoder.Query)
						}
						best = min(best, (cpuTime(b)-from)/20)
					}
				}
				b.ReportMetric(best.Seconds()*1000, "CPU-ms")
			})
		}
	}
}

// BenchmarkTag reports how many texts of about 100 tokens a CPU-second real models tag,
// on one thread.
func BenchmarkTag(b *testing.B) {
	for _, dir := range realModels(b, "tags/texts.json") {
		all := tagTexts(b, dir)
		for form, i8 := range map[string]bool{"f32": false, "int8": true} {
			b.Run(filepath.Base(dir)+"/"+form, func(b *testing.B) {
				m := openModel(b, dir, &encoder.Options{Int8: i8, Threads: 1})
				from := cpuTime(b)
				tokens := 0
				for range b.N {
					for _, t := range all {
						if _, err := m.Tag(b.Context(), t.Text); err != nil {
							b.Fatal(err)
						}
						tokens += len(t.IDs)
					}
				}
				took := (cpuTime(b) - from).Seconds()
				b.ReportMetric(float64(b.N*len(all))/took, "texts/CPU-s")
				b.ReportMetric(float64(tokens)/took, "tokens/CPU-s")
			})
		}
	}
}
