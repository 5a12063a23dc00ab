#include "textflag.h"

// The 32 running sums lie in Y0 to Y3 in order.

DATA lane<>+0x00(SB)/8, $0x0000000100000000
DATA lane<>+0x08(SB)/8, $0x0000000300000002
DATA lane<>+0x10(SB)/8, $0x0000000500000004
DATA lane<>+0x18(SB)/8, $0x0000000700000006
DATA lane<>+0x20(SB)/8, $0x0000000900000008
DATA lane<>+0x28(SB)/8, $0x0000000B0000000A
DATA lane<>+0x30(SB)/8, $0x0000000D0000000C
DATA lane<>+0x38(SB)/8, $0x0000000F0000000E
DATA lane<>+0x40(SB)/8, $0x0000001100000010
DATA lane<>+0x48(SB)/8, $0x0000001300000012
DATA lane<>+0x50(SB)/8, $0x0000001500000014
DATA lane<>+0x58(SB)/8, $0x0000001700000016
DATA lane<>+0x60(SB)/8, $0x0000001900000018
DATA lane<>+0x68(SB)/8, $0x0000001B0000001A
DATA lane<>+0x70(SB)/8, $0x0000001D0000001C
DATA lane<>+0x78(SB)/8, $0x0000001F0000001E
GLOBL lane<>(SB), RODATA|NOPTR, $128

// x becomes the terms of the elements x and m.
#define PRODUCT(m, x) \
	VMULPS m, x, x

#define SQUARE(m, x) \
	VSUBPS m, x, x; \
	VMULPS x, x, x

#define CLEAR \
	VXORPS Y0, Y0, Y0; \
	VXORPS Y1, Y1, Y1; \
	VXORPS Y2, Y2, Y2; \
	VXORPS Y3, Y3, Y3

#define ADD \
	VADDPS Y4, Y0, Y0; \
	VADDPS Y5, Y1, Y1; \
	VADDPS Y6, Y2, Y2; \
	VADDPS Y7, Y3, Y3

// 32 elements at offset AX of SI and DI.
#define TERMS(TERM) \
	VMOVUPS (SI)(AX*1), Y4; \
	VMOVUPS 32(SI)(AX*1), Y5; \
	VMOVUPS 64(SI)(AX*1), Y6; \
	VMOVUPS 96(SI)(AX*1), Y7; \
	TERM((DI)(AX*1), Y4); \
	TERM(32(DI)(AX*1), Y5); \
	TERM(64(DI)(AX*1), Y6); \
	TERM(96(DI)(AX*1), Y7); \
	ADD

// MASKS sets Y12 to Y15 to the lanes below DX.
#define MASKS \
	VMOVD DX, X15; \
	VPBROADCASTD X15, Y15; \
	VPCMPGTD lane<>+0(SB), Y15, Y12; \
	VPCMPGTD lane<>+32(SB), Y15, Y13; \
	VPCMPGTD lane<>+64(SB), Y15, Y14; \
	VPCMPGTD lane<>+96(SB), Y15, Y15

// The elements of the masks at offset AX. Absent ones count as zeros and are
// not read.
#define TAIL(TERM) \
	VMASKMOVPS (SI)(AX*1), Y12, Y4; \
	VMASKMOVPS 32(SI)(AX*1), Y13, Y5; \
	VMASKMOVPS 64(SI)(AX*1), Y14, Y6; \
	VMASKMOVPS 96(SI)(AX*1), Y15, Y7; \
	VMASKMOVPS (DI)(AX*1), Y12, Y8; \
	VMASKMOVPS 32(DI)(AX*1), Y13, Y9; \
	VMASKMOVPS 64(DI)(AX*1), Y14, Y10; \
	VMASKMOVPS 96(DI)(AX*1), Y15, Y11; \
	TERM(Y8, Y4); \
	TERM(Y9, Y5); \
	TERM(Y10, Y6); \
	TERM(Y11, Y7); \
	ADD

// FOLD leaves the result in X0.
#define FOLD \
	VADDPS Y2, Y0, Y0; \
	VADDPS Y3, Y1, Y1; \
	VADDPS Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS X1, X0, X0; \
	VMOVHLPS X0, X0, X1; \
	VADDPS X1, X0, X0; \
	VMOVSHDUP X0, X1; \
	VADDSS X1, X0, X0

// func dotAVX2(a, b *float32, n int) float32
TEXT ·dotAVX2(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ CX, DX
	ANDQ $31, DX
	SHRQ $5, CX
	XORL AX, AX
	CLEAR
	TESTQ CX, CX
	JZ   tail

loop:
	TERMS(PRODUCT)
	ADDQ $128, AX
	DECQ CX
	JNZ  loop

tail:
	TESTQ DX, DX
	JZ   done
	MASKS
	TAIL(PRODUCT)

done:
	FOLD
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func l2sqAVX2(a, b *float32, n int) float32
TEXT ·l2sqAVX2(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ CX, DX
	ANDQ $31, DX
	SHRQ $5, CX
	XORL AX, AX
	CLEAR
	TESTQ CX, CX
	JZ   tail

loop:
	TERMS(SQUARE)
	ADDQ $128, AX
	DECQ CX
	JNZ  loop

tail:
	TESTQ DX, DX
	JZ   done
	MASKS
	TAIL(SQUARE)

done:
	FOLD
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func dotBlockAVX2(q, block, out *float32, n, rows int)
TEXT ·dotBlockAVX2(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ block+8(FP), DI
	MOVQ out+16(FP), R8
	MOVQ n+24(FP), R9
	MOVQ rows+32(FP), BX
	MOVQ R9, DX
	ANDQ $31, DX
	MOVQ R9, R10
	SHRQ $5, R10
	SHLQ $2, R9
	MASKS

row:
	DECQ BX
	JLT  done
	MOVQ R10, CX
	XORL AX, AX
	CLEAR
	TESTQ CX, CX
	JZ   tail

loop:
	TERMS(PRODUCT)
	ADDQ $128, AX
	DECQ CX
	JNZ  loop

tail:
	TESTQ DX, DX
	JZ   next
	TAIL(PRODUCT)

next:
	FOLD
	VMOVSS X0, (R8)
	ADDQ $4, R8
	ADDQ R9, DI
	JMP  row

done:
	VZEROUPPER
	RET

// func l2sqBlockAVX2(q, block, out *float32, n, rows int)
TEXT ·l2sqBlockAVX2(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ block+8(FP), DI
	MOVQ out+16(FP), R8
	MOVQ n+24(FP), R9
	MOVQ rows+32(FP), BX
	MOVQ R9, DX
	ANDQ $31, DX
	MOVQ R9, R10
	SHRQ $5, R10
	SHLQ $2, R9
	MASKS

row:
	DECQ BX
	JLT  done
	MOVQ R10, CX
	XORL AX, AX
	CLEAR
	TESTQ CX, CX
	JZ   tail

loop:
	TERMS(SQUARE)
	ADDQ $128, AX
	DECQ CX
	JNZ  loop

tail:
	TESTQ DX, DX
	JZ   next
	TAIL(SQUARE)

next:
	FOLD
	VMOVSS X0, (R8)
	ADDQ $4, R8
	ADDQ R9, DI
	JMP  row

done:
	VZEROUPPER
	RET
