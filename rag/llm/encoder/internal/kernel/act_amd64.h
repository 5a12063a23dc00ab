// The functions of one row, written once for both tiers. The file that includes
// this one names its vector registers V0 to V15, gives their size in bytes as
// VBYTES, and defines
//
//	POLY(c, x, acc)   acc = acc*x + constant c
//	HSUM              X0 = the sum of V0, using V1
//	HMAX              X0 = the largest of V0, using V1
//
// n is a multiple of 32 and at least 32.

DATA act<>+0(SB)/4, $0x3fb8aa3b  // log2(e)
DATA act<>+4(SB)/4, $0x4b400000  // 1.5 * 2^23: adding it rounds to an integer
DATA act<>+8(SB)/4, $0x3f318000  // ln(2), high part
DATA act<>+12(SB)/4, $0xb95e8083 // ln(2), low part
DATA act<>+16(SB)/4, $0x39506967 // exp, from the highest power down
DATA act<>+20(SB)/4, $0x3ab743ce
DATA act<>+24(SB)/4, $0x3c088908
DATA act<>+28(SB)/4, $0x3d2aa9c1
DATA act<>+32(SB)/4, $0x3e2aaaaa
DATA act<>+36(SB)/4, $0x3f000000 // and 1/2
DATA act<>+40(SB)/4, $0x3f800000 // 1
DATA act<>+44(SB)/4, $0xc2ae0000 // -87: exp gives normal numbers above it
DATA act<>+48(SB)/4, $0x42b00000 // 88
DATA act<>+52(SB)/4, $0x3f3504f3 // 1/sqrt(2)
DATA act<>+56(SB)/4, $0x40800000 // 4
DATA act<>+60(SB)/4, $0xc0800000 // -4
DATA act<>+64(SB)/4, $0xaf95df0b // numerator of erf(x)/x in x*x, from the highest power down
DATA act<>+68(SB)/4, $0x32edffee
DATA act<>+72(SB)/4, $0xb60cff51
DATA act<>+76(SB)/4, $0xb86ec2d2
DATA act<>+80(SB)/4, $0xba40ac63
DATA act<>+84(SB)/4, $0xbb41a1f6
DATA act<>+88(SB)/4, $0xbc83dbd4
DATA act<>+92(SB)/4, $0xb77460cd // denominator
DATA act<>+96(SB)/4, $0xb95fbd29
DATA act<>+100(SB)/4, $0xbadc924e
DATA act<>+104(SB)/4, $0xbbf19bf8
DATA act<>+108(SB)/4, $0xbc69b6a7
DATA act<>+112(SB)/4, $0xbfcc422a // -2 sqrt(2/pi)
DATA act<>+116(SB)/4, $0x3d372713 // 0.044715
GLOBL act<>(SB), RODATA|NOPTR, $120

#define CONST(c, r) VBROADCASTSS act<>+c(SB), r

// EXPCONST loads what EXP keeps in V8 to V13.
#define EXPCONST \
	CONST(0, V8); \
	CONST(4, V9); \
	CONST(8, V10); \
	CONST(12, V11); \
	CONST(40, V12); \
	CONST(44, V13)

// EXP sets V4 to exp(V1), with -87 for what is less. It uses V1 to V4.
#define EXP \
	VMAXPS V13, V1, V1; \
	VMOVAPS V9, V2; \
	VFMADD231PS V8, V1, V2; \
	VSUBPS V9, V2, V3; \
	VFNMADD231PS V10, V3, V1; \
	VFNMADD231PS V11, V3, V1; \
	CONST(16, V4); \
	POLY(20, V1, V4); \
	POLY(24, V1, V4); \
	POLY(28, V1, V4); \
	POLY(32, V1, V4); \
	POLY(36, V1, V4); \
	VMULPS V1, V1, V3; \
	VFMADD213PS V1, V3, V4; \
	VADDPS V12, V4, V4; \
	VPSLLD $23, V2, V2; \
	VPADDD V2, V4, V4

// func softmax(x *float32, n int)
#define SOFTMAX \
	MOVQ x+0(FP), SI; \
	MOVQ n+8(FP), CX; \
	LEAQ (SI)(CX*4), CX; \
	EXPCONST; \
	MOVQ SI, DI; \
	VMOVUPS (DI), V0; \
highest: \
	VMAXPS (DI), V0, V0; \
	ADDQ $VBYTES, DI; \
	CMPQ DI, CX; \
	JLT highest; \
	HMAX; \
	VBROADCASTSS X0, V14; \
	VXORPS V0, V0, V0; \
	MOVQ SI, DI; \
exponent: \
	VMOVUPS (DI), V1; \
	VSUBPS V14, V1, V1; \
	EXP; \
	VMOVUPS V4, (DI); \
	VADDPS V4, V0, V0; \
	ADDQ $VBYTES, DI; \
	CMPQ DI, CX; \
	JLT exponent; \
	HSUM; \
	VDIVSS X0, X12, X0; \
	VBROADCASTSS X0, V0; \
divide: \
	VMULPS (SI), V0, V1; \
	VMOVUPS V1, (SI); \
	ADDQ $VBYTES, SI; \
	CMPQ SI, CX; \
	JLT divide; \
	VZEROUPPER; \
	RET

// func gelu(x *float32, n int)
#define GELU \
	MOVQ x+0(FP), SI; \
	MOVQ n+8(FP), CX; \
	LEAQ (SI)(CX*4), CX; \
	CONST(52, V8); \
	CONST(56, V9); \
	CONST(60, V10); \
	CONST(36, V11); \
	CONST(64, V12); \
	CONST(92, V13); \
next: \
	VMOVUPS (SI), V0; \
	VMULPS V8, V0, V1; \
	VMINPS V9, V1, V1; \
	VMAXPS V10, V1, V1; \
	VMULPS V1, V1, V2; \
	VMOVAPS V12, V3; \
	VMOVAPS V13, V4; \
	POLY(68, V2, V3); \
	POLY(96, V2, V4); \
	POLY(72, V2, V3); \
	POLY(100, V2, V4); \
	POLY(76, V2, V3); \
	POLY(104, V2, V4); \
	POLY(80, V2, V3); \
	POLY(108, V2, V4); \
	POLY(84, V2, V3); \
	POLY(88, V2, V3); \
	VMULPS V1, V3, V3; \
	VDIVPS V4, V3, V3; \
	VMULPS V11, V0, V0; \
	VFMADD213PS V0, V0, V3; \
	VMOVUPS V3, (SI); \
	ADDQ $VBYTES, SI; \
	CMPQ SI, CX; \
	JLT next; \
	VZEROUPPER; \
	RET

// func geluTanh(x *float32, n int)
#define GELUTANH \
	MOVQ x+0(FP), SI; \
	MOVQ n+8(FP), CX; \
	LEAQ (SI)(CX*4), CX; \
	EXPCONST; \
	CONST(112, V6); \
	CONST(116, V7); \
	CONST(48, V14); \
next: \
	VMOVUPS (SI), V0; \
	VMULPS V0, V0, V1; \
	VFMADD213PS V12, V7, V1; \
	VMULPS V6, V0, V2; \
	VMULPS V2, V1, V1; \
	VMINPS V14, V1, V1; \
	EXP; \
	VADDPS V12, V4, V4; \
	VDIVPS V4, V0, V0; \
	VMOVUPS V0, (SI); \
	ADDQ $VBYTES, SI; \
	CMPQ SI, CX; \
	JLT next; \
	VZEROUPPER; \
	RET

// func addNorm(x, r, gamma, beta *float32, n int, eps float32)
#define ADDNORM \
	MOVQ x+0(FP), SI; \
	MOVQ r+8(FP), DI; \
	MOVQ gamma+16(FP), R8; \
	MOVQ beta+24(FP), R9; \
	MOVQ n+32(FP), CX; \
	VCVTSI2SSQ CX, X6, X6; \
	SHLQ $2, CX; \
	VXORPS V0, V0, V0; \
	XORL AX, AX; \
add: \
	VMOVUPS (SI)(AX*1), V1; \
	VADDPS (DI)(AX*1), V1, V1; \
	VMOVUPS V1, (SI)(AX*1); \
	VADDPS V1, V0, V0; \
	ADDQ $VBYTES, AX; \
	CMPQ AX, CX; \
	JLT add; \
	HSUM; \
	VDIVSS X6, X0, X0; \
	VBROADCASTSS X0, V3; \
	VXORPS V0, V0, V0; \
	XORL AX, AX; \
vary: \
	VMOVUPS (SI)(AX*1), V1; \
	VSUBPS V3, V1, V1; \
	VFMADD231PS V1, V1, V0; \
	ADDQ $VBYTES, AX; \
	CMPQ AX, CX; \
	JLT vary; \
	HSUM; \
	VDIVSS X6, X0, X0; \
	VADDSS eps+40(FP), X0, X0; \
	VSQRTSS X0, X0, X0; \
	VMOVSS act<>+40(SB), X1; \
	VDIVSS X0, X1, X0; \
	VBROADCASTSS X0, V4; \
	XORL AX, AX; \
scale: \
	VMOVUPS (SI)(AX*1), V1; \
	VSUBPS V3, V1, V1; \
	VMULPS V4, V1, V1; \
	VMOVUPS (R8)(AX*1), V5; \
	VFMADD213PS (R9)(AX*1), V5, V1; \
	VMOVUPS V1, (SI)(AX*1); \
	ADDQ $VBYTES, AX; \
	CMPQ AX, CX; \
	JLT scale; \
	VZEROUPPER; \
	RET
