#include "textflag.h"

// func dotU4BlockAVX2(q *int8, block *uint8, out *int32, half, rows int)
//
// VPMADDUBSW adds up two products of an unsigned and a signed byte, of at most
// 15 times 128 each: four of them fit 16 bits.
TEXT ·dotU4BlockAVX2(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ block+8(FP), DI
	MOVQ out+16(FP), R8
	MOVQ half+24(FP), DX
	MOVQ rows+32(FP), R10
	LEAQ (SI)(DX*1), R13      // the second half of q
	MOVL $0x0f0f0f0f, R11
	VMOVD R11, X15
	VPBROADCASTD X15, Y15
	MOVL $0x00010001, R11
	VMOVD R11, X14
	VPBROADCASTD X14, Y14

row:
	DECQ R10
	JLT  done
	VPXOR Y0, Y0, Y0
	XORL AX, AX
	MOVQ DX, R9
	ANDQ $~31, R9
	JZ   fold

loop:
	VMOVDQU (DI)(AX*1), Y4
	VPAND Y15, Y4, Y5
	VPSRLW $4, Y4, Y4
	VPAND Y15, Y4, Y4
	VPMADDUBSW (SI)(AX*1), Y5, Y5
	VPMADDUBSW (R13)(AX*1), Y4, Y4
	VPADDW Y5, Y4, Y4
	VPMADDWD Y14, Y4, Y4
	VPADDD Y4, Y0, Y0
	ADDQ $32, AX
	CMPQ AX, R9
	JLT  loop

fold:
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, R11

tail:
	CMPQ AX, DX
	JGE  next
	MOVBLZX (DI)(AX*1), R9
	MOVL R9, CX
	ANDL $15, R9
	SHRL $4, CX
	MOVBLSX (SI)(AX*1), BX
	IMULL BX, R9
	ADDL R9, R11
	MOVBLSX (R13)(AX*1), BX
	IMULL BX, CX
	ADDL CX, R11
	INCQ AX
	JMP  tail

next:
	MOVL R11, (R8)
	ADDQ $4, R8
	ADDQ DX, DI
	JMP  row

done:
	VZEROUPPER
	RET
