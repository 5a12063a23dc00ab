#include "textflag.h"

// func prefetchLines(p unsafe.Pointer, bytes int)
TEXT ·prefetchLines(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ bytes+8(FP), CX
	TESTQ CX, CX
	JLE  done
	ADDQ AX, CX
	ANDQ $~63, AX

line:
	PREFETCHT1 (AX)
	ADDQ $64, AX
	CMPQ AX, CX
	JCS  line

done:
	RET
