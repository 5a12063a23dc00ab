package distance_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
)

// benchEach runs a benchmark for each supported tier and usual dimension. The
// function returned by prepare treats some vectors a call.
func benchEach(b *testing.B, prepare func(k *distance.Kernels, dim int) (vectors int, run func())) {
	for tier := distance.Portable; tier <= distance.AVX512; tier++ {
		k, err := distance.For(tier)
		if err != nil {
			continue
		}
		for _, dim := range []int{128, 768, 1536} {
			b.Run(fmt.Sprintf("%s/%d", tier, dim), func(b *testing.B) {
				vectors, run := prepare(k, dim)
				b.ReportAllocs()
				for b.Loop() {
					run()
				}
				ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(ns/float64(vectors), "ns/vector")
			})
		}
	}
}

func benchVectors(dim int) (x, y []float32) {
	rng := rand.New(rand.NewPCG(10, 10))
	return randomVector(rng, dim), randomVector(rng, dim)
}

func benchCodes(dim int) (x, y []int8) {
	rng := rand.New(rand.NewPCG(11, 11))
	return randomCodes(rng, dim), randomCodes(rng, dim)
}

func BenchmarkDot(b *testing.B) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		x, y := benchVectors(dim)
		return 1, func() { k.Dot(x, y) }
	})
}

func BenchmarkL2Sq(b *testing.B) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		x, y := benchVectors(dim)
		return 1, func() { k.L2Sq(x, y) }
	})
}

// BenchmarkDotBlock has a block that stays in the first-level cache.
func BenchmarkDotBlock(b *testing.B) { benchBlock(b, 6<<10) }

// BenchmarkDotBlockL2 has a block that stays in the second-level cache.
func BenchmarkDotBlockL2(b *testing.B) { benchBlock(b, 128<<10) }

// BenchmarkDotBlockL3 has a block that stays in the third-level cache.
func BenchmarkDotBlockL3(b *testing.B) { benchBlock(b, 2<<20) }

// BenchmarkDotBlockMemory has a block of 256 MiB.
func BenchmarkDotBlockMemory(b *testing.B) { benchBlock(b, 64<<20) }

func benchBlock(b *testing.B, elements int) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		rows := elements / dim
		q, _ := benchVectors(dim)
		block, out := make([]float32, rows*dim), make([]float32, rows)
		for i := range block {
			block[i] = float32(i % 17)
		}
		return rows, func() { k.DotBlock(q, block, out) }
	})
}

// BenchmarkL2SqBlock has a block that stays in the first-level cache.
func BenchmarkL2SqBlock(b *testing.B) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		rows := 6 << 10 / dim
		q, _ := benchVectors(dim)
		block, _ := benchVectors(rows * dim)
		out := make([]float32, rows)
		return rows, func() { k.L2SqBlock(q, block, out) }
	})
}

func BenchmarkDotI8(b *testing.B) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		x, y := benchCodes(dim)
		return 1, func() { k.DotI8(x, y) }
	})
}

// BenchmarkDotI8RowsHot has 8 rows that stay in the first-level cache.
func BenchmarkDotI8RowsHot(b *testing.B) { benchRows(b, 8, 8) }

// BenchmarkDotI8Rows has 32 of 100,000 rows a call, in random order.
func BenchmarkDotI8Rows(b *testing.B) { benchRows(b, 100_000, 32) }

// benchRows has rows with a head of 8 bytes each, of which a call takes some
// that no other call takes until all are through.
func benchRows(b *testing.B, rows, call int) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		rng := rand.New(rand.NewPCG(12, 12))
		q, arena := randomCodes(rng, dim), make([]int8, rows*(dim+8))
		for i := range arena {
			arena[i] = int8(i * 7)
		}
		order := make([]*int8, rows)
		for i, r := range rng.Perm(rows) {
			order[i] = &arena[r*(dim+8)+8]
		}
		out, at := make([]int32, call), 0
		return call, func() {
			k.DotI8Rows(q, order[at:at+call], out)
			if at += call; at+call > rows {
				at = 0
			}
		}
	})
}

func BenchmarkMaxAbs(b *testing.B) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		x, _ := benchVectors(dim)
		return 1, func() { k.MaxAbs(x) }
	})
}

func BenchmarkQuantize(b *testing.B) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		x, _ := benchVectors(dim)
		dst := make([]int8, dim)
		return 1, func() { k.Quantize(dst, x, 4) }
	})
}

func BenchmarkQuantizeResidual(b *testing.B) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		x, _ := benchVectors(dim)
		codes, dst := make([]int8, dim), make([]int8, dim)
		k.Quantize(codes, x, 4)
		return 1, func() { k.QuantizeResidual(dst, x, codes, 1000, 250) }
	})
}

func BenchmarkEncodeF16(b *testing.B) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		x, _ := benchVectors(dim)
		dst := make([]uint16, dim)
		return 1, func() { k.EncodeF16(dst, x) }
	})
}

func BenchmarkDecodeF16(b *testing.B) {
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		x, _ := benchVectors(dim)
		src := make([]uint16, dim)
		k.EncodeF16(src, x)
		return 1, func() { k.DecodeF16(x, src) }
	})
}
