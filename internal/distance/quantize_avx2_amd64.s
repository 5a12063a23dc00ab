#include "textflag.h"

// func maxAbsAVX2(v *float32, n int) float32
TEXT ·maxAbsAVX2(SB), NOSPLIT, $0-20
	MOVQ v+0(FP), SI
	MOVQ n+8(FP), CX
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15       // all bits but the sign
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

loop:
	SUBQ $32, CX
	JLT  rest
	VPAND (SI), Y15, Y4
	VPAND 32(SI), Y15, Y5
	VPAND 64(SI), Y15, Y6
	VPAND 96(SI), Y15, Y7
	VPMAXUD Y4, Y0, Y0
	VPMAXUD Y5, Y1, Y1
	VPMAXUD Y6, Y2, Y2
	VPMAXUD Y7, Y3, Y3
	ADDQ $128, SI
	JMP  loop

rest:
	ADDQ $32, CX

rest8:
	SUBQ $8, CX
	JLT  tail
	VPAND (SI), Y15, Y4
	VPMAXUD Y4, Y0, Y0
	ADDQ $32, SI
	JMP  rest8

tail:
	ADDQ $8, CX

tail1:
	DECQ CX
	JLT  done
	VMOVD (SI)(CX*4), X4
	VPAND X15, X4, X4
	VPMAXUD Y4, Y1, Y1
	JMP  tail1

done:
	VPMAXUD Y2, Y0, Y0
	VPMAXUD Y3, Y1, Y1
	VPMAXUD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPMAXUD X1, X0, X0
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// Y14 and Y15 hold -127 and 127 in every lane.
#define LIMITS \
	MOVL $0xC2FE0000, AX; \
	VMOVD AX, X14; \
	VPBROADCASTD X14, Y14; \
	MOVL $0x42FE0000, AX; \
	VMOVD AX, X15; \
	VPBROADCASTD X15, Y15

// CODES turns 8 values into 32-bit codes. A maximum takes its first operand,
// -127, where the second is a NaN.
#define CODES(x) \
	VMAXPS Y14, x, x; \
	VMINPS Y15, x, x; \
	VCVTPS2DQ x, x

// NARROW32 packs the codes Y0 to Y3 to 32 bytes in Y0. The packing is by
// halves of the registers, hence the groups of four come out in the order
// 0 2 4 6 1 3 5 7.
#define NARROW32 \
	VPACKSSDW Y1, Y0, Y0; \
	VPACKSSDW Y3, Y2, Y2; \
	VPACKSSWB Y2, Y0, Y0; \
	VPERMD Y0, Y13, Y0

// NARROW8 packs the codes Y0 to 8 bytes in X0.
#define NARROW8 \
	VEXTRACTI128 $1, Y0, X1; \
	VPACKSSDW X1, X0, X0; \
	VPACKSSWB X0, X0, X0

DATA order<>+0x00(SB)/8, $0x0000000400000000
DATA order<>+0x08(SB)/8, $0x0000000500000001
DATA order<>+0x10(SB)/8, $0x0000000600000002
DATA order<>+0x18(SB)/8, $0x0000000700000003
GLOBL order<>(SB), RODATA|NOPTR, $32

// func quantizeAVX2(dst *int8, src *float32, n int, scale float32)
TEXT ·quantizeAVX2(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y12
	VMOVDQU order<>(SB), Y13
	LIMITS

loop:
	SUBQ $32, CX
	JLT  rest
	VMULPS (SI), Y12, Y0
	VMULPS 32(SI), Y12, Y1
	VMULPS 64(SI), Y12, Y2
	VMULPS 96(SI), Y12, Y3
	CODES(Y0)
	CODES(Y1)
	CODES(Y2)
	CODES(Y3)
	NARROW32
	VMOVDQU Y0, (DI)
	ADDQ $128, SI
	ADDQ $32, DI
	JMP  loop

rest:
	ADDQ $32, CX

rest8:
	SUBQ $8, CX
	JLT  tail
	VMULPS (SI), Y12, Y0
	CODES(Y0)
	NARROW8
	VMOVQ X0, (DI)
	ADDQ $32, SI
	ADDQ $8, DI
	JMP  rest8

tail:
	ADDQ $8, CX

tail1:
	DECQ CX
	JLT  done
	VMOVSS (SI)(CX*4), X0
	VMULPS Y12, Y0, Y0
	CODES(Y0)
	VMOVD X0, AX
	MOVB AX, (DI)(CX*1)
	JMP  tail1

done:
	VZEROUPPER
	RET

// RESIDUAL sets x to 8 values of src less those of the codes.
#define RESIDUAL(src, codes, x) \
	VPMOVSXBD codes, Y4; \
	VCVTDQ2PS Y4, Y4; \
	VMULPS Y4, Y11, Y4; \
	VMULPS src, Y12, x; \
	VSUBPS Y4, x, x

// func quantizeResidualAVX2(dst *int8, src *float32, codes *int8, n int, a, b float32)
TEXT ·quantizeResidualAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ codes+16(FP), DX
	MOVQ n+24(FP), CX
	VBROADCASTSS a+32(FP), Y12
	VBROADCASTSS b+36(FP), Y11
	VMOVDQU order<>(SB), Y13
	LIMITS

loop:
	SUBQ $32, CX
	JLT  rest
	RESIDUAL((SI), (DX), Y0)
	RESIDUAL(32(SI), 8(DX), Y1)
	RESIDUAL(64(SI), 16(DX), Y2)
	RESIDUAL(96(SI), 24(DX), Y3)
	CODES(Y0)
	CODES(Y1)
	CODES(Y2)
	CODES(Y3)
	NARROW32
	VMOVDQU Y0, (DI)
	ADDQ $128, SI
	ADDQ $32, DX
	ADDQ $32, DI
	JMP  loop

rest:
	ADDQ $32, CX

rest8:
	SUBQ $8, CX
	JLT  tail
	RESIDUAL((SI), (DX), Y0)
	CODES(Y0)
	NARROW8
	VMOVQ X0, (DI)
	ADDQ $32, SI
	ADDQ $8, DX
	ADDQ $8, DI
	JMP  rest8

tail:
	ADDQ $8, CX

tail1:
	DECQ CX
	JLT  done
	MOVBLSX (DX)(CX*1), AX
	VMOVD AX, X1
	VMOVSS (SI)(CX*4), X2
	VCVTDQ2PS Y1, Y1
	VMULPS Y1, Y11, Y1
	VMULPS Y2, Y12, Y0
	VSUBPS Y1, Y0, Y0
	CODES(Y0)
	VMOVD X0, AX
	MOVB AX, (DI)(CX*1)
	JMP  tail1

done:
	VZEROUPPER
	RET
