#include "textflag.h"

// The kernel is that of mulPanelAVX512 for half a panel, 16 columns, and up to
// six rows. Row i of the tile has its sums in the registers 4+2i and 5+2i.
//
//	SI, R10       a, rows 0 and 3        R8      lda
//	DI            the panel              R12     ldb
//	DX            c                      R13     ldc
//	CX            steps left             BX      rows left
//	R14           bias                   R15     first row of a that is left

#define INIT2(a, b) \
	VMOVUPS (R14), a; \
	VMOVUPS 32(R14), b

#define ROW(at, a, b) \
	VBROADCASTSS at, Y2; \
	VFMADD231PS Y0, Y2, a; \
	VFMADD231PS Y1, Y2, b

#define PANEL \
	VMOVUPS (DI), Y0; \
	VMOVUPS 32(DI), Y1; \
	ADDQ R12, DI

#define STORE(a, b) \
	VMOVUPS a, (DX); \
	VMOVUPS b, 32(DX); \
	ADDQ R13, DX

#define BEGIN \
	MOVQ R15, SI; \
	MOVQ 8(AX), DI; \
	MOVQ 56(AX), CX

// func mulPanelAVX2(args *panelArgs)
TEXT ·mulPanelAVX2(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), AX
	MOVQ 0(AX), R15
	MOVQ 16(AX), DX
	MOVQ 24(AX), R14
	MOVQ 32(AX), R8
	MOVQ 40(AX), R12
	MOVQ 48(AX), R13
	MOVQ 64(AX), BX
	LEAQ (R8)(R8*2), R9

six:
	CMPQ BX, $6
	JLT  three
	BEGIN
	LEAQ (SI)(R9*1), R10
	INIT2(Y4, Y5)
	INIT2(Y6, Y7)
	INIT2(Y8, Y9)
	INIT2(Y10, Y11)
	INIT2(Y12, Y13)
	INIT2(Y14, Y15)

loop6:
	PANEL
	ROW((SI), Y4, Y5)
	ROW((SI)(R8*1), Y6, Y7)
	ROW((SI)(R8*2), Y8, Y9)
	ROW((R10), Y10, Y11)
	ROW((R10)(R8*1), Y12, Y13)
	ROW((R10)(R8*2), Y14, Y15)
	ADDQ $4, SI
	ADDQ $4, R10
	DECQ CX
	JNZ  loop6
	STORE(Y4, Y5)
	STORE(Y6, Y7)
	STORE(Y8, Y9)
	STORE(Y10, Y11)
	STORE(Y12, Y13)
	STORE(Y14, Y15)
	LEAQ (R15)(R9*2), R15
	SUBQ $6, BX
	JMP  six

three:
	CMPQ BX, $3
	JLT  one
	BEGIN
	INIT2(Y4, Y5)
	INIT2(Y6, Y7)
	INIT2(Y8, Y9)

loop3:
	PANEL
	ROW((SI), Y4, Y5)
	ROW((SI)(R8*1), Y6, Y7)
	ROW((SI)(R8*2), Y8, Y9)
	ADDQ $4, SI
	DECQ CX
	JNZ  loop3
	STORE(Y4, Y5)
	STORE(Y6, Y7)
	STORE(Y8, Y9)
	ADDQ R9, R15
	SUBQ $3, BX

one:
	TESTQ BX, BX
	JZ   done
	BEGIN
	INIT2(Y4, Y5)

loop1:
	PANEL
	ROW((SI), Y4, Y5)
	ADDQ $4, SI
	DECQ CX
	JNZ  loop1
	STORE(Y4, Y5)
	ADDQ R8, R15
	DECQ BX
	JMP  one

done:
	VZEROUPPER
	RET
