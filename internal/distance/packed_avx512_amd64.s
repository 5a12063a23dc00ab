#include "textflag.h"

// func dotU4BlockAVX512(q *int8, block *uint8, out *int32, half, rows int)
//
// Nibbles are the unsigned side of VPDPBUSD, which adds up four products of
// bytes. K1 has the bytes below half, of the last 64.
TEXT ·dotU4BlockAVX512(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ block+8(FP), DI
	MOVQ out+16(FP), R8
	MOVQ half+24(FP), DX
	MOVQ rows+32(FP), R10
	LEAQ (SI)(DX*1), R13      // the second half of q
	MOVL $0x0f0f0f0f, R11
	VPBROADCASTD R11, Z31
	MOVQ DX, CX
	ANDL $63, CX
	MOVQ $1, R11
	SHLQ CX, R11
	DECQ R11
	KMOVQ R11, K1

row:
	DECQ R10
	JLT  done
	VPXOR X0, X0, X0
	VPXOR X1, X1, X1
	XORL AX, AX
	MOVQ DX, R9
	SHRQ $6, R9
	JZ   tail

loop:
	VMOVDQU64 (DI)(AX*1), Z4
	VPANDQ Z31, Z4, Z5
	VPSRLW $4, Z4, Z4
	VPANDQ Z31, Z4, Z4
	VPDPBUSD (SI)(AX*1), Z5, Z0
	VPDPBUSD (R13)(AX*1), Z4, Z1
	ADDQ $64, AX
	DECQ R9
	JNZ  loop

tail:
	TESTL CX, CX
	JZ   next
	VMOVDQU8.Z (DI)(AX*1), K1, Z4
	VMOVDQU8.Z (SI)(AX*1), K1, Z6
	VMOVDQU8.Z (R13)(AX*1), K1, Z7
	VPANDQ Z31, Z4, Z5
	VPSRLW $4, Z4, Z4
	VPANDQ Z31, Z4, Z4
	VPDPBUSD Z6, Z5, Z0
	VPDPBUSD Z7, Z4, Z1

next:
	VPADDD Z1, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, (R8)
	ADDQ $4, R8
	ADDQ DX, DI
	JMP  row

done:
	VZEROUPPER
	RET
