package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/ragdb/ragdb/internal/distance"
)

func supported(t distance.Tier) bool { return distance.Supported(t) && cpu.X86.HasFMA }

// mulPanel multiplies rows of a, at least one, by a panel. The caller has checked
// the lengths. Calls are short enough for the runtime, which cannot stop a
// goroutine inside an assembler function.
func (s Set) mulPanel(c []float32, ldc int, a []float32, lda, rows int, b []float32, ldb, k int, bias []float32) {
	if s.tier == distance.Portable {
		mulPanelPortable(c, ldc, a, lda, rows, b, ldb, k, bias)
		return
	}
	args := panelArgs{
		a: unsafe.Pointer(&a[0]), b: unsafe.Pointer(&b[0]), c: unsafe.Pointer(&c[0]), bias: unsafe.Pointer(&bias[0]),
		lda: uintptr(lda) * 4, ldb: uintptr(ldb) * 4, ldc: uintptr(ldc) * 4, k: k, rows: rows,
	}
	if s.tier == distance.AVX512 {
		mulPanelAVX512(&args)
		return
	}
	mulPanelAVX2(&args)
	const half = Width / 2
	args.b, args.c, args.bias = unsafe.Pointer(&b[half]), unsafe.Pointer(&c[half]), unsafe.Pointer(&bias[half])
	mulPanelAVX2(&args)
}

func (s Set) mulPanelI8(c []float32, ldc int, q *Codes, from, rows int, m *I8, p int) {
	if s.tier == distance.Portable {
		mulPanelI8Portable(c, ldc, q, from, rows, m, p)
		return
	}
	panel := p * 4 * m.steps
	args := panelI8Args{
		a: unsafe.Pointer(&q.codes[from*q.stride]), b: unsafe.Pointer(&m.panels[panel]), c: unsafe.Pointer(&c[0]),
		lda: uintptr(q.stride), ldc: uintptr(ldc) * 4, steps: m.steps, rows: rows,
		rowScale: unsafe.Pointer(&q.scale[from]), rowZero: unsafe.Pointer(&q.zero[from]),
		scale: unsafe.Pointer(&m.scale[p]), sum: unsafe.Pointer(&m.sum[p]), bias: unsafe.Pointer(&m.bias[p]),
	}
	if s.tier == distance.AVX512 {
		mulPanelI8AVX512(&args)
		return
	}
	mulPanelI8AVX2(&args)
	const half = Width / 2
	args.b, args.c = unsafe.Pointer(&m.panels[panel+4*half]), unsafe.Pointer(&c[half])
	args.scale, args.sum, args.bias = unsafe.Pointer(&m.scale[p+half]), unsafe.Pointer(&m.sum[p+half]), unsafe.Pointer(&m.bias[p+half])
	mulPanelI8AVX2(&args)
}

func (s Set) limits(x []float32) (low, high float32) {
	switch s.tier {
	case distance.AVX512:
		return rangeAVX512(&x[0], len(x))
	case distance.AVX2:
		return rangeAVX2(&x[0], len(x))
	}
	return limitsPortable(x)
}

func (s Set) round(dst []uint8, x []float32, inverse float32, zero int32) {
	switch s.tier {
	case distance.AVX512:
		codesAVX512(&dst[0], &x[0], len(x), inverse, zero)
	case distance.AVX2:
		codesAVX2(&dst[0], &x[0], len(x), inverse, zero)
	default:
		roundPortable(dst, x, inverse, zero)
	}
}

func (s Set) softmax(x []float32) {
	switch s.tier {
	case distance.AVX512:
		softmaxAVX512(&x[0], len(x))
	case distance.AVX2:
		softmaxAVX2(&x[0], len(x))
	default:
		softmaxPortable(x)
	}
}

func (s Set) gelu(x []float32) {
	switch s.tier {
	case distance.AVX512:
		geluAVX512(&x[0], len(x))
	case distance.AVX2:
		geluAVX2(&x[0], len(x))
	default:
		geluPortable(x)
	}
}

func (s Set) geluTanh(x []float32) {
	switch s.tier {
	case distance.AVX512:
		geluTanhAVX512(&x[0], len(x))
	case distance.AVX2:
		geluTanhAVX2(&x[0], len(x))
	default:
		geluTanhPortable(x)
	}
}

func (s Set) addNorm(x, r, gamma, beta []float32, eps float32) {
	switch s.tier {
	case distance.AVX512:
		addNormAVX512(&x[0], &r[0], &gamma[0], &beta[0], len(x), eps)
	case distance.AVX2:
		addNormAVX2(&x[0], &r[0], &gamma[0], &beta[0], len(x), eps)
	default:
		addNormPortable(x, r, gamma, beta, eps)
	}
}
