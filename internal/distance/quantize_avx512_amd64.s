#include "textflag.h"

// MASK sets K1 to the lanes below CX, of 16. It uses R11.
#define MASK \
	MOVL $1, R11; \
	SHLL CX, R11; \
	DECL R11; \
	KMOVW R11, K1

// func maxAbsAVX512(v *float32, n int) float32
TEXT ·maxAbsAVX512(SB), NOSPLIT, $0-20
	MOVQ v+0(FP), SI
	MOVQ n+8(FP), CX
	MOVL $0x7FFFFFFF, R11     // all bits but the sign
	VPBROADCASTD R11, Z31
	VPXOR X0, X0, X0
	VPXOR X1, X1, X1
	VPXOR X2, X2, X2
	VPXOR X3, X3, X3

loop:
	SUBQ $64, CX
	JLT  rest
	VPANDD (SI), Z31, Z4
	VPANDD 64(SI), Z31, Z5
	VPANDD 128(SI), Z31, Z6
	VPANDD 192(SI), Z31, Z7
	VPMAXUD Z4, Z0, Z0
	VPMAXUD Z5, Z1, Z1
	VPMAXUD Z6, Z2, Z2
	VPMAXUD Z7, Z3, Z3
	ADDQ $256, SI
	JMP  loop

rest:
	ADDQ $64, CX

rest16:
	SUBQ $16, CX
	JLT  tail
	VPANDD (SI), Z31, Z4
	VPMAXUD Z4, Z0, Z0
	ADDQ $64, SI
	JMP  rest16

tail:
	ADDQ $16, CX
	JZ   done
	MASK
	VPANDD.Z (SI), Z31, K1, Z4
	VPMAXUD Z4, Z1, Z1

done:
	VPMAXUD Z1, Z0, Z0
	VPMAXUD Z3, Z2, Z2
	VPMAXUD Z2, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
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

// Z30 and Z31 hold -127 and 127 in every lane.
#define LIMITS \
	MOVL $0xC2FE0000, R11; \
	VPBROADCASTD R11, Z30; \
	MOVL $0x42FE0000, R11; \
	VPBROADCASTD R11, Z31

// CODES turns the 16 values in z into codes in x, its low part. A maximum takes
// its first operand, -127, where the second is a NaN.
#define CODES(z, x) \
	VMAXPS Z30, z, z; \
	VMINPS Z31, z, z; \
	VCVTPS2DQ z, z; \
	VPMOVSDB z, x

// func quantizeAVX512(dst *int8, src *float32, n int, scale float32)
TEXT ·quantizeAVX512(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS scale+24(FP), Z29
	LIMITS

loop:
	SUBQ $64, CX
	JLT  rest
	VMULPS (SI), Z29, Z0
	VMULPS 64(SI), Z29, Z1
	VMULPS 128(SI), Z29, Z2
	VMULPS 192(SI), Z29, Z3
	CODES(Z0, X0)
	CODES(Z1, X1)
	CODES(Z2, X2)
	CODES(Z3, X3)
	VMOVDQU X0, (DI)
	VMOVDQU X1, 16(DI)
	VMOVDQU X2, 32(DI)
	VMOVDQU X3, 48(DI)
	ADDQ $256, SI
	ADDQ $64, DI
	JMP  loop

rest:
	ADDQ $64, CX

rest16:
	SUBQ $16, CX
	JLT  tail
	VMULPS (SI), Z29, Z0
	CODES(Z0, X0)
	VMOVDQU X0, (DI)
	ADDQ $64, SI
	ADDQ $16, DI
	JMP  rest16

tail:
	ADDQ $16, CX
	JZ   done
	MASK
	VMULPS.Z (SI), Z29, K1, Z0
	CODES(Z0, X0)
	VMOVDQU8 X0, K1, (DI)

done:
	VZEROUPPER
	RET

// RESIDUAL sets x to 16 values of src less those of the codes.
#define RESIDUAL(src, codes, x, y) \
	VPMOVSXBD codes, y; \
	VCVTDQ2PS y, y; \
	VMULPS y, Z28, y; \
	VMULPS src, Z29, x; \
	VSUBPS y, x, x

// func quantizeResidualAVX512(dst *int8, src *float32, codes *int8, n int, a, b float32)
TEXT ·quantizeResidualAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ codes+16(FP), DX
	MOVQ n+24(FP), CX
	VBROADCASTSS a+32(FP), Z29
	VBROADCASTSS b+36(FP), Z28
	LIMITS

loop:
	SUBQ $64, CX
	JLT  rest
	RESIDUAL((SI), (DX), Z0, Z4)
	RESIDUAL(64(SI), 16(DX), Z1, Z5)
	RESIDUAL(128(SI), 32(DX), Z2, Z6)
	RESIDUAL(192(SI), 48(DX), Z3, Z7)
	CODES(Z0, X0)
	CODES(Z1, X1)
	CODES(Z2, X2)
	CODES(Z3, X3)
	VMOVDQU X0, (DI)
	VMOVDQU X1, 16(DI)
	VMOVDQU X2, 32(DI)
	VMOVDQU X3, 48(DI)
	ADDQ $256, SI
	ADDQ $64, DX
	ADDQ $64, DI
	JMP  loop

rest:
	ADDQ $64, CX

rest16:
	SUBQ $16, CX
	JLT  tail
	RESIDUAL((SI), (DX), Z0, Z4)
	CODES(Z0, X0)
	VMOVDQU X0, (DI)
	ADDQ $64, SI
	ADDQ $16, DX
	ADDQ $16, DI
	JMP  rest16

tail:
	ADDQ $16, CX
	JZ   done
	MASK
	VPMOVSXBD.Z (DX), K1, Z4
	VMOVUPS.Z (SI), K1, Z5
	VCVTDQ2PS Z4, Z4
	VMULPS Z4, Z28, Z4
	VMULPS Z5, Z29, Z0
	VSUBPS Z4, Z0, Z0
	CODES(Z0, X0)
	VMOVDQU8 X0, K1, (DI)

done:
	VZEROUPPER
	RET
