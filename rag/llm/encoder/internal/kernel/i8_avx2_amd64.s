#include "textflag.h"

// The kernel is that of mulPanelI8AVX512 for half a panel, 16 columns, and up to
// two rows. AVX2 has no exact product of bytes: they are widened to 16 bits, and
// a sum of 32 bits takes two products at a time, so a column has two sums until
// the end. The first row has its sums in Y4 to Y7, four columns each, the second
// in Y8 to Y11.
//
//	SI      a                            R8      lda
//	DI      the panel                    R12     scale of the row
//	DX      c                            R13     ldc
//	CX      steps left                   BX      rows left
//	R14     zero point of the row        R15     first row of a that is left
//	AX      the arguments                R9      place of the columns' values

#define CLEAR(a, b, c, d) \
	VPXOR a, a, a; \
	VPXOR b, b, b; \
	VPXOR c, c, c; \
	VPXOR d, d, d

#define PANEL \
	VPMOVSXBW (DI), Y0; \
	VPMOVSXBW 16(DI), Y1; \
	VPMOVSXBW 32(DI), Y2; \
	VPMOVSXBW 48(DI), Y3; \
	ADDQ $128, DI

#define TERM(panel, a) \
	VPMADDWD panel, Y12, Y13; \
	VPADDD Y13, a, a

#define ROW(at, a, b, c, d) \
	VPBROADCASTD at, X12; \
	VPMOVZXBW X12, Y12; \
	TERM(Y0, a); \
	TERM(Y1, b); \
	TERM(Y2, c); \
	TERM(Y3, d)

// HALF writes the eight columns of a and b, whose values are at i. Y14 has the
// zero point and Y15 the scale of the row.
#define HALF(a, b, i) \
	VPHADDD b, a, a; \
	VPERMQ $0xD8, a, a; \
	MOVQ 80(AX), R9; \
	VPMULLD i(R9), Y14, Y13; \
	VPSUBD Y13, a, a; \
	VCVTDQ2PS a, a; \
	MOVQ 72(AX), R9; \
	VMULPS i(R9), a, a; \
	MOVQ 88(AX), R9; \
	VFMADD213PS i(R9), Y15, a; \
	VMOVUPS a, i(DX)

#define STORE(a, b, c, d) \
	VPBROADCASTD (R14), Y14; \
	VBROADCASTSS (R12), Y15; \
	HALF(a, b, 0); \
	HALF(c, d, 32); \
	ADDQ $4, R12; \
	ADDQ $4, R14; \
	ADDQ R13, DX

#define BEGIN \
	MOVQ R15, SI; \
	MOVQ 8(AX), DI; \
	MOVQ 40(AX), CX; \
	CLEAR(Y4, Y5, Y6, Y7)

// func mulPanelI8AVX2(args *panelI8Args)
TEXT ·mulPanelI8AVX2(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), AX
	MOVQ 0(AX), R15
	MOVQ 16(AX), DX
	MOVQ 24(AX), R8
	MOVQ 32(AX), R13
	MOVQ 48(AX), BX
	MOVQ 56(AX), R12
	MOVQ 64(AX), R14

two:
	CMPQ BX, $2
	JLT  one
	BEGIN
	CLEAR(Y8, Y9, Y10, Y11)

loop2:
	PANEL
	ROW((SI), Y4, Y5, Y6, Y7)
	ROW((SI)(R8*1), Y8, Y9, Y10, Y11)
	ADDQ $4, SI
	DECQ CX
	JNZ  loop2
	STORE(Y4, Y5, Y6, Y7)
	STORE(Y8, Y9, Y10, Y11)
	LEAQ (R15)(R8*2), R15
	SUBQ $2, BX
	JMP  two

one:
	TESTQ BX, BX
	JZ   done
	BEGIN

loop1:
	PANEL
	ROW((SI), Y4, Y5, Y6, Y7)
	ADDQ $4, SI
	DECQ CX
	JNZ  loop1
	STORE(Y4, Y5, Y6, Y7)

done:
	VZEROUPPER
	RET
