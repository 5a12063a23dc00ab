#include "textflag.h"

// MASK sets K1 to the lanes below CX, of 16. It uses R11.
#define MASK \
	MOVL $1, R11; \
	SHLL CX, R11; \
	DECL R11; \
	KMOVW R11, K1

// func encodeF16AVX512(dst *uint16, src *float32, n int)
TEXT ·encodeF16AVX512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	SUBQ $32, CX
	JLT  rest
	VMOVUPS (SI), Z0
	VMOVUPS 64(SI), Z1
	VCVTPS2PH $0, Z0, Y0      // 0: to nearest, even in a tie
	VCVTPS2PH $0, Z1, Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ $128, SI
	ADDQ $64, DI
	JMP  loop

rest:
	ADDQ $32, CX

rest16:
	SUBQ $16, CX
	JLT  tail
	VMOVUPS (SI), Z0
	VCVTPS2PH $0, Z0, Y0
	VMOVDQU Y0, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	JMP  rest16

tail:
	ADDQ $16, CX
	JZ   done
	MASK
	VMOVUPS.Z (SI), K1, Z0
	VCVTPS2PH $0, Z0, Y0
	VMOVDQU16 Y0, K1, (DI)

done:
	VZEROUPPER
	RET

// func decodeF16AVX512(dst *float32, src *uint16, n int)
TEXT ·decodeF16AVX512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	SUBQ $32, CX
	JLT  rest
	VCVTPH2PS (SI), Z0
	VCVTPH2PS 32(SI), Z1
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	ADDQ $64, SI
	ADDQ $128, DI
	JMP  loop

rest:
	ADDQ $32, CX

rest16:
	SUBQ $16, CX
	JLT  tail
	VCVTPH2PS (SI), Z0
	VMOVUPS Z0, (DI)
	ADDQ $32, SI
	ADDQ $64, DI
	JMP  rest16

tail:
	ADDQ $16, CX
	JZ   done
	MASK
	VMOVDQU16.Z (SI), K1, Y0
	VCVTPH2PS Y0, Z0
	VMOVUPS Z0, K1, (DI)

done:
	VZEROUPPER
	RET
