//go:build unix

package tokenizer_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/tokenizer"
)

// BenchmarkEncode reports tokens a second of CPU time over the texts of the
// reference's files. Compare with bench/models/tokens.py speed.
func BenchmarkEncode(b *testing.B) {
	for _, dir := range models(b) {
		tok, err := tokenizer.Load(os.DirFS(dir))
		if err != nil {
			b.Fatal(err)
		}
		var every, english []string
		readReference(b, dir, func(row referenceRow) {
			if row.Plain == nil {
				return
			}
			text := row.text()
			every = append(every, text)
			if len(text) > 100 && ascii(text) {
				english = append(english, text)
			}
		})
		for name, texts := range map[string][]string{"all": every, "English": english} {
			b.Run(filepath.Base(dir)+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				tokens, start := 0, cpu()
				for b.Loop() {
					for _, text := range texts {
						tokens += len(tok.Encode(text, 0))
					}
				}
				b.ReportMetric(float64(tokens)/(cpu()-start).Seconds(), "tokens/s")
			})
		}
	}
}

// BenchmarkLoad reports what reading a tokenizer costs.
func BenchmarkLoad(b *testing.B) {
	for _, dir := range models(b) {
		b.Run(filepath.Base(dir), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tokenizer.Load(os.DirFS(dir)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
