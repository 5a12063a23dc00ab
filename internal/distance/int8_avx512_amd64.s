#include "textflag.h"

// VPDPBUSD multiplies unsigned by signed bytes. One side is turned to unsigned
// by flipping its sign bit, which adds 128 to each element, so that 128 times
// the sum of the other side is to be taken off. Sums of 32 bits wrap around, so
// only the result has to fit.

// Z31 has 0x80 and Z30 has 1 in every byte. R11 is used.
#define CONSTANTS \
	MOVL $0x80808080, R11; \
	VPBROADCASTD R11, Z31; \
	MOVL $0x01010101, R11; \
	VPBROADCASTD R11, Z30

#define CLEAR \
	VPXOR X0, X0, X0; \
	VPXOR X1, X1, X1; \
	VPXOR X2, X2, X2; \
	VPXOR X3, X3, X3

// MASK sets K1 to the bytes below CX, of 64. It uses R11.
#define MASK \
	MOVQ $1, R11; \
	SHLQ CX, R11; \
	DECQ R11; \
	KMOVQ R11, K1

// FOLD leaves the sum of Z0 in R11.
#define FOLD \
	VEXTRACTI64X4 $1, Z0, Y1; \
	VPADDD Y1, Y0, Y0; \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0x4E, X0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0xB1, X0, X1; \
	VPADDD X1, X0, X0; \
	VMOVD X0, R11

// func dotI8AVX512(a, b *int8, n int) int32
TEXT ·dotI8AVX512(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	CONSTANTS
	CLEAR
	XORL AX, AX
	MOVQ CX, R9
	SHRQ $7, R9
	JZ   rest

loop:
	VMOVDQU64 (DI)(AX*1), Z6
	VMOVDQU64 64(DI)(AX*1), Z7
	VPXORQ (SI)(AX*1), Z31, Z4
	VPXORQ 64(SI)(AX*1), Z31, Z5
	VPDPBUSD Z6, Z4, Z0
	VPDPBUSD Z7, Z5, Z1
	VPDPBUSD Z6, Z30, Z2
	VPDPBUSD Z7, Z30, Z3
	ADDQ $128, AX
	DECQ R9
	JNZ  loop

rest:
	TESTL $64, CX
	JZ   tail
	VMOVDQU64 (DI)(AX*1), Z6
	VPXORQ (SI)(AX*1), Z31, Z4
	VPDPBUSD Z6, Z4, Z0
	VPDPBUSD Z6, Z30, Z2
	ADDQ $64, AX

tail:
	ANDL $63, CX
	JZ   done
	MASK
	VMOVDQU8.Z (DI)(AX*1), K1, Z6
	VMOVDQU8.Z (SI)(AX*1), K1, Z4
	VPXORQ Z31, Z4, Z4
	VPDPBUSD Z6, Z4, Z1
	VPDPBUSD Z6, Z30, Z3

done:
	VPADDD Z1, Z0, Z0
	VPADDD Z3, Z2, Z2
	VPSLLD $7, Z2, Z2
	VPSUBD Z2, Z0, Z0
	FOLD
	MOVL R11, ret+24(FP)
	VZEROUPPER
	RET

// Rows are fetched this many before they are read, to the second-level cache: a
// fetch to the first one holds a buffer until it is done, of which there are few.
#define AHEAD 16

// func dotI8RowsAVX512(q *int8, rows **int8, out *int32, n, count int)
//
// The rows are the unsigned side, so that the sum to take off is that of q and
// is the same for all of them: R13.
TEXT ·dotI8RowsAVX512(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ rows+8(FP), BX
	MOVQ out+16(FP), R8
	MOVQ n+24(FP), DX
	MOVQ count+32(FP), R10
	LEAQ (BX)(R10*8), R10     // the end of rows
	CONSTANTS
	MOVQ DX, CX
	ANDL $63, CX
	MASK

	VPXOR X0, X0, X0
	XORL AX, AX
	MOVQ DX, R9
	SHRQ $6, R9
	JZ   sumtail

sum:
	VPDPBUSD (SI)(AX*1), Z30, Z0
	ADDQ $64, AX
	DECQ R9
	JNZ  sum

sumtail:
	VMOVDQU8.Z (SI)(AX*1), K1, Z4
	VPDPBUSD Z4, Z30, Z0
	FOLD
	SHLL $7, R11
	MOVL R11, R13

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
	LEAQ (AX)(DX*1), R11
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
	CLEAR
	XORL AX, AX
	MOVQ DX, R9
	SHRQ $8, R9
	JZ   rest

loop:
	VPXORQ (DI)(AX*1), Z31, Z4
	VPXORQ 64(DI)(AX*1), Z31, Z5
	VPXORQ 128(DI)(AX*1), Z31, Z6
	VPXORQ 192(DI)(AX*1), Z31, Z7
	VPDPBUSD (SI)(AX*1), Z4, Z0
	VPDPBUSD 64(SI)(AX*1), Z5, Z1
	VPDPBUSD 128(SI)(AX*1), Z6, Z2
	VPDPBUSD 192(SI)(AX*1), Z7, Z3
	ADDQ $256, AX
	DECQ R9
	JNZ  loop

rest:
	MOVQ DX, R9
	ANDL $0xC0, R9
	JZ   tail

rest64:
	VPXORQ (DI)(AX*1), Z31, Z4
	VPDPBUSD (SI)(AX*1), Z4, Z0
	ADDQ $64, AX
	SUBL $64, R9
	JNZ  rest64

tail:
	TESTL CX, CX
	JZ   next
	VMOVDQU8.Z (DI)(AX*1), K1, Z4
	VMOVDQU8.Z (SI)(AX*1), K1, Z5
	VPXORQ Z31, Z4, Z4
	VPDPBUSD Z5, Z4, Z1

next:
	VPADDD Z1, Z0, Z0
	VPADDD Z3, Z2, Z2
	VPADDD Z2, Z0, Z0
	FOLD
	SUBL R13, R11
	MOVL R11, (R8)
	ADDQ $4, R8
	ADDQ $8, BX
	JMP  row

done:
	VZEROUPPER
	RET
