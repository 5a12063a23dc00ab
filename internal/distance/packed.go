package distance

// DotU2Block writes to out[r] the inner product of q and row r of block, in
// which rows of len(q)/4 bytes follow one another. The lowest two bits of byte i
// are the element i, the next ones the element len(q)/4 + i, and so on, from 0 to
// 3. It fills out; a block with fewer than len(out) rows panics. If the length of q
// is not a multiple of four, its last elements are not used. It is exact up to
// 1,000,000 elements.
func DotU2Block(q []int8, block []uint8, out []int32) { dotU2Block(active, q, block, out) }

func dotU2BlockPortable(q []int8, block []uint8, out []int32) {
	n := len(q) / 4
	q0, q1, q2, q3 := q[:n], q[n:2*n], q[2*n:3*n], q[3*n:4*n]
	for r := range out {
		row := block[r*n : r*n+n : len(block)]
		var sum int32
		for i, b := range row {
			sum += int32(q0[i])*int32(b&3) + int32(q1[i])*int32(b>>2&3) + int32(q2[i])*int32(b>>4&3) + int32(q3[i])*int32(b>>6)
		}
		out[r] = sum
	}
}

// DotU4Block writes to out[r] the inner product of q and row r of block, in
// which rows of len(q)/2 bytes follow one another. The low four bits of byte i
// are the element i, its high ones the element len(q)/2 + i, from 0 to 15. It
// fills out; a block with fewer than len(out) rows panics. The last element of a q
// of odd length is not used. It is exact up to 1,000,000 elements.
func DotU4Block(q []int8, block []uint8, out []int32) { dotU4Block(active, q, block, out) }

func dotU4BlockPortable(q []int8, block []uint8, out []int32) {
	half := len(q) / 2
	low, high := q[:half], q[half:2*half]
	for r := range out {
		row := block[r*half : r*half+half : len(block)]
		var sum int32
		for i, b := range row {
			sum += int32(low[i])*int32(b&15) + int32(high[i])*int32(b>>4)
		}
		out[r] = sum
	}
}
