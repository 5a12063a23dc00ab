package distance

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func supported(t Tier) bool {
	x := &cpu.X86
	switch t {
	case AVX2:
		return x.HasAVX2 && x.HasF16C
	case AVX512:
		return x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512VNNI
	}
	return false
}

// The runtime cannot stop a goroutine inside an assembly function, so a call
// for many rows is made in parts of about this many elements, which takes well
// below a millisecond.
const partElements = 1 << 18

// part returns how many of the rows left, of n elements each, one part takes.
func part(n, left int) int { return min(left, 1+partElements/(n+1)) }

// The slices are cut to the length needed with their own length as the limit,
// so that a slice that is too short panics whatever its capacity is.

func dot(t Tier, a, b []float32) float32 {
	b = b[:len(a):len(b)]
	switch t {
	case AVX512:
		return dotAVX512(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	case AVX2:
		return dotAVX2(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return dotPortable(a, b)
}

func l2sq(t Tier, a, b []float32) float32 {
	b = b[:len(a):len(b)]
	switch t {
	case AVX512:
		return l2sqAVX512(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	case AVX2:
		return l2sqAVX2(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return l2sqPortable(a, b)
}

func dotBlock(t Tier, q, block, out []float32) {
	n := len(q)
	block = block[: n*len(out) : len(block)]
	for len(out) > 0 {
		rows := part(n, len(out))
		switch t {
		case AVX512:
			dotBlockAVX512(unsafe.SliceData(q), unsafe.SliceData(block), unsafe.SliceData(out), n, rows)
		case AVX2:
			dotBlockAVX2(unsafe.SliceData(q), unsafe.SliceData(block), unsafe.SliceData(out), n, rows)
		default:
			dotBlockPortable(q, block, out[:rows])
		}
		block, out = block[n*rows:], out[rows:]
	}
}

func l2sqBlock(t Tier, q, block, out []float32) {
	n := len(q)
	block = block[: n*len(out) : len(block)]
	for len(out) > 0 {
		rows := part(n, len(out))
		switch t {
		case AVX512:
			l2sqBlockAVX512(unsafe.SliceData(q), unsafe.SliceData(block), unsafe.SliceData(out), n, rows)
		case AVX2:
			l2sqBlockAVX2(unsafe.SliceData(q), unsafe.SliceData(block), unsafe.SliceData(out), n, rows)
		default:
			l2sqBlockPortable(q, block, out[:rows])
		}
		block, out = block[n*rows:], out[rows:]
	}
}

func dotI8(t Tier, a, b []int8) int32 {
	b = b[:len(a):len(b)]
	switch t {
	case AVX512:
		return dotI8AVX512(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	case AVX2:
		return dotI8AVX2(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return dotI8Portable(a, b)
}

func dotI8Rows(t Tier, q []int8, rows []*int8, out []int32) {
	sameRows(rows, out)
	n := len(q)
	for len(rows) > 0 {
		count := part(n, len(rows))
		switch t {
		case AVX512:
			dotI8RowsAVX512(unsafe.SliceData(q), unsafe.SliceData(rows), unsafe.SliceData(out), n, count)
		case AVX2:
			dotI8RowsAVX2(unsafe.SliceData(q), unsafe.SliceData(rows), unsafe.SliceData(out), n, count)
		default:
			dotI8RowsPortable(q, rows[:count], out[:count])
		}
		rows, out = rows[count:], out[count:]
	}
}

func dotU2Block(t Tier, q []int8, block []uint8, out []int32) {
	quarter := len(q) / 4
	block = block[: quarter*len(out) : len(block)]
	for len(out) > 0 {
		rows := part(quarter, len(out))
		switch t {
		case AVX512:
			dotU2BlockAVX512(unsafe.SliceData(q), unsafe.SliceData(block), unsafe.SliceData(out), quarter, rows)
		case AVX2:
			dotU2BlockAVX2(unsafe.SliceData(q), unsafe.SliceData(block), unsafe.SliceData(out), quarter, rows)
		default:
			dotU2BlockPortable(q, block, out[:rows])
		}
		block, out = block[quarter*rows:], out[rows:]
	}
}

func dotU4Block(t Tier, q []int8, block []uint8, out []int32) {
	half := len(q) / 2
	block = block[: half*len(out) : len(block)]
	for len(out) > 0 {
		rows := part(half, len(out))
		switch t {
		case AVX512:
			dotU4BlockAVX512(unsafe.SliceData(q), unsafe.SliceData(block), unsafe.SliceData(out), half, rows)
		case AVX2:
			dotU4BlockAVX2(unsafe.SliceData(q), unsafe.SliceData(block), unsafe.SliceData(out), half, rows)
		default:
			dotU4BlockPortable(q, block, out[:rows])
		}
		block, out = block[half*rows:], out[rows:]
	}
}

func maxAbs(t Tier, v []float32) float32 {
	switch t {
	case AVX512:
		return maxAbsAVX512(unsafe.SliceData(v), len(v))
	case AVX2:
		return maxAbsAVX2(unsafe.SliceData(v), len(v))
	}
	return maxAbsPortable(v)
}

func quantize(t Tier, dst []int8, src []float32, scale float32) {
	dst = dst[:len(src):len(dst)]
	switch t {
	case AVX512:
		quantizeAVX512(unsafe.SliceData(dst), unsafe.SliceData(src), len(src), scale)
	case AVX2:
		quantizeAVX2(unsafe.SliceData(dst), unsafe.SliceData(src), len(src), scale)
	default:
		quantizePortable(dst, src, scale)
	}
}

func quantizeResidual(t Tier, dst []int8, src []float32, codes []int8, a, b float32) {
	dst, codes = dst[:len(src):len(dst)], codes[:len(src):len(codes)]
	switch t {
	case AVX512:
		quantizeResidualAVX512(unsafe.SliceData(dst), unsafe.SliceData(src), unsafe.SliceData(codes), len(src), a, b)
	case AVX2:
		quantizeResidualAVX2(unsafe.SliceData(dst), unsafe.SliceData(src), unsafe.SliceData(codes), len(src), a, b)
	default:
		quantizeResidualPortable(dst, src, codes, a, b)
	}
}

func encodeF16(t Tier, dst []uint16, src []float32) {
	dst = dst[:len(src):len(dst)]
	switch t {
	case AVX512:
		encodeF16AVX512(unsafe.SliceData(dst), unsafe.SliceData(src), len(src))
	case AVX2:
		encodeF16AVX2(unsafe.SliceData(dst), unsafe.SliceData(src), len(src))
	default:
		encodeF16Portable(dst, src)
	}
}

func decodeF16(t Tier, dst []float32, src []uint16) {
	dst = dst[:len(src):len(dst)]
	switch t {
	case AVX512:
		decodeF16AVX512(unsafe.SliceData(dst), unsafe.SliceData(src), len(src))
	case AVX2:
		decodeF16AVX2(unsafe.SliceData(dst), unsafe.SliceData(src), len(src))
	default:
		decodeF16Portable(dst, src)
	}
}
