#include "textflag.h"

// The 32 running sums lie in Z0 and Z1 in order.

// x becomes the terms of the elements x and m.
#define PRODUCT(m, x) \
	VMULPS m, x, x

#define SQUARE(m, x) \
	VSUBPS m, x, x; \
	VMULPS x, x, x

// The same for the lanes of mask k, 0 in the others.
#define PRODUCT_OF(k, m, x) \
	VMULPS.Z m, x, k, x

#define SQUARE_OF(k, m, x) \
	VSUBPS.Z m, x, k, x; \
	VMULPS x, x, x

#define CLEAR \
	VXORPS X0, X0, X0; \
	VXORPS X1, X1, X1

// 64 elements at offset AX of SI and DI.
#define TERMS64(TERM) \
	VMOVUPS (SI)(AX*1), Z2; \
	VMOVUPS 64(SI)(AX*1), Z3; \
	VMOVUPS 128(SI)(AX*1), Z4; \
	VMOVUPS 192(SI)(AX*1), Z5; \
	TERM((DI)(AX*1), Z2); \
	TERM(64(DI)(AX*1), Z3); \
	TERM(128(DI)(AX*1), Z4); \
	TERM(192(DI)(AX*1), Z5); \
	VADDPS Z2, Z0, Z0; \
	VADDPS Z3, Z1, Z1; \
	VADDPS Z4, Z0, Z0; \
	VADDPS Z5, Z1, Z1

#define TERMS32(TERM) \
	VMOVUPS (SI)(AX*1), Z2; \
	VMOVUPS 64(SI)(AX*1), Z3; \
	TERM((DI)(AX*1), Z2); \
	TERM(64(DI)(AX*1), Z3); \
	VADDPS Z2, Z0, Z0; \
	VADDPS Z3, Z1, Z1

// MASKS sets K1 and K2 to the lanes below CX, of 32. It uses R11.
#define MASKS \
	MOVL $1, R11; \
	SHLL CX, R11; \
	DECL R11; \
	KMOVW R11, K1; \
	SHRL $16, R11; \
	KMOVW R11, K2

// The elements of the masks at offset AX. Absent ones are not read.
#define TAIL(TERM_OF) \
	VMOVUPS.Z (SI)(AX*1), K1, Z2; \
	VMOVUPS.Z 64(SI)(AX*1), K2, Z3; \
	TERM_OF(K1, (DI)(AX*1), Z2); \
	TERM_OF(K2, 64(DI)(AX*1), Z3); \
	VADDPS Z2, Z0, Z0; \
	VADDPS Z3, Z1, Z1

// FOLD leaves the result in X0.
#define FOLD \
	VADDPS Z1, Z0, Z0; \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VADDPS Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS X1, X0, X0; \
	VMOVHLPS X0, X0, X1; \
	VADDPS X1, X0, X0; \
	VMOVSHDUP X0, X1; \
	VADDSS X1, X0, X0

// func dotAVX512(a, b *float32, n int) float32
TEXT ·dotAVX512(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ CX, R9
	SHRQ $6, R9
	XORL AX, AX
	CLEAR
	TESTQ R9, R9
	JZ   rest

loop:
	TERMS64(PRODUCT)
	ADDQ $256, AX
	DECQ R9
	JNZ  loop

rest:
	TESTL $32, CX
	JZ   tail
	TERMS32(PRODUCT)
	ADDQ $128, AX

tail:
	ANDL $31, CX
	JZ   done
	MASKS
	TAIL(PRODUCT_OF)

done:
	FOLD
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func l2sqAVX512(a, b *float32, n int) float32
TEXT ·l2sqAVX512(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ CX, R9
	SHRQ $6, R9
	XORL AX, AX
	CLEAR
	TESTQ R9, R9
	JZ   rest

loop:
	TERMS64(SQUARE)
	ADDQ $256, AX
	DECQ R9
	JNZ  loop

rest:
	TESTL $32, CX
	JZ   tail
	TERMS32(SQUARE)
	ADDQ $128, AX

tail:
	ANDL $31, CX
	JZ   done
	MASKS
	TAIL(SQUARE_OF)

done:
	FOLD
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// The block functions read one row at a time and leave fetching to the
// processor: four rows at a time, which saves loads of q, take two thirds of the
// time in the first-level cache but up to twice from memory, and explicit
// fetches cost more in the caches than they save from memory.

// func dotBlockAVX512(q, block, out *float32, n, rows int)
TEXT ·dotBlockAVX512(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ block+8(FP), DI
	MOVQ out+16(FP), R8
	MOVQ n+24(FP), DX
	MOVQ rows+32(FP), BX
	MOVQ DX, R10
	SHRQ $6, R10              // groups of 64 elements
	LEAQ (DX*4), R12          // bytes of a row
	MOVQ DX, CX
	ANDL $31, CX
	MASKS

row:
	DECQ BX
	JLT  done
	MOVQ R10, R9
	XORL AX, AX
	CLEAR
	TESTQ R9, R9
	JZ   rest

loop:
	TERMS64(PRODUCT)
	ADDQ $256, AX
	DECQ R9
	JNZ  loop

rest:
	TESTL $32, DX
	JZ   tail
	TERMS32(PRODUCT)
	ADDQ $128, AX

tail:
	TESTL CX, CX
	JZ   next
	TAIL(PRODUCT_OF)

next:
	FOLD
	VMOVSS X0, (R8)
	ADDQ $4, R8
	ADDQ R12, DI
	JMP  row

done:
	VZEROUPPER
	RET

// func l2sqBlockAVX512(q, block, out *float32, n, rows int)
TEXT ·l2sqBlockAVX512(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ block+8(FP), DI
	MOVQ out+16(FP), R8
	MOVQ n+24(FP), DX
	MOVQ rows+32(FP), BX
	MOVQ DX, R10
	SHRQ $6, R10
	LEAQ (DX*4), R12
	MOVQ DX, CX
	ANDL $31, CX
	MASKS

row:
	DECQ BX
	JLT  done
	MOVQ R10, R9
	XORL AX, AX
	CLEAR
	TESTQ R9, R9
	JZ   rest

loop:
	TERMS64(SQUARE)
	ADDQ $256, AX
	DECQ R9
	JNZ  loop

rest:
	TESTL $32, DX
	JZ   tail
	TERMS32(SQUARE)
	ADDQ $128, AX

tail:
	TESTL CX, CX
	JZ   next
	TAIL(SQUARE_OF)

next:
	FOLD
	VMOVSS X0, (R8)
	ADDQ $4, R8
	ADDQ R12, DI
	JMP  row

done:
	VZEROUPPER
	RET
