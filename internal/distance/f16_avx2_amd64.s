#include "textflag.h"

// func encodeF16AVX2(dst *uint16, src *float32, n int)
TEXT ·encodeF16AVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	SUBQ $16, CX
	JLT  rest
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VCVTPS2PH $0, Y0, X0      // 0: to nearest, even in a tie
	VCVTPS2PH $0, Y1, X1
	VMOVDQU X0, (DI)
	VMOVDQU X1, 16(DI)
	ADDQ $64, SI
	ADDQ $32, DI
	JMP  loop

rest:
	ADDQ $16, CX

tail1:
	DECQ CX
	JLT  done
	VMOVSS (SI)(CX*4), X0
	VCVTPS2PH $0, X0, X0
	VMOVD X0, AX
	MOVW AX, (DI)(CX*2)
	JMP  tail1

done:
	VZEROUPPER
	RET

// func decodeF16AVX2(dst *float32, src *uint16, n int)
TEXT ·decodeF16AVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	SUBQ $16, CX
	JLT  rest
	VCVTPH2PS (SI), Y0
	VCVTPH2PS 16(SI), Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ $32, SI
	ADDQ $64, DI
	JMP  loop

rest:
	ADDQ $16, CX

tail1:
	DECQ CX
	JLT  done
	MOVWLZX (SI)(CX*2), AX
	VMOVD AX, X0
	VCVTPH2PS X0, X0
	VMOVSS X0, (DI)(CX*4)
	JMP  tail1

done:
	VZEROUPPER
	RET
