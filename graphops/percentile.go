package graphops

import (
	"math"
)

// edgePercentile returns the value below which the part q of x lies, between
// two values in proportion, -Inf if there is none. Each edge being in x
// twice, it is that of every second of the sorted values.
func edgePercentile(x []float32, q float64) float64 {
	if len(x) == 0 {
		return math.Inf(-1)
	}
	at := float64(q * float64(len(x)/2-1))
	i := int(at)
	lo := float64(valueOfRank(x, 2*i))
	if part := at - float64(i); part > 0 {
		return lo + float64(part*(float64(valueOfRank(x, 2*i+2))-lo))
	}
	return lo
}

// valueOfRank returns the element of x that would be at rank if x were sorted,
// by counting its elements by the upper half of their bits and then those of
// one upper half by the lower: O(n).
func valueOfRank(x []float32, rank int) float32 {
	var counts [1 << 16]int
	for _, v := range x {
		counts[orderedBits(v)>>16]++
	}
	hi, rank := bucketOf(&counts, rank)
	clear(counts[:])
	for _, v := range x {
		if b := orderedBits(v); b>>16 == hi {
			counts[b&0xffff]++
		}
	}
	lo, _ := bucketOf(&counts, rank)
	b := hi<<16 | lo
	if b>>31 == 1 {
		return math.Float32frombits(b &^ (1 << 31))
	}
	return math.Float32frombits(^b)
}

// orderedBits returns the bits of a number, changed so that they are ordered
// as numbers are.
func orderedBits(x float32) uint32 {
	b := math.Float32bits(x)
	if b>>31 == 1 {
		return ^b
	}
	return b | 1<<31
}

// bucketOf returns the bucket that has the element of a rank, and its rank in
// there.
func bucketOf(counts *[1 << 16]int, rank int) (bucket uint32, in int) {
	for rank >= counts[bucket] {
		rank -= counts[bucket]
		bucket++
	}
	return bucket, rank
}
