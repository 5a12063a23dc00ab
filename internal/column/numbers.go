package column

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Forms of numbers.
const (
	formLeast = 0
	formDelta = 1
)

// widthOf returns the bits in which numbers up to most are packed.
func widthOf(most uint64) int {
	if w := bits.Len64(most); w <= 56 {
		return w
	}
	return 64
}

func sizeOf(n, width int) int { return (n*width + 7) / 8 }

// appendNumbers writes numbers in the shorter form.
func appendNumbers(dst []byte, x []int64) []byte {
	if len(x) == 0 {
		return append(dst, formLeast, 0, 0)
	}
	least, most := slices.Min(x), slices.Max(x)
	width := widthOf(uint64(most) - uint64(least))
	if len(x) > 1 {
		leastD, mostD := int64(math.MaxInt64), int64(math.MinInt64)
		for i := 1; i < len(x); i++ {
			d := x[i] - x[i-1]
			leastD, mostD = min(leastD, d), max(mostD, d)
		}
		if w := widthOf(uint64(mostD) - uint64(leastD)); sizeOf(len(x)-1, w)+binary.MaxVarintLen64 < sizeOf(len(x), width) {
			dst = append(dst, formDelta)
			dst = binary.AppendVarint(dst, x[0])
			dst = binary.AppendVarint(dst, leastD)
			dst = append(dst, byte(w))
			return pack(dst, len(x)-1, w, func(i int) uint64 { return uint64(x[i+1]-x[i]) - uint64(leastD) })
		}
	}
	dst = append(dst, formLeast)
	dst = binary.AppendVarint(dst, least)
	dst = append(dst, byte(width))
	return pack(dst, len(x), width, func(i int) uint64 { return uint64(x[i]) - uint64(least) })
}

// pack writes n numbers in width bits each.
func pack(dst []byte, n, width int, at func(i int) uint64) []byte {
	if width == 64 {
		for i := range n {
			dst = binary.LittleEndian.AppendUint64(dst, at(i))
		}
		return dst
	}
	acc, have := uint64(0), 0
	for i := range n {
		acc |= at(i) << have
		for have += width; have >= 8; have -= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
		}
	}
	if have > 0 {
		dst = append(dst, byte(acc))
	}
	return dst
}

// unpack reads packed numbers of a width into dst, each with least added, and returns
// what follows them.
func unpack(b []byte, width int, least int64, dst []int64) ([]byte, bool) {
	if width > 64 || width > 56 && width < 64 {
		return nil, false
	}
	size := sizeOf(len(dst), width)
	if len(b) < size {
		return nil, false
	}
	rest := b[size:]
	b = b[:size]
	switch width {
	case 0:
		for i := range dst {
			dst[i] = least
		}
		return rest, true
	case 8:
		for i, c := range b[:len(dst)] {
			dst[i] = least + int64(c)
		}
		return rest, true
	case 64:
		for i := range dst {
			dst[i] = least + int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return rest, true
	}
	mask := uint64(1)<<width - 1
	i, bit := 0, 0
	for whole := len(b) - 8; i < len(dst) && bit>>3 <= whole; i++ {
		dst[i] = least + int64(binary.LittleEndian.Uint64(b[bit>>3:])>>(bit&7)&mask)
		bit += width
	}
	for ; i < len(dst); i++ {
		var last [8]byte
		copy(last[:], b[bit>>3:])
		dst[i] = least + int64(binary.LittleEndian.Uint64(last[:])>>(bit&7)&mask)
		bit += width
	}
	return rest, true
}

// readNumbers reads numbers into dst and returns what follows them.
func readNumbers(b []byte, dst []int64) ([]byte, bool) {
	if len(b) == 0 {
		return nil, false
	}
	form := b[0]
	b = b[1:]
	first := int64(0)
	if form == formDelta {
		var k int
		if first, k = binary.Varint(b); k <= 0 || len(dst) == 0 {
			return nil, false
		}
		b = b[k:]
		dst[0] = first
	} else if form != formLeast {
		return nil, false
	}
	least, k := binary.Varint(b)
	if k <= 0 || len(b) == k {
		return nil, false
	}
	width := int(b[k])
	b = b[k+1:]
	if form == formLeast {
		return unpack(b, width, least, dst)
	}
	b, ok := unpack(b, width, least, dst[1:])
	if !ok {
		return nil, false
	}
	for i, d := range dst[1:] {
		first += d
		dst[i+1] = first
	}
	return b, true
}

// The forms of floats: powers of ten that divide whole numbers, or their bits.
const (
	mostScale = 6
	formBits  = 255
)

var powers = [mostScale + 1]float64{1, 10, 100, 1e3, 1e4, 1e5, 1e6}

// appendFloats writes floats, which are given by their bits.
func appendFloats(dst []byte, x []int64) []byte {
	whole := make([]int64, len(x))
	for scale, p := range powers {
		if scaled(x, p, whole) {
			return appendNumbers(append(dst, byte(scale)), whole)
		}
	}
	return appendNumbers(append(dst, formBits), x)
}

// scaled reports whether every float is a whole number divided by a power of ten, and
// sets whole to these numbers.
func scaled(x []int64, power float64, whole []int64) bool {
	for i, b := range x {
		n := math.Round(math.Float64frombits(uint64(b)) * power)
		if !(math.Abs(n) < 1<<53) || math.Float64bits(float64(int64(n))/power) != uint64(b) {
			return false
		}
		whole[i] = int64(n)
	}
	return true
}

// readFloats reads the bits of floats into dst and returns what follows them.
func readFloats(b []byte, dst []int64) ([]byte, bool) {
	if len(b) == 0 {
		return nil, false
	}
	form := b[0]
	rest, ok := readNumbers(b[1:], dst)
	if !ok || form == formBits {
		return rest, ok
	}
	if form > mostScale {
		return nil, false
	}
	p := powers[form]
	for i, n := range dst {
		dst[i] = int64(math.Float64bits(float64(n) / p))
	}
	return rest, true
}
