package kernel

import "unsafe"

// panelArgs are the arguments of the kernels that multiply rows by one panel.
// Strides are in bytes; k and rows are at least 1. The assembler files know the
// places of the fields.
type panelArgs struct {
	a, b, c, bias unsafe.Pointer
	lda, ldb, ldc uintptr
	k, rows       int
}

// panelI8Args are the same in 8 bits.
type panelI8Args struct {
	a, b, c           unsafe.Pointer
	lda, ldc          uintptr
	steps, rows       int
	rowScale, rowZero unsafe.Pointer
	scale, sum, bias  unsafe.Pointer
}

//go:noescape
func mulPanelAVX512(args *panelArgs)

//go:noescape
func mulPanelAVX2(args *panelArgs)

//go:noescape
func mulPanelI8AVX512(args *panelI8Args)

//go:noescape
func mulPanelI8AVX2(args *panelI8Args)

//go:noescape
func softmaxAVX512(x *float32, n int)

//go:noescape
func geluAVX512(x *float32, n int)

//go:noescape
func geluTanhAVX512(x *float32, n int)

//go:noescape
func addNormAVX512(x, r, gamma, beta *float32, n int, eps float32)

//go:noescape
func rangeAVX512(x *float32, n int) (low, high float32)

//go:noescape
func codesAVX512(dst *uint8, x *float32, n int, inverse float32, zero int32)

//go:noescape
func softmaxAVX2(x *float32, n int)

//go:noescape
func geluAVX2(x *float32, n int)

//go:noescape
func geluTanhAVX2(x *float32, n int)

//go:noescape
func addNormAVX2(x, r, gamma, beta *float32, n int, eps float32)

//go:noescape
func rangeAVX2(x *float32, n int) (low, high float32)

//go:noescape
func codesAVX2(dst *uint8, x *float32, n int, inverse float32, zero int32)
