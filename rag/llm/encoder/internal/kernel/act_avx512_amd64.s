#include "textflag.h"

#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define V6 Z6
#define V7 Z7
#define V8 Z8
#define V9 Z9
#define V10 Z10
#define V11 Z11
#define V12 Z12
#define V13 Z13
#define V14 Z14
#define VBYTES 64

#define POLY(c, x, acc) VFMADD213PS.BCST act<>+c(SB), x, acc

#define HSUM \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VADDPS Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS X1, X0, X0; \
	VMOVHLPS X0, X0, X1; \
	VADDPS X1, X0, X0; \
	VMOVSHDUP X0, X1; \
	VADDSS X1, X0, X0

#define HMAX \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VMAXPS Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VMAXPS X1, X0, X0; \
	VMOVHLPS X0, X0, X1; \
	VMAXPS X1, X0, X0; \
	VMOVSHDUP X0, X1; \
	VMAXSS X1, X0, X0

#include "act_amd64.h"

// func softmaxAVX512(x *float32, n int)
TEXT ·softmaxAVX512(SB), NOSPLIT, $0-16
	SOFTMAX

// func geluAVX512(x *float32, n int)
TEXT ·geluAVX512(SB), NOSPLIT, $0-16
	GELU

// func geluTanhAVX512(x *float32, n int)
TEXT ·geluTanhAVX512(SB), NOSPLIT, $0-16
	GELUTANH

// func addNormAVX512(x, r, gamma, beta *float32, n int, eps float32)
TEXT ·addNormAVX512(SB), NOSPLIT, $0-44
	ADDNORM

// func rangeAVX512(x *float32, n int) (low, high float32)
TEXT ·rangeAVX512(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	LEAQ (SI)(CX*4), CX
	VXORPS Z0, Z0, Z0
	VXORPS Z2, Z2, Z2

next:
	VMOVUPS (SI), Z3
	VMAXPS Z3, Z0, Z0
	VMINPS Z3, Z2, Z2
	ADDQ $64, SI
	CMPQ SI, CX
	JLT  next
	HMAX
	VMOVSS X0, high+20(FP)
	VEXTRACTF64X4 $1, Z2, Y1
	VMINPS Y1, Y2, Y2
	VEXTRACTF128 $1, Y2, X1
	VMINPS X1, X2, X2
	VMOVHLPS X2, X2, X1
	VMINPS X1, X2, X2
	VMOVSHDUP X2, X1
	VMINSS X1, X2, X2
	VMOVSS X2, low+16(FP)
	VZEROUPPER
	RET

// func codesAVX512(dst *uint8, x *float32, n int, inverse float32, zero int32)
TEXT ·codesAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	LEAQ (SI)(CX*4), CX
	VBROADCASTSS inverse+24(FP), Z0
	MOVL zero+28(FP), R8
	VPBROADCASTD R8, Z1
	VPXORD Z3, Z3, Z3

next:
	VMULPS (SI), Z0, Z2
	VCVTPS2DQ Z2, Z2
	VPADDD Z1, Z2, Z2
	VPMAXSD Z3, Z2, Z2
	VPMOVUSDB Z2, (DI)
	ADDQ $64, SI
	ADDQ $16, DI
	CMPQ SI, CX
	JLT  next
	VZEROUPPER
	RET
