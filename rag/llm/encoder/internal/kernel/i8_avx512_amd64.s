#include "textflag.h"

// The kernel is that of mulPanelAVX512 on bytes: a step takes four elements of
// each row of a (unsigned) and four of each column of the panel (signed), whose
// products VPDPBUSD adds to a sum of 32 bits.
//
//	SI, R10, R11  a, rows 0, 4 and 8     R8, R9  lda, 3*lda
//	DI            the panel              R12     scale of the row
//	DX            c                      R13     ldc
//	CX            steps left             BX      rows left
//	R14           zero point of the row  R15     first row of a that is left
//	AX            the arguments

#define INIT2(a, b) \
	VPXORD a, a, a; \
	VPXORD b, b, b

#define ROW(at, a, b) \
	VPBROADCASTD at, Z2; \
	VPDPBUSD Z0, Z2, a; \
	VPDPBUSD Z1, Z2, b

#define ROWS4(p, a, b, c, d, e, f, g, h) \
	ROW((p), a, b); \
	ROW((p)(R8*1), c, d); \
	ROW((p)(R8*2), e, f); \
	ROW((p)(R9*1), g, h); \
	ADDQ $4, p

#define PANEL \
	VMOVDQU32 (DI), Z0; \
	VMOVDQU32 64(DI), Z1; \
	PREFETCHT0 1024(DI); \
	PREFETCHT0 1088(DI); \
	ADDQ $128, DI

#define BEGIN \
	MOVQ R15, SI; \
	MOVQ 8(AX), DI; \
	MOVQ 40(AX), CX

// OUT sets Z0 and Z1 to the columns' scales, Z4 and Z5 to their sums, Z6 and Z7
// to the bias.
#define OUT \
	MOVQ 72(AX), DI; \
	VMOVUPS (DI), Z0; \
	VMOVUPS 64(DI), Z1; \
	MOVQ 80(AX), DI; \
	VMOVDQU32 (DI), Z4; \
	VMOVDQU32 64(DI), Z5; \
	MOVQ 88(AX), DI; \
	VMOVUPS (DI), Z6; \
	VMOVUPS 64(DI), Z7

// HALF writes (sum - zero * column sum) * column scale * row scale + bias.
#define HALF(a, scale, sum, bias, at) \
	VPMULLD sum, Z2, Z3; \
	VPSUBD Z3, a, a; \
	VCVTDQ2PS a, a; \
	VMULPS scale, a, a; \
	VBROADCASTSS (R12), Z3; \
	VFMADD213PS bias, Z3, a; \
	VMOVUPS a, at

#define STORE(a, b) \
	VPBROADCASTD (R14), Z2; \
	HALF(a, Z0, Z4, Z6, (DX)); \
	HALF(b, Z1, Z5, Z7, 64(DX)); \
	ADDQ $4, R12; \
	ADDQ $4, R14; \
	ADDQ R13, DX

// func mulPanelI8AVX512(args *panelI8Args)
TEXT ·mulPanelI8AVX512(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), AX
	MOVQ 0(AX), R15
	MOVQ 16(AX), DX
	MOVQ 24(AX), R8
	MOVQ 32(AX), R13
	MOVQ 48(AX), BX
	MOVQ 56(AX), R12
	MOVQ 64(AX), R14
	LEAQ (R8)(R8*2), R9

twelve:
	CMPQ BX, $12
	JLT  eight
	BEGIN
	LEAQ (SI)(R8*4), R10
	LEAQ (R10)(R8*4), R11
	INIT2(Z8, Z9)
	INIT2(Z10, Z11)
	INIT2(Z12, Z13)
	INIT2(Z14, Z15)
	INIT2(Z16, Z17)
	INIT2(Z18, Z19)
	INIT2(Z20, Z21)
	INIT2(Z22, Z23)
	INIT2(Z24, Z25)
	INIT2(Z26, Z27)
	INIT2(Z28, Z29)
	INIT2(Z30, Z31)

loop12:
	PANEL
	ROWS4(SI, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
	ROWS4(R10, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)
	ROWS4(R11, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31)
	DECQ CX
	JNZ  loop12
	OUT
	STORE(Z8, Z9)
	STORE(Z10, Z11)
	STORE(Z12, Z13)
	STORE(Z14, Z15)
	STORE(Z16, Z17)
	STORE(Z18, Z19)
	STORE(Z20, Z21)
	STORE(Z22, Z23)
	STORE(Z24, Z25)
	STORE(Z26, Z27)
	STORE(Z28, Z29)
	STORE(Z30, Z31)
	LEAQ (R15)(R8*8), R15
	LEAQ (R15)(R8*4), R15
	SUBQ $12, BX
	JMP  twelve

eight:
	CMPQ BX, $8
	JLT  four
	BEGIN
	LEAQ (SI)(R8*4), R10
	INIT2(Z8, Z9)
	INIT2(Z10, Z11)
	INIT2(Z12, Z13)
	INIT2(Z14, Z15)
	INIT2(Z16, Z17)
	INIT2(Z18, Z19)
	INIT2(Z20, Z21)
	INIT2(Z22, Z23)

loop8:
	PANEL
	ROWS4(SI, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
	ROWS4(R10, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)
	DECQ CX
	JNZ  loop8
	OUT
	STORE(Z8, Z9)
	STORE(Z10, Z11)
	STORE(Z12, Z13)
	STORE(Z14, Z15)
	STORE(Z16, Z17)
	STORE(Z18, Z19)
	STORE(Z20, Z21)
	STORE(Z22, Z23)
	LEAQ (R15)(R8*8), R15
	SUBQ $8, BX

four:
	CMPQ BX, $4
	JLT  two
	BEGIN
	INIT2(Z8, Z9)
	INIT2(Z10, Z11)
	INIT2(Z12, Z13)
	INIT2(Z14, Z15)

loop4:
	PANEL
	ROWS4(SI, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
	DECQ CX
	JNZ  loop4
	OUT
	STORE(Z8, Z9)
	STORE(Z10, Z11)
	STORE(Z12, Z13)
	STORE(Z14, Z15)
	LEAQ (R15)(R8*4), R15
	SUBQ $4, BX

two:
	CMPQ BX, $2
	JLT  one
	BEGIN
	INIT2(Z8, Z9)
	INIT2(Z10, Z11)

loop2:
	PANEL
	ROW((SI), Z8, Z9)
	ROW((SI)(R8*1), Z10, Z11)
	ADDQ $4, SI
	DECQ CX
	JNZ  loop2
	OUT
	STORE(Z8, Z9)
	STORE(Z10, Z11)
	LEAQ (R15)(R8*2), R15
	SUBQ $2, BX

one:
	TESTQ BX, BX
	JZ   done
	BEGIN
	INIT2(Z8, Z9)

loop1:
	PANEL
	ROW((SI), Z8, Z9)
	ADDQ $4, SI
	DECQ CX
	JNZ  loop1
	OUT
	STORE(Z8, Z9)

done:
	VZEROUPPER
	RET
