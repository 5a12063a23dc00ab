#include "textflag.h"

// A window of 16 bytes that begins c bytes in ends with c ones.
DATA last<>+0x00(SB)/8, $0
DATA last<>+0x08(SB)/8, $0
DATA last<>+0x10(SB)/8, $-1
DATA last<>+0x18(SB)/8, $-1
GLOBL last<>(SB), RODATA|NOPTR, $32

// x becomes 8 sums of two terms of the 16 elements x and y, as 16-bit integers.
#define PRODUCT(y, x) \
	VPMADDWD y, x, x

#define CLEAR \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1; \
	VPXOR Y2, Y2, Y2; \
	VPXOR Y3, Y3, Y3

// 64 elements at offset AX of SI and DI.
#define TERMS64(TERM) \
	VPMOVSXBW (SI)(AX*1), Y4; \
	VPMOVSXBW 16(SI)(AX*1), Y5; \
	VPMOVSXBW 32(SI)(AX*1), Y6; \
	VPMOVSXBW 48(SI)(AX*1), Y7; \
	VPMOVSXBW (DI)(AX*1), Y8; \
	VPMOVSXBW 16(DI)(AX*1), Y9; \
	VPMOVSXBW 32(DI)(AX*1), Y10; \
	VPMOVSXBW 48(DI)(AX*1), Y11; \
	TERM(Y8, Y4); \
	TERM(Y9, Y5); \
	TERM(Y10, Y6); \
	TERM(Y11, Y7); \
	VPADDD Y4, Y0, Y0; \
	VPADDD Y5, Y1, Y1; \
	VPADDD Y6, Y2, Y2; \
	VPADDD Y7, Y3, Y3

// 16 elements at offset AX.
#define TERMS16(TERM) \
	VPMOVSXBW (SI)(AX*1), Y4; \
	VPMOVSXBW (DI)(AX*1), Y8; \
	TERM(Y8, Y4); \
	VPADDD Y4, Y0, Y0

// MASK sets X15 to the last DX bytes of 16.
#define MASK \
	LEAQ last<>(SB), R11; \
	VMOVDQU (R11)(DX*1), X15

// The elements of the mask among the 16 that end at offset CX.
#define TAIL(TERM) \
	VPAND -16(SI)(CX*1), X15, X4; \
	VPAND -16(DI)(CX*1), X15, X8; \
	VPMOVSXBW X4, Y4; \
	VPMOVSXBW X8, Y8; \
	TERM(Y8, Y4); \
	VPADDD Y4, Y1, Y1

// FOLD leaves the sum of all in R11.
#define FOLD \
	VPADDD Y2, Y0, Y0; \
	VPADDD Y3, Y1, Y1; \
	VPADDD Y1, Y0, Y0; \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0x4E, X0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0xB1, X0, X1; \
	VPADDD X1, X0, X0; \
	VMOVD X0, R11

// func dotI8AVX2(a, b *int8, n int) int32
TEXT ·dotI8AVX2(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ CX, DX
	ANDQ $15, DX
	XORL AX, AX
	CMPQ CX, $16
	JLT  short
	CLEAR
	MOVQ CX, R9
	ANDQ $~63, R9
	JZ   rest

loop:
	TERMS64(PRODUCT)
	ADDQ $64, AX
	CMPQ AX, R9
	JLT  loop

rest:
	MOVQ CX, R9
	ANDQ $~15, R9
	CMPQ AX, R9
	JGE  tail

rest16:
	TERMS16(PRODUCT)
	ADDQ $16, AX
	CMPQ AX, R9
	JLT  rest16

tail:
	TESTQ DX, DX
	JZ   done
	MASK
	TAIL(PRODUCT)

done:
	FOLD
	MOVL R11, ret+24(FP)
	VZEROUPPER
	RET

short:
	XORL R11, R11

short1:
	DECQ CX
	JLT  shortdone
	MOVBLSX (SI)(CX*1), R9
	MOVBLSX (DI)(CX*1), R10
	IMULL R10, R9
	ADDL R9, R11
	JMP  short1

shortdone:
	MOVL R11, ret+24(FP)
	RET

// Rows are fetched this many before they are read, to the second-level cache: a
// fetch to the first one holds a buffer until it is done, of which there are few.
#define AHEAD 16

// func dotI8RowsAVX2(q *int8, rows **int8, out *int32, n, count int)
TEXT ·dotI8RowsAVX2(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ rows+8(FP), BX
	MOVQ out+16(FP), R8
	MOVQ n+24(FP), CX
	MOVQ count+32(FP), R10
	LEAQ (BX)(R10*8), R10     // the end of rows
	MOVQ CX, DX
	ANDQ $15, DX
	CMPQ CX, $16
	JLT  short
	MASK

	MOVQ BX, R12              // the next row to fetch

row:
	CMPQ BX, R10
	JGE  done

fetch:
	LEAQ (8*AHEAD)(BX), R9
	CMPQ R12, R9
	JGT  read
	CMPQ R12, R10
	JGE  read
	MOVQ (R12), AX
	LEAQ (AX)(CX*1), R11
	LEAQ -192(R11), R9
	ANDQ $~63, AX
	ADDQ $8, R12

lines:
	CMPQ AX, R9
	JGE  line
	PREFETCHT1 (AX)
	PREFETCHT1 64(AX)
	PREFETCHT1 128(AX)
	PREFETCHT1 192(AX)
	ADDQ $256, AX
	JMP  lines

line:
	CMPQ AX, R11
	JCC  fetch
	PREFETCHT1 (AX)
	ADDQ $64, AX
	JMP  line

read:
	MOVQ (BX), DI
	XORL AX, AX
	CLEAR
	MOVQ CX, R9
	ANDQ $~63, R9
	JZ   rest

loop:
	TERMS64(PRODUCT)
	ADDQ $64, AX
	CMPQ AX, R9
	JLT  loop

rest:
	MOVQ CX, R9
	ANDQ $~15, R9
	CMPQ AX, R9
	JGE  tail

rest16:
	TERMS16(PRODUCT)
	ADDQ $16, AX
	CMPQ AX, R9
	JLT  rest16

tail:
	TESTQ DX, DX
	JZ   next
	TAIL(PRODUCT)

next:
	FOLD
	MOVL R11, (R8)
	ADDQ $4, R8
	ADDQ $8, BX
	JMP  row

done:
	VZEROUPPER
	RET

short:
	CMPQ BX, R10
	JGE  shortdone
	MOVQ (BX), DI
	XORL R11, R11
	MOVQ CX, AX

short1:
	DECQ AX
	JLT  shortnext
	MOVBLSX (SI)(AX*1), R9
	MOVBLSX (DI)(AX*1), R12
	IMULL R12, R9
	ADDL R9, R11
	JMP  short1

shortnext:
	MOVL R11, (R8)
	ADDQ $4, R8
	ADDQ $8, BX
	JMP  short

shortdone:
	RET
