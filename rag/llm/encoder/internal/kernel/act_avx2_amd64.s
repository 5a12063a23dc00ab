#include "textflag.h"

#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V8 Y8
#define V9 Y9
#define V10 Y10
#define V11 Y11
#define V12 Y12
#define V13 Y13
#define V14 Y14
#define VBYTES 32

#define POLY(c, x, acc) \
	VBROADCASTSS act<>+c(SB), V5; \
	VFMADD213PS V5, x, acc

#define HSUM \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS X1, X0, X0; \
	VMOVHLPS X0, X0, X1; \
	VADDPS X1, X0, X0; \
	VMOVSHDUP X0, X1; \
	VADDSS X1, X0, X0

#define HMAX \
	VEXTRACTF128 $1, Y0, X1; \
	VMAXPS X1, X0, X0; \
	VMOVHLPS X0, X0, X1; \
	VMAXPS X1, X0, X0; \
	VMOVSHDUP X0, X1; \
	VMAXSS X1, X0, X0

#include "act_amd64.h"

// func softmaxAVX2(x *float32, n int)
TEXT ·softmaxAVX2(SB), NOSPLIT, $0-16
	SOFTMAX

// func geluAVX2(x *float32, n int)
TEXT ·geluAVX2(SB), NOSPLIT, $0-16
	GELU

// func geluTanhAVX2(x *float32, n int)
TEXT ·geluTanhAVX2(SB), NOSPLIT, $0-16
	GELUTANH

// func addNormAVX2(x, r, gamma, beta *float32, n int, eps float32)
TEXT ·addNormAVX2(SB), NOSPLIT, $0-44
	ADDNORM

// func rangeAVX2(x *float32, n int) (low, high float32)
TEXT ·rangeAVX2(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	LEAQ (SI)(CX*4), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y2, Y2, Y2

next:
	VMOVUPS (SI), Y3
	VMAXPS Y3, Y0, Y0
	VMINPS Y3, Y2, Y2
	ADDQ $32, SI
	CMPQ SI, CX
	JLT  next
	HMAX
	VMOVSS X0, high+20(FP)
	VEXTRACTF128 $1, Y2, X1
	VMINPS X1, X2, X2
	VMOVHLPS X2, X2, X1
	VMINPS X1, X2, X2
	VMOVSHDUP X2, X1
	VMINSS X1, X2, X2
	VMOVSS X2, low+16(FP)
	VZEROUPPER
	RET

// func codesAVX2(dst *uint8, x *float32, n int, inverse float32, zero int32)
TEXT ·codesAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	LEAQ (SI)(CX*4), CX
	VBROADCASTSS inverse+24(FP), Y0
	MOVL zero+28(FP), R8
	VMOVD R8, X1
	VPBROADCASTD X1, Y1
	VMOVDQU order<>(SB), Y7

next:
	VMULPS (SI), Y0, Y2
	VMULPS 32(SI), Y0, Y3
	VMULPS 64(SI), Y0, Y4
	VMULPS 96(SI), Y0, Y5
	VCVTPS2DQ Y2, Y2
	VCVTPS2DQ Y3, Y3
	VCVTPS2DQ Y4, Y4
	VCVTPS2DQ Y5, Y5
	VPADDD Y1, Y2, Y2
	VPADDD Y1, Y3, Y3
	VPADDD Y1, Y4, Y4
	VPADDD Y1, Y5, Y5
	VPACKSSDW Y3, Y2, Y2
	VPACKSSDW Y5, Y4, Y4
	VPACKUSWB Y4, Y2, Y2
	VPERMD Y2, Y7, Y2
	VMOVDQU Y2, (DI)
	ADDQ $128, SI
	ADDQ $32, DI
	CMPQ SI, CX
	JLT  next
	VZEROUPPER
	RET

// order undoes what packing within halves did to the groups of four.
DATA order<>+0(SB)/8, $0x0000000400000000
DATA order<>+8(SB)/8, $0x0000000500000001
DATA order<>+16(SB)/8, $0x0000000600000002
DATA order<>+24(SB)/8, $0x0000000700000003
GLOBL order<>(SB), RODATA|NOPTR, $32
