#include "textflag.h"

// A tile is up to 12 rows by one panel of 32 columns. Row i of the tile has its
// sums in the registers 8+2i and 9+2i, Z0 and Z1 hold a row of the panel.
//
//	SI, R10, R11  a, rows 0, 4 and 8     R8, R9  lda, 3*lda
//	DI            the panel              R12     ldb
//	DX            c                      R13     ldc
//	CX            steps left             BX      rows left

#define INIT2(a, b) \
	VMOVAPS Z6, a; \
	VMOVAPS Z7, b

#define ROW(at, a, b) \
	VBROADCASTSS at, Z2; \
	VFMADD231PS Z0, Z2, a; \
	VFMADD231PS Z1, Z2, b

#define ROWS4(p, a, b, c, d, e, f, g, h) \
	ROW((p), a, b); \
	ROW((p)(R8*1), c, d); \
	ROW((p)(R8*2), e, f); \
	ROW((p)(R9*1), g, h); \
	ADDQ $4, p

#define PANEL \
	VMOVUPS (DI), Z0; \
	VMOVUPS 64(DI), Z1; \
	PREFETCHT0 1024(DI); \
	PREFETCHT0 1088(DI); \
	ADDQ R12, DI

#define STORE(a, b) \
	VMOVUPS a, (DX); \
	VMOVUPS b, 64(DX); \
	ADDQ R13, DX

// BEGIN sets the registers of a tile; it needs AX, the address of the arguments,
// and R15, the first row of a that is left.
#define BEGIN \
	MOVQ R15, SI; \
	MOVQ 8(AX), DI; \
	MOVQ 56(AX), CX

// func mulPanelAVX512(args *panelArgs)
TEXT ·mulPanelAVX512(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), AX
	MOVQ 0(AX), R15
	MOVQ 16(AX), DX
	MOVQ 24(AX), R14
	MOVQ 32(AX), R8
	MOVQ 40(AX), R12
	MOVQ 48(AX), R13
	MOVQ 64(AX), BX
	LEAQ (R8)(R8*2), R9
	VMOVUPS (R14), Z6
	VMOVUPS 64(R14), Z7

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
	STORE(Z8, Z9)

done:
	VZEROUPPER
	RET
