package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/kernel"
)

// BenchmarkMul reports the products of both forms at the shapes of MiniLM's layers,
// in 10^9 multiplications and additions a second.
func BenchmarkMul(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := kernel.For(distance.Active())
	for _, shape := range []struct{ rows, in, out int }{{96, 384, 1152}, {96, 1536, 384}, {12, 384, 1536}} {
		a, w := random(rng, shape.rows*shape.in), random(rng, shape.in*shape.out)
		row := func(j int) []float32 { return w[j*shape.in:][:shape.in] }
		c := make([]float32, shape.rows*shape.out)
		report := func(b *testing.B) {
			b.ReportMetric(float64(b.N)*2*float64(shape.rows*shape.in*shape.out)/b.Elapsed().Seconds()/1e9, "Gop/s")
		}
		b.Run(fmt.Sprintf("f32/%dx%dx%d", shape.rows, shape.in, shape.out), func(b *testing.B) {
			m := kernel.Pack(shape.in, shape.out, row, nil)
			for b.Loop() {
				s.Mul(c, shape.out, a, shape.in, shape.rows, m)
			}
			report(b)
		})
		b.Run(fmt.Sprintf("i8/%dx%dx%d", shape.rows, shape.in, shape.out), func(b *testing.B) {
			m, q := kernel.PackI8(shape.in, shape.out, row, nil), kernel.NewCodes(shape.rows, shape.in)
			for b.Loop() {
				q.Set(s, a, shape.in, shape.rows, m)
				s.MulI8(c, shape.out, q, shape.rows, m)
			}
			report(b)
		})
	}
}

// BenchmarkRow reports the functions of one row.
func BenchmarkRow(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := kernel.For(distance.Active())
	x := random(rng, 1536)
	y, gamma, beta := random(rng, 384), random(rng, 384), random(rng, 384)
	for name, run := range map[string]func(){
		"gelu 1536":   func() { s.GELU(x) },
		"tanh 1536":   func() { s.GELUTanh(x) },
		"softmax 128": func() { s.Softmax(x[:128]) },
		"addnorm 384": func() { s.AddNorm(x[:384], y, gamma, beta, 1e-12) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
		})
	}
}
